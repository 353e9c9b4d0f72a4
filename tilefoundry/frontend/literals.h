// The values of number and string literals.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

#include "tilefoundry/frontend/token.h"

namespace tilefoundry {

struct IntegerValue {
  std::uint64_t magnitude = 0;
  bool too_large = false;
};
// The value of a well-formed integer literal, with its prefix and underscores.
IntegerValue integer_value(std::string_view literal);

// The value of a well-formed float literal, rounded to nearest; too large is infinite.
double float_value(std::string_view literal);

// A problem inside a string literal; `range` counts from the start of the literal.
struct StringProblem {
  std::string message;  // empty when there is none
  std::string hint;
  TextRange range;
};

// Appends the text of a well-formed string or bytes literal, prefix and quotes included, to `out`.
// Line endings inside become "\n". An escape that Python does not know stays as it is written.
StringProblem append_string_value(std::string_view literal, std::string& out);

}  // namespace tilefoundry
