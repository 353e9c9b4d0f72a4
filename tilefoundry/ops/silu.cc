#include "tilefoundry/ops/silu.h"

#include <cmath>

#include <fmt/format.h>

#include "tilefoundry/ops/common.h"
#include "tilefoundry/ops/host_loops.h"
#include "tilefoundry/passes/loop_nest.h"

namespace tilefoundry {

const OpClass& Silu::op_class() {
  static const OpClass& cls =
      OpClassBuilder<Silu>("Silu", Dialect::tf, "nn").summary("x * sigmoid(x).").input("x").build();
  return cls;
}

namespace {

TypeRef infer(const Call& call, const Silu&, TypeInferContext& ctx) {
  const DType dtype = operand_dtype(call, 0, ctx);
  if (!dtype.is_float()) {
    ctx.error(call, fmt::format("silu is not defined on {}, the dtype of x", dtype.name()),
              cast_hint("x", DType::f32));
  }
  return pointwise_type(call, dtype, ctx);
}

Cost cost(const Call& call, const Silu&, CostContext& ctx) {
  Cost cost = pointwise_cost(call, ctx, 1, DType::f32);
  add_service(cost, "special", ctx.local_output_numel(call));
  return cost;
}

HostValue evaluate_silu(const Call&, const Silu&, const std::vector<HostValue>& args,
                        EvaluateContext&) {
  const HostTensor& x = args[0].tensor();
  HostTensor result(x.dtype(), x.shape());
  for (std::int64_t i = 0; i < result.numel(); ++i) {
    const double value = x.float_at(i);
    const double sigmoid = 1.0 / (1.0 + std::exp(-value));
    result.set_float(i, static_cast<float>(value * sigmoid));
  }
  return result;
}

VarRef lower_silu(LoweringContext& ctx, const Silu&, const Call& call) {
  const DType dtype = as_tensor(call.type())->dtype();
  return lower_pointwise(ctx, call,
                         [dtype](ScalarBuilder& builder, const std::vector<ExprRef>& operands) {
                           const ExprRef x = builder.cast(DType::f32, operands[0]);
                           const ExprRef sigmoid = builder.unary(UnaryKind::sigmoid, x);
                           return builder.cast(dtype, builder.binary(BinaryKind::mul, x, sigmoid));
                         });
}

}  // namespace

void register_silu() {
  register_op_class(Silu::op_class());
  register_typeinfer<Silu>(infer);
  register_type_relation<Silu>(
      [](const Call& call, const Silu&, const std::vector<TypeRef>& types, TypeInferContext& ctx) {
        return broadcast_relation(call, types, ctx);
      });
  register_access_relation<Silu>([](const Call& call, const Silu&, TypeInferContext& ctx) {
    return relation_boundaries(call, ctx);
  });
  register_cost_evaluator<Silu>(cost);
  register_evaluator<Silu>(evaluate_silu);
  register_hir_lowering<Silu>(lower_silu);
}

}  // namespace tilefoundry
