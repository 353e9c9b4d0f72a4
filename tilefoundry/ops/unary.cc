#include "tilefoundry/ops/unary.h"

#include <cmath>

#include <fmt/format.h>

#include "tilefoundry/ops/common.h"
#include "tilefoundry/ops/host_loops.h"
#include "tilefoundry/ops/tile.h"

namespace tilefoundry {

namespace {

// Kinds that the language knows as ops of their own.
bool has_op_class(std::string_view name) {
  return name == "relu" || name == "tanh" || name == "sigmoid" || name == "softplus";
}

}  // namespace

const OpClass& Unary::op_class() {
  static const OpClass& cls = []() -> const OpClass& {
    OpClassBuilder<Unary> builder("Unary", Dialect::tf, "math");
    builder.summary("A function of every element.").input("x").attr<&Unary::kind>("kind");
    for (const std::string_view name : EnumNames<UnaryKind>::names) {
      if (has_op_class(name)) continue;
      builder.alias(std::string(name), {{"kind", std::string(name)}});
    }
    return builder.build();
  }();
  return cls;
}

const OpClass& TileUnary::op_class() {
  static const OpClass& cls = OpClassBuilder<TileUnary>("Unary", Dialect::T, "math")
                                  .summary("dst = kind(src).")
                                  .input("src")
                                  .input("dst")
                                  .attr<&TileUnary::kind>("kind")
                                  .effect()
                                  .build();
  return cls;
}

namespace {

void check_kind(UnaryKind kind, DType dtype, const std::string& name, const Fail& fail) {
  if (unary_accepts(kind, dtype)) return;
  const std::string hint = kind == UnaryKind::logical_not
                               ? fmt::format("compare instead: cmp_eq({}, 0)", name)
                               : cast_hint(name, DType::f32);
  fail(fmt::format("{} is not defined on {}, the dtype of {}", enum_name(kind), dtype.name(), name),
       hint);
}

TypeRef infer(const Call& call, const Unary& op, TypeInferContext& ctx) {
  const DType dtype = operand_dtype(call, 0, ctx);
  check_kind(op.kind, dtype, "x", fail_at(ctx, call));
  return pointwise_type(call, dtype, ctx);
}

bool is_transcendental(UnaryKind kind) {
  switch (kind) {
    case UnaryKind::rsqrt:
    case UnaryKind::exp:
    case UnaryKind::log:
    case UnaryKind::exp2:
    case UnaryKind::log2:
    case UnaryKind::log1p:
    case UnaryKind::sqrt:
    case UnaryKind::sin:
    case UnaryKind::cos:
    case UnaryKind::erf:
    case UnaryKind::tanh:
    case UnaryKind::sigmoid:
    case UnaryKind::softplus:
    case UnaryKind::normcdf: return true;
    default: return false;
  }
}

Cost cost(const Call& call, const Unary& op, CostContext& ctx) {
  Cost cost = pointwise_cost(call, ctx, 1, operand_dtype(call, 0, ctx));
  if (is_transcendental(op.kind)) add_service(cost, "special", ctx.local_output_numel(call));
  return cost;
}

// In double; the caller rounds to f32, the compute dtype.
double float_function(UnaryKind kind, double x) {
  switch (kind) {
    case UnaryKind::neg: return -x;
    case UnaryKind::abs: return std::fabs(x);
    case UnaryKind::rsqrt: return 1.0 / std::sqrt(x);
    case UnaryKind::relu: return x < 0 ? 0.0 : x;
    case UnaryKind::square: return x * x;
    case UnaryKind::exp: return std::exp(x);
    case UnaryKind::log: return std::log(x);
    case UnaryKind::ceil: return std::ceil(x);
    case UnaryKind::floor: return std::floor(x);
    case UnaryKind::round: return std::nearbyint(x);
    case UnaryKind::exp2: return std::exp2(x);
    case UnaryKind::log2: return std::log2(x);
    case UnaryKind::log1p: return std::log1p(x);
    case UnaryKind::sqrt: return std::sqrt(x);
    case UnaryKind::sin: return std::sin(x);
    case UnaryKind::cos: return std::cos(x);
    case UnaryKind::erf: return std::erf(x);
    case UnaryKind::tanh: return std::tanh(x);
    case UnaryKind::sigmoid: return 1.0 / (1.0 + std::exp(-x));
    case UnaryKind::normcdf: return 0.5 * std::erfc(-x / std::sqrt(2.0));
    case UnaryKind::softplus: return (x > 0 ? x : 0.0) + std::log1p(std::exp(-std::fabs(x)));
    default: return x;
  }
}

std::int64_t int_function(UnaryKind kind, std::int64_t x) {
  switch (kind) {
    case UnaryKind::neg: return wrap_sub(0, x);
    case UnaryKind::abs: return x < 0 ? wrap_sub(0, x) : x;
    case UnaryKind::logical_not: return x == 0 ? 1 : 0;
    case UnaryKind::relu: return x < 0 ? 0 : x;
    default: return wrap_mul(x, x);
  }
}

HostValue evaluate_unary(const Call&, const Unary& op, const std::vector<HostValue>& args,
                         EvaluateContext&) {
  const HostTensor& x = args[0].tensor();
  HostTensor result(x.dtype(), x.shape());
  for (std::int64_t i = 0; i < result.numel(); ++i) {
    if (x.dtype().is_float()) {
      result.set_float(i, static_cast<float>(float_function(op.kind, x.float_at(i))));
    } else {
      result.set_int(i, int_function(op.kind, x.int_at(i)));
    }
  }
  return result;
}

ScalarBody scalar_body(UnaryKind kind) {
  return [kind](ScalarBuilder& builder, const std::vector<ExprRef>& operands) {
    return builder.unary(kind, operands[0]);
  };
}

void verify_tile(const Evaluate& evaluate, const TileUnary& op, VerifyContext& ctx) {
  const DType dtype = tile_operand(evaluate, 0, ctx, true).dtype();
  check_kind(op.kind, dtype, "src", fail_at(ctx, evaluate));
  verify_dtype(evaluate, 1, dtype, ctx);
  verify_broadcast(evaluate, ctx);
}

}  // namespace

void register_unary() {
  register_op_class(Unary::op_class());
  register_typeinfer<Unary>(infer);
  register_type_relation<Unary>(
      [](const Call& call, const Unary&, const std::vector<TypeRef>& types, TypeInferContext& ctx) {
        return broadcast_relation(call, types, ctx);
      });
  register_access_relation<Unary>([](const Call& call, const Unary&, TypeInferContext& ctx) {
    return relation_boundaries(call, ctx);
  });
  register_cost_evaluator<Unary>(cost);
  register_evaluator<Unary>(evaluate_unary);
  register_hir_lowering<Unary>([](LoweringContext& ctx, const Unary& op, const Call& call) {
    return lower_pointwise(ctx, call, scalar_body(op.kind));
  });

  register_op_class(TileUnary::op_class());
  register_verify_op<TileUnary>(verify_tile);
  register_tile_expansion<TileUnary>([](const Evaluate& evaluate, const TileUnary& op) {
    return expand_pointwise(evaluate, scalar_body(op.kind));
  });
}

}  // namespace tilefoundry
