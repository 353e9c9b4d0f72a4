// From the written arguments of a call to an op value and its operands.
#pragma once

#include <vector>

#include "tilefoundry/frontend/builtins.h"

namespace tilefoundry {

struct BoundOp {
  OpRef op;
  std::vector<ExprRef> args;
};

// Chooses the first candidate whose arity and input patterns fit, converts the attributes, and
// makes operands of compile-time numbers: an index is a DimValue, any other number a constant of
// the dtype of its partner operand. Throws ParseError (TF2060 to TF2069).
BoundOp bind_op(const OpGroup& group, const CallArgs& args);

// An op with attributes given by name; the operands are complete.
OpRef make_op_with(const OpClass& cls, const std::vector<KeywordArg>& attributes);

// "clamp(x, min_val, max_val)", as a call is written.
std::string call_schema(const OpCandidate& candidate);

// The attribute that a compile-time value stands for. Throws ParseError (TF2062).
AttrValue attr_of_value(std::string_view call_name, const OpAttr& attr, const CallArg& arg);

// A constant of `dtype` for a Python number. Throws ParseError (TF2068) when the dtype does not
// hold it exactly (a float may be rounded, but not to infinity).
ExprRef constant_of_number(const CallArg& number, DType dtype);
// The dtype that a number takes beside `operands`. Throws ParseError (TF2069) when they have none
// or several.
DType partner_dtype(const CallArg& number, const std::vector<ExprRef>& operands);
// An IR value or, for an int or a dimension, a DimValue. Throws ParseError (TF2063) otherwise.
ExprRef index_operand(const CallArg& arg);

}  // namespace tilefoundry
