#include "tilefoundry/codegen/cpu/types.h"

#include <fmt/format.h>

#include <cmath>
#include <cstring>
#include <limits>

#include "tilefoundry/support/diagnostic.h"

namespace tilefoundry {

std::string c_storage_type(DType dtype) {
  switch (dtype.code()) {
    case DType::f32: return "float";
    case DType::f16:
    case DType::bf16: return "tf_u16";
    case DType::i32: return "tf_i32";
    case DType::i64: return "tf_i64";
    case DType::i8: return "tf_i8";
    case DType::boolean:
    case DType::u8:
    case DType::fp8e4m3:
    case DType::f8e8m0: return "tf_u8";
    default: return "";
  }
}

std::string c_value_type(DType dtype) {
  switch (dtype.code()) {
    case DType::i32:
    case DType::i8:
    case DType::u8: return "tf_i32";
    case DType::i64: return "tf_i64";
    case DType::boolean: return "bool";
    default: return "float";
  }
}

std::int64_t c_storage_size(DType dtype) { return (dtype.bits() + 7) / 8; }

std::string c_compute_suffix(DType dtype) {
  if (dtype == DType::i64) return "i64";
  return dtype == DType::i32 ? "i32" : "f32";
}

bool is_narrow_float(DType dtype) { return dtype == DType::bf16 || dtype == DType::f16; }

std::string float_literal(float value) {
  if (std::isnan(value)) return "__builtin_nanf(\"\")";
  if (std::isinf(value)) return value > 0 ? "__builtin_inff()" : "(-__builtin_inff())";
  std::string text = fmt::format("{}", value);
  if (text.find_first_of(".e") == std::string::npos) text += ".0";
  text += 'f';
  return std::signbit(value) ? "(" + text + ")" : text;
}

std::string int_literal(DType dtype, std::int64_t value) {
  const bool wide = dtype == DType::i64;
  if (value == std::numeric_limits<std::int64_t>::min()) return "(-9223372036854775807l - 1l)";
  if (!wide && value == std::numeric_limits<std::int32_t>::min()) return "(-2147483647 - 1)";
  const std::string text = fmt::format("{}{}", value, wide ? "l" : "");
  return value < 0 ? "(" + text + ")" : text;
}

std::string constant_literal(const Constant& constant, std::size_t index) {
  const DType dtype = constant.tensor_type().dtype();
  if (dtype.is_bool()) return constant.int_at(index) != 0 ? "true" : "false";
  if (dtype.is_integer()) return int_literal(dtype, constant.int_at(index));
  return float_literal(static_cast<float>(constant.float_at(index)));
}

std::string stored_literal(const Constant& constant, std::size_t index) {
  const DType dtype = constant.tensor_type().dtype();
  if (dtype == DType::f32 || dtype.is_integer()) return constant_literal(constant, index);
  const auto size = static_cast<std::size_t>(c_storage_size(dtype));
  std::uint64_t bits = 0;
  std::memcpy(&bits, constant.bytes().data() + index * size, size);
  return fmt::format("{}", bits);
}

std::string strip_parens(const std::string& text) {
  if (text.size() < 2 || text.front() != '(' || text.back() != ')') return text;
  int depth = 0;
  for (std::size_t i = 0; i < text.size(); ++i) {
    if (text[i] == '(') ++depth;
    if (text[i] == ')' && --depth == 0 && i + 1 < text.size()) return text;
  }
  return text.substr(1, text.size() - 2);
}

std::string c_string(const std::string& text) {
  std::string out = "\"";
  for (const char c : text) {
    const auto byte = static_cast<unsigned char>(c);
    if (c == '"' || c == '\\') {
      out += '\\';
      out += c;
    } else if (c == '?' || byte < 0x20 || byte == 0x7f) {
      out += fmt::format("\\{:03o}", byte);
    } else {
      out += c;
    }
  }
  return out + "\"";
}

}  // namespace tilefoundry
