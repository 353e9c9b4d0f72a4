// Scalar arithmetic: tir.scalar.*.
#include <fmt/format.h>

#include "tilefoundry/codegen/cpu/handlers.h"
#include "tilefoundry/codegen/cpu/types.h"
#include "tilefoundry/ir/tir/ops.h"

namespace tilefoundry {
namespace {

DType dtype_of(const ExprRef& expr, CpuCodegenContext& ctx) {
  const TensorType* type = as_tensor(expr->type());
  if (type == nullptr) ctx.error(*expr, "is not a scalar");
  return type->dtype();
}

std::string call_text(CpuCodegenContext& ctx, const std::string& function,
                      const std::string& arguments) {
  ctx.need(function);
  return fmt::format("{}({})", function, arguments);
}

std::string round_text(CpuCodegenContext& ctx, DType dtype, const std::string& value) {
  if (!is_narrow_float(dtype)) return value;
  return call_text(ctx, fmt::format("tf_round_{}", dtype.name()), strip_parens(value));
}

const char* infix_operator(BinaryKind kind) {
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

std::string device_name(BinaryKind kind) {
  return kind == BinaryKind::floor_div ? "floordiv" : std::string(enum_name(kind));
}

}  // namespace

std::string cpu_binary_text(CpuCodegenContext& ctx, BinaryKind kind, DType dtype,
                            const std::string& a, const std::string& b) {
  const char* infix = infix_operator(kind);
  // Arithmetic on integers wraps, so it goes through functions.
  const bool arithmetic = !is_predicate(kind);
  if (infix != nullptr && !(arithmetic && dtype.is_integer())) {
    const std::string text = fmt::format("({} {} {})", a, infix, b);
    return arithmetic ? round_text(ctx, dtype, text) : text;
  }
  const std::string function = fmt::format("tf_{}_{}", device_name(kind), c_compute_suffix(dtype));
  const std::string text = call_text(ctx, function, strip_parens(a) + ", " + strip_parens(b));
  const bool exact = kind == BinaryKind::min || kind == BinaryKind::max;
  return exact ? text : round_text(ctx, dtype, text);
}

namespace {

std::string binary(const Call& call, const ScalarBinary& op, CodegenContext& base) {
  CpuCodegenContext& ctx = cpu_context(base);
  return cpu_binary_text(ctx, op.kind, dtype_of(call.args()[0], ctx), ctx.emit_expr(call.args()[0]),
                         ctx.emit_expr(call.args()[1]));
}

std::string unary(const Call& call, const ScalarUnary& op, CodegenContext& base) {
  CpuCodegenContext& ctx = cpu_context(base);
  const DType dtype = dtype_of(call.args()[0], ctx);
  const std::string x = ctx.emit_expr(call.args()[0]);
  const std::string suffix = c_compute_suffix(dtype);
  switch (op.kind) {
    case UnaryKind::logical_not: return fmt::format("(!{})", x);
    case UnaryKind::neg:
      if (!dtype.is_integer()) return fmt::format("(-{})", x);
      break;
    case UnaryKind::relu:
      if (dtype.is_integer()) {
        return call_text(ctx, "tf_max_" + suffix, strip_parens(x) + ", 0");
      }
      break;
    default: break;
  }
  const std::string function = fmt::format("tf_{}_{}", enum_name(op.kind), suffix);
  const std::string text = call_text(ctx, function, strip_parens(x));
  const bool exact = op.kind == UnaryKind::abs || op.kind == UnaryKind::relu;
  return exact ? text : round_text(ctx, dtype, text);
}

std::string cast_to_integer(CpuCodegenContext& ctx, DType from, DType to, const std::string& x) {
  if (from.is_float() || from.family() == DTypeFamily::low_precision) {
    return call_text(ctx, fmt::format("tf_f32_to_{}", to.name()), strip_parens(x));
  }
  switch (to.code()) {
    case DType::i8: return fmt::format("(tf_i32)(tf_i8){}", x);
    case DType::u8: return fmt::format("(tf_i32)(tf_u8){}", x);
    default: return fmt::format("({}){}", c_value_type(to), x);
  }
}

std::string cast(const Call& call, const ScalarCast& op, CodegenContext& base) {
  CpuCodegenContext& ctx = cpu_context(base);
  const DType from = dtype_of(call.args()[0], ctx);
  const DType to = op.dtype;
  const std::string x = ctx.emit_expr(call.args()[0]);
  if (from == to) return x;
  if (c_storage_type(to).empty()) ctx.error(call, "casts to a packed dtype");
  if (to.is_bool()) {
    return from.is_integer() || from.family() == DTypeFamily::storage_integer
               ? fmt::format("({} != 0)", x)
               : fmt::format("({} != 0.0f)", x);
  }
  if (to.is_integer() || to.family() == DTypeFamily::storage_integer) {
    return cast_to_integer(ctx, from, to, x);
  }
  if (from.is_integer() && to == DType::bf16) {
    return call_text(ctx, "tf_i64_to_bf16", strip_parens(x));
  }
  const bool wide = from.is_float() || from.family() == DTypeFamily::low_precision;
  const std::string value = wide ? x : fmt::format("(float){}", x);
  if (to.family() == DTypeFamily::low_precision) {
    const std::string stored =
        call_text(ctx, fmt::format("tf_f32_to_{}", to == DType::fp8e4m3 ? "f8e4m3" : "f8e8m0"),
                  strip_parens(value));
    return call_text(ctx, to == DType::fp8e4m3 ? "tf_f8e4m3_to_f32" : "tf_f8e8m0_to_f32", stored);
  }
  if (from.is_bool()) return value;
  return round_text(ctx, to, value);
}

std::string select_text(const Call& call, const Select&, CodegenContext& ctx) {
  return fmt::format("({} ? {} : {})", ctx.emit_expr(call.args()[0]), ctx.emit_expr(call.args()[1]),
                     ctx.emit_expr(call.args()[2]));
}

}  // namespace

void register_cpu_scalar(AnalysisRegistry& registry) {
  register_codegen<ScalarBinary>(registry, binary);
  register_codegen<ScalarUnary>(registry, unary);
  register_codegen<ScalarCast>(registry, cast);
  register_codegen<Select>(registry, select_text);
}

}  // namespace tilefoundry
