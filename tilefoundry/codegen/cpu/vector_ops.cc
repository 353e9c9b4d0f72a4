// Scalar ops on vectors of 32-bit elements: device/cpu/vector.inc has the functions.
#include <fmt/format.h>

#include "tilefoundry/codegen/cpu/types.h"
#include "tilefoundry/codegen/cpu/vector_loop.h"

namespace tilefoundry {
namespace {

bool held_as_float(DType dtype) { return dtype.is_float() && vector_element(dtype) != ""; }

bool held_as_int(DType dtype) {
  return dtype == DType::i32 || dtype == DType::i8 || dtype == DType::u8;
}

std::string call(CpuCodegenContext& ctx, const std::string& function, const std::string& args) {
  ctx.need(function + "_v");
  return fmt::format("{}({})", function, args);
}

std::string rounded(CpuCodegenContext& ctx, DType dtype, const std::string& text) {
  if (!is_narrow_float(dtype)) return text;
  return call(ctx, fmt::format("tf_round_{}", dtype.name()), strip_parens(text));
}

const char* infix(BinaryKind kind) {
  switch (kind) {
    case BinaryKind::add: return "+";
    case BinaryKind::sub: return "-";
    case BinaryKind::mul: return "*";
    case BinaryKind::div: return "/";
    case BinaryKind::cmp_eq: return "==";
    case BinaryKind::cmp_ne: return "!=";
    case BinaryKind::cmp_lt: return "<";
    case BinaryKind::cmp_le: return "<=";
    case BinaryKind::cmp_gt: return ">";
    case BinaryKind::cmp_ge: return ">=";
    case BinaryKind::logical_and: return "&";
    case BinaryKind::logical_or: return "|";
    default: return nullptr;
  }
}

}  // namespace

int vector_width(const CpuFeatures& features) {
  const auto all = [&](std::initializer_list<const char*> names) {
    for (const char* name : names) {
      if (!features.has(name)) return false;
    }
    return true;
  };
  if (all({"avx512f", "avx512vl", "avx512bw", "avx512dq"})) return 16;
  return all({"avx2", "fma", "f16c"}) ? 8 : 0;
}

std::string vector_element(DType dtype) {
  switch (dtype.code()) {
    case DType::f32: return "f32";
    case DType::f16: return "f16";
    case DType::bf16: return "bf16";
    case DType::i32: return "i32";
    case DType::i8: return "i8_i32";
    case DType::u8: return "u8_i32";
    case DType::boolean: return "bool";
    default: return "";
  }
}

std::string vector_type(DType dtype) { return dtype.is_float() ? "tf_f32v" : "tf_i32v"; }

bool has_vector_binary(BinaryKind kind, DType dtype) {
  if (dtype.is_bool()) {
    return kind == BinaryKind::logical_and || kind == BinaryKind::logical_or ||
           kind == BinaryKind::cmp_eq || kind == BinaryKind::cmp_ne;
  }
  const bool order = is_predicate(kind) || kind == BinaryKind::min || kind == BinaryKind::max;
  const bool ring = kind == BinaryKind::add || kind == BinaryKind::sub || kind == BinaryKind::mul;
  if (held_as_int(dtype)) return order || ring;
  return held_as_float(dtype) && (order || ring || kind == BinaryKind::div);
}

std::string vector_binary_text(CpuCodegenContext& ctx, BinaryKind kind, DType dtype,
                               const std::string& a, const std::string& b) {
  const char* op = infix(kind);
  const bool arithmetic = !is_predicate(kind);
  if (op != nullptr && (dtype.is_float() || !arithmetic)) {
    const std::string text = fmt::format("({} {} {})", a, op, b);
    return arithmetic ? rounded(ctx, dtype, text) : text;
  }
  return call(
      ctx, fmt::format("tf_{}_{}", std::string(enum_name(kind)), dtype.is_float() ? "f32" : "i32"),
      strip_parens(a) + ", " + strip_parens(b));
}

bool has_vector_unary(UnaryKind kind, DType dtype) {
  if (dtype.is_bool()) return kind == UnaryKind::logical_not;
  switch (kind) {
    case UnaryKind::neg:
    case UnaryKind::abs:
    case UnaryKind::relu:
    case UnaryKind::square: return held_as_int(dtype) || held_as_float(dtype);
    case UnaryKind::rsqrt:
    case UnaryKind::exp:
    case UnaryKind::exp2:
    case UnaryKind::log:
    case UnaryKind::sqrt:
    case UnaryKind::ceil:
    case UnaryKind::floor:
    case UnaryKind::round:
    case UnaryKind::erf:
    case UnaryKind::tanh:
    case UnaryKind::sigmoid: return held_as_float(dtype);
    default: return false;
  }
}

std::string vector_unary_text(CpuCodegenContext& ctx, UnaryKind kind, DType dtype,
                              const std::string& x) {
  if (kind == UnaryKind::logical_not) return fmt::format("(~{})", x);
  if (kind == UnaryKind::neg && dtype.is_float()) return fmt::format("(-{})", x);
  if (kind == UnaryKind::relu && !dtype.is_float()) {
    return call(ctx, "tf_max_i32", strip_parens(x) + ", tf_all(0)");
  }
  const std::string function =
      fmt::format("tf_{}_{}", enum_name(kind), dtype.is_float() ? "f32" : "i32");
  const std::string text = call(ctx, function, strip_parens(x));
  const bool exact = kind == UnaryKind::abs || kind == UnaryKind::relu;
  return exact ? text : rounded(ctx, dtype, text);
}

bool has_vector_cast(DType from, DType to) {
  if (from == to) return true;
  const bool known = held_as_float(from) || held_as_int(from) || from.is_bool();
  if (!known) return false;
  if (to.is_bool()) return true;
  if (to == DType::i32) return true;
  if (!held_as_float(to)) return false;
  return held_as_float(from) || from.is_bool() || to == DType::f32;
}

std::string vector_cast_text(CpuCodegenContext& ctx, DType from, DType to, const std::string& x) {
  if (from == to) return x;
  if (to.is_bool()) return fmt::format("({} != {})", x, from.is_float() ? "0.0f" : "0");
  if (from.is_bool()) {
    return to.is_float() ? fmt::format("tf_choose({}, tf_all(1.0f), tf_all(0.0f))", strip_parens(x))
                         : fmt::format("({} & 1)", x);
  }
  if (to == DType::i32) {
    return from.is_float() ? call(ctx, "tf_f32_to_i32", strip_parens(x)) : x;
  }
  if (!from.is_float()) return fmt::format("__builtin_convertvector({}, tf_f32v)", strip_parens(x));
  return rounded(ctx, to, x);
}

}  // namespace tilefoundry
