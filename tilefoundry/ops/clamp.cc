#include "tilefoundry/ops/clamp.h"

#include <cmath>
#include <limits>

#include <fmt/format.h>

#include "tilefoundry/ops/common.h"
#include "tilefoundry/ops/host_loops.h"
#include "tilefoundry/ops/tile.h"

namespace tilefoundry {

const OpClass& Clamp::op_class() {
  static const OpClass& cls = OpClassBuilder<Clamp>("Clamp", Dialect::tf, "math")
                                  .summary("Limits every element to a range.")
                                  .input("x")
                                  .attr<&Clamp::min_val>("min_val")
                                  .attr<&Clamp::max_val>("max_val")
                                  .build();
  return cls;
}

const OpClass& TileClamp::op_class() {
  static const OpClass& cls = OpClassBuilder<TileClamp>("Clamp", Dialect::T, "math")
                                  .summary("dst = src limited to a range.")
                                  .input("src")
                                  .input("dst")
                                  .attr<&TileClamp::min_val>("min_val")
                                  .attr<&TileClamp::max_val>("max_val")
                                  .effect()
                                  .build();
  return cls;
}

namespace {

void check(DType dtype, double min_val, double max_val, const std::string& name, const Fail& fail) {
  if (!dtype.is_float() && !dtype.is_integer()) {
    fail(fmt::format("clamp is not defined on {}, the dtype of {}", dtype.name(), name),
         cast_hint(name, DType::f32));
  }
  if (dtype.is_float()) return;
  for (const double bound : {min_val, max_val}) {
    if (std::isinf(bound) || bound == std::trunc(bound)) continue;
    fail(fmt::format("the bound {} is not a whole number, and {} has dtype {}", bound, name,
                     dtype.name()),
         fmt::format("use a whole number, or {}", cast_hint(name, DType::f32)));
  }
}

TypeRef infer(const Call& call, const Clamp& op, TypeInferContext& ctx) {
  const DType dtype = operand_dtype(call, 0, ctx);
  check(dtype, op.min_val, op.max_val, "x", fail_at(ctx, call));
  return pointwise_type(call, dtype, ctx);
}

// nan stays nan, whichever of the two it is.
double larger(double a, double b) { return std::isnan(a) || a >= b ? a : b; }
double smaller(double a, double b) { return std::isnan(a) || a <= b ? a : b; }

HostValue evaluate_clamp(const Call&, const Clamp& op, const std::vector<HostValue>& args,
                         EvaluateContext&) {
  const HostTensor& x = args[0].tensor();
  const DType dtype = x.dtype();
  HostTensor result(dtype, x.shape());
  if (dtype.is_float()) {
    const double low = round_to(dtype, op.min_val);
    const double high = round_to(dtype, op.max_val);
    for (std::int64_t i = 0; i < result.numel(); ++i) {
      result.set_float(i, smaller(larger(x.float_at(i), low), high));
    }
    return result;
  }
  const std::int64_t low = saturating_int(dtype, op.min_val);
  const std::int64_t high = saturating_int(dtype, op.max_val);
  for (std::int64_t i = 0; i < result.numel(); ++i) {
    result.set_int(i, std::min(std::max(x.int_at(i), low), high));
  }
  return result;
}

ScalarBody scalar_body(double min_val, double max_val) {
  return [=](ScalarBuilder& builder, const std::vector<ExprRef>& operands) {
    const DType dtype = as_tensor(operands[0]->type())->dtype();
    ExprRef floored =
        builder.binary(BinaryKind::max, operands[0], builder.constant(dtype, min_val));
    return builder.binary(BinaryKind::min, std::move(floored), builder.constant(dtype, max_val));
  };
}

void verify_tile(const Evaluate& evaluate, const TileClamp& op, VerifyContext& ctx) {
  const DType dtype = tile_operand(evaluate, 0, ctx, true).dtype();
  check(dtype, op.min_val, op.max_val, "src", fail_at(ctx, evaluate));
  verify_dtype(evaluate, 1, dtype, ctx);
  verify_broadcast(evaluate, ctx);
}

}  // namespace

void register_clamp() {
  register_op_class(Clamp::op_class());
  register_typeinfer<Clamp>(infer);
  register_type_relation<Clamp>(
      [](const Call& call, const Clamp&, const std::vector<TypeRef>& types, TypeInferContext& ctx) {
        return broadcast_relation(call, types, ctx);
      });
  register_access_relation<Clamp>([](const Call& call, const Clamp&, TypeInferContext& ctx) {
    return relation_boundaries(call, ctx);
  });
  register_cost_evaluator<Clamp>([](const Call& call, const Clamp&, CostContext& ctx) {
    return pointwise_cost(call, ctx, 1, operand_dtype(call, 0, ctx));
  });
  register_evaluator<Clamp>(evaluate_clamp);
  register_hir_lowering<Clamp>([](LoweringContext& ctx, const Clamp& op, const Call& call) {
    return lower_pointwise(ctx, call, scalar_body(op.min_val, op.max_val));
  });

  register_op_class(TileClamp::op_class());
  register_verify_op<TileClamp>(verify_tile);
  register_tile_expansion<TileClamp>([](const Evaluate& evaluate, const TileClamp& op) {
    return expand_pointwise(evaluate, scalar_body(op.min_val, op.max_val));
  });
}

}  // namespace tilefoundry
