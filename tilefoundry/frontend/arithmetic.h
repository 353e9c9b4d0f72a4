// Python's arithmetic on compile-time values.
#pragma once

#include "tilefoundry/frontend/syntax_expr.h"
#include "tilefoundry/frontend/value.h"

namespace tilefoundry {

// Operands are compile-time values. Each throws ParseError at `place` for operands that the
// operator does not take (TF2030), a division by zero (TF2031), an int64 overflow (TF2032) and a
// question about a symbolic dimension that has no answer at compile time (TF2033).
Value static_unary(UnaryOperator op, const Value& x, const Span& place);
Value static_binary(BinaryOperator op, const Value& a, const Value& b, const Span& place);
bool static_compare(CompareOperator op, const Value& a, const Value& b, const Span& place);
// What `if` and `and` ask of a value.
bool static_truth(const Value& value, const Span& place);
// Equality of compile-time values; nothing when only run time decides.
std::optional<bool> static_equal(const Value& a, const Value& b);

}  // namespace tilefoundry
