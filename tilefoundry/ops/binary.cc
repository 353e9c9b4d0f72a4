#include "tilefoundry/ops/binary.h"

#include <cmath>

#include <fmt/format.h>

#include "tilefoundry/ops/common.h"
#include "tilefoundry/ops/host_loops.h"
#include "tilefoundry/ops/tile.h"

namespace tilefoundry {

const OpClass& Binary::op_class() {
  static const OpClass& cls = []() -> const OpClass& {
    OpClassBuilder<Binary> builder("Binary", Dialect::tf, "math");
    builder.summary("Arithmetic, comparison and logic of two values, broadcast.")
        .input("lhs")
        .input("rhs")
        .attr<&Binary::kind>("kind");
    for (const std::string_view name : EnumNames<BinaryKind>::names) {
      builder.alias(std::string(name), {{"kind", std::string(name)}});
    }
    builder.alias("minimum", {{"kind", "min"}}).alias("maximum", {{"kind", "max"}});
    return builder.build();
  }();
  return cls;
}

const OpClass& TileBinary::op_class() {
  static const OpClass& cls = OpClassBuilder<TileBinary>("Binary", Dialect::T, "math")
                                  .summary("dst = lhs <kind> rhs, broadcast to dst.")
                                  .input("lhs")
                                  .input("rhs")
                                  .input("dst")
                                  .attr<&TileBinary::kind>("kind")
                                  .effect()
                                  .build();
  return cls;
}

namespace {

// What to write instead of a kind on a dtype that it does not take.
std::string kind_hint(BinaryKind kind, DType dtype, const std::string& name) {
  if (dtype.is_integer() && kind == BinaryKind::div) {
    return fmt::format("use floor_div, or {}", cast_hint(name, DType::f32));
  }
  if (kind == BinaryKind::logical_and || kind == BinaryKind::logical_or) {
    return fmt::format("compare first: cmp_ne({}, 0)", name);
  }
  return cast_hint(name, dtype.is_bool() ? DType::i32 : DType::f32);
}

void check_kind(BinaryKind kind, DType dtype, const std::string& name, const Fail& fail) {
  if (binary_accepts(kind, dtype)) return;
  fail(fmt::format("{} is not defined on {}, the dtype of {}", enum_name(kind), dtype.name(), name),
       kind_hint(kind, dtype, name));
}

DType result_dtype(BinaryKind kind, DType operand) {
  return is_predicate(kind) ? DType(DType::boolean) : operand;
}

TypeRef infer(const Call& call, const Binary& op, TypeInferContext& ctx) {
  const DType dtype = common_dtype(call, 0, ctx);
  check_kind(op.kind, dtype, "lhs", fail_at(ctx, call));
  return pointwise_type(call, result_dtype(op.kind, dtype), ctx);
}

Cost cost(const Call& call, const Binary& op, CostContext& ctx) {
  const DType dtype = operand_dtype(call, 0, ctx);
  Cost cost = pointwise_cost(call, ctx, 1, result_dtype(op.kind, dtype));
  if (op.kind == BinaryKind::pow) add_service(cost, "special", ctx.local_output_numel(call));
  return cost;
}

// NumPy's floor_divide and mod of floats.
float float_mod(float a, float b) {
  float rest = std::fmod(a, b);
  if (b == 0) return rest;
  if (rest == 0) return std::copysign(0.0F, b);
  return (b < 0) != (rest < 0) ? rest + b : rest;
}

float float_floor_div(float a, float b) {
  if (b == 0) return a / b;
  const float rest = std::fmod(a, b);
  float quotient = (a - rest) / b;
  if (rest != 0 && (b < 0) != (rest < 0)) quotient -= 1;
  if (quotient == 0) return std::copysign(0.0F, a / b);
  const float floored = std::floor(quotient);
  return quotient - floored > 0.5F ? floored + 1 : floored;
}

float float_arithmetic(BinaryKind kind, float a, float b) {
  switch (kind) {
    case BinaryKind::add: return a + b;
    case BinaryKind::sub: return a - b;
    case BinaryKind::mul: return a * b;
    case BinaryKind::div: return a / b;
    case BinaryKind::floor_div: return float_floor_div(a, b);
    case BinaryKind::mod: return float_mod(a, b);
    case BinaryKind::min: return std::isnan(a) || a <= b ? a : b;
    case BinaryKind::max: return std::isnan(a) || a >= b ? a : b;
    default: return static_cast<float>(std::pow(static_cast<double>(a), static_cast<double>(b)));
  }
}

std::int64_t int_floor_div(std::int64_t a, std::int64_t b) {
  if (b == 0) return 0;
  if (b == -1) return wrap_sub(0, a);
  const std::int64_t quotient = a / b;
  return a % b != 0 && (a < 0) != (b < 0) ? quotient - 1 : quotient;
}

std::int64_t int_mod(std::int64_t a, std::int64_t b) {
  if (b == 0 || b == -1) return 0;
  const std::int64_t rest = a % b;
  return rest != 0 && (rest < 0) != (b < 0) ? rest + b : rest;
}

// The integer wraps to its dtype when it is stored.
std::int64_t int_arithmetic(BinaryKind kind, std::int64_t a, std::int64_t b) {
  switch (kind) {
    case BinaryKind::add: return wrap_add(a, b);
    case BinaryKind::sub: return wrap_sub(a, b);
    case BinaryKind::mul: return wrap_mul(a, b);
    case BinaryKind::floor_div: return int_floor_div(a, b);
    case BinaryKind::mod: return int_mod(a, b);
    case BinaryKind::min: return std::min(a, b);
    default: return std::max(a, b);
  }
}

template <class T>
bool predicate(BinaryKind kind, T a, T b) {
  switch (kind) {
    case BinaryKind::cmp_eq: return a == b;
    case BinaryKind::cmp_ne: return a != b;
    case BinaryKind::cmp_lt: return a < b;
    case BinaryKind::cmp_le: return a <= b;
    case BinaryKind::cmp_gt: return a > b;
    case BinaryKind::cmp_ge: return a >= b;
    case BinaryKind::logical_and: return a != 0 && b != 0;
    default: return a != 0 || b != 0;
  }
}

HostValue evaluate_binary(const Call&, const Binary& op, const std::vector<HostValue>& args,
                          EvaluateContext&) {
  const HostTensor& lhs = args[0].tensor();
  const HostTensor& rhs = args[1].tensor();
  const auto operands = host_operands(args);
  HostTensor result(result_dtype(op.kind, lhs.dtype()), broadcast_extents(operands));
  const bool floating = lhs.dtype().is_float();
  for_each_broadcast(result.shape(), operands, [&](std::int64_t i, const Extents& at) {
    if (floating) {
      const auto a = static_cast<float>(lhs.float_at(at[0]));
      const auto b = static_cast<float>(rhs.float_at(at[1]));
      if (is_predicate(op.kind)) {
        result.set_int(i, predicate(op.kind, a, b) ? 1 : 0);
      } else {
        result.set_float(i, float_arithmetic(op.kind, a, b));
      }
      return;
    }
    const std::int64_t a = lhs.int_at(at[0]);
    const std::int64_t b = rhs.int_at(at[1]);
    result.set_int(i, is_predicate(op.kind) ? (predicate(op.kind, a, b) ? 1 : 0)
                                            : int_arithmetic(op.kind, a, b));
  });
  return result;
}

ScalarBody scalar_body(BinaryKind kind) {
  return [kind](ScalarBuilder& builder, const std::vector<ExprRef>& operands) {
    return builder.binary(kind, operands[0], operands[1]);
  };
}

void verify_tile(const Evaluate& evaluate, const TileBinary& op, VerifyContext& ctx) {
  const DType dtype = tile_operand(evaluate, 0, ctx, true).dtype();
  verify_dtype(evaluate, 1, dtype, ctx);
  check_kind(op.kind, dtype, "lhs", fail_at(ctx, evaluate));
  verify_dtype(evaluate, 2, result_dtype(op.kind, dtype), ctx);
  verify_broadcast(evaluate, ctx);
}

}  // namespace

void register_binary() {
  register_op_class(Binary::op_class());
  register_typeinfer<Binary>(infer);
  register_type_relation<Binary>(
      [](const Call& call, const Binary&, const std::vector<TypeRef>& types,
         TypeInferContext& ctx) { return broadcast_relation(call, types, ctx); });
  register_access_relation<Binary>([](const Call& call, const Binary&, TypeInferContext& ctx) {
    return relation_boundaries(call, ctx);
  });
  register_cost_evaluator<Binary>(cost);
  register_evaluator<Binary>(evaluate_binary);
  register_hir_lowering<Binary>([](LoweringContext& ctx, const Binary& op, const Call& call) {
    return lower_pointwise(ctx, call, scalar_body(op.kind));
  });

  register_op_class(TileBinary::op_class());
  register_verify_op<TileBinary>(verify_tile);
  register_tile_expansion<TileBinary>([](const Evaluate& evaluate, const TileBinary& op) {
    return expand_pointwise(evaluate, scalar_body(op.kind));
  });
}

}  // namespace tilefoundry
