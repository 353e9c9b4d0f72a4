// Small text helpers shared by printers and messages.
#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace tilefoundry {

std::string join(const std::vector<std::string>& parts, std::string_view separator);

// A Python string literal in double quotes; non-ASCII text stays as it is.
std::string python_string_literal(std::string_view text);

// The shortest decimal that reads back to the same float64 bits, as a Python expression:
// "1.0", "-0.0", "1e-06", "inf", "-inf" and "nan" for the values that have no literal.
std::string float_text(double value);

// Edit distance of at most `limit` finds the closest candidate; empty when none is close.
std::string closest_match(std::string_view word, const std::vector<std::string>& candidates,
                          std::size_t limit = 2);

// "1 argument", "2 arguments".
std::string counted(std::size_t count, std::string_view noun);

// Whether a name is a keyword of Python, soft keywords excluded.
bool is_python_keyword(std::string_view name);

// CamelCase to snake_case: "RMSNorm" is "rms_norm", "MatMul" is "mat_mul".
std::string snake_case(std::string_view name);

}  // namespace tilefoundry
