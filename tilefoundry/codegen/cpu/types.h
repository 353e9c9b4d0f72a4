// C types and literals of CPU code.
#pragma once

#include <string>

#include "tilefoundry/ir/expr.h"

namespace tilefoundry {

// The element in memory: "float", "tf_u16"... Empty for packed dtypes, which CPU code has not.
std::string c_storage_type(DType dtype);
// A scalar in a variable: floats as float (already rounded), bool as bool.
std::string c_value_type(DType dtype);
std::int64_t c_storage_size(DType dtype);
// "f32", "i32", "i64": the suffix of the device functions that compute on the dtype.
std::string c_compute_suffix(DType dtype);
bool is_narrow_float(DType dtype);

std::string float_literal(float value);
std::string int_literal(DType dtype, std::int64_t value);
// Element `index` of a constant, as a value.
std::string constant_literal(const Constant& constant, std::size_t index);
// The stored bits of an element, for the initializer of an array.
std::string stored_literal(const Constant& constant, std::size_t index);

// The text without one pair of parentheses around all of it.
std::string strip_parens(const std::string& text);
// A C string literal.
std::string c_string(const std::string& text);

}  // namespace tilefoundry
