#include "tilefoundry/ops/full_like.h"

#include <cmath>

#include <fmt/format.h>

#include "tilefoundry/ops/common.h"
#include "tilefoundry/ops/host_loops.h"
#include "tilefoundry/passes/loop_nest.h"

namespace tilefoundry {

const OpClass& FullLike::op_class() {
  static const OpClass& cls = OpClassBuilder<FullLike>("FullLike", Dialect::tf, "tensor")
                                  .summary("A tensor of one value, of the type of x.")
                                  .input("x")
                                  .attr<&FullLike::value>("value")
                                  .build();
  return cls;
}

namespace {

bool holds(DType dtype, double value) {
  if (dtype.is_float()) return true;
  if (dtype.is_bool()) return value == 0 || value == 1;
  // 2^31 and 2^63 are the first values past the range.
  const double limit = std::ldexp(1.0, dtype.bits() - 1);
  return value == std::trunc(value) && value >= -limit && value < limit;
}

TypeRef infer(const Call& call, const FullLike& op, TypeInferContext& ctx) {
  const DType dtype = operand_dtype(call, 0, ctx);
  if (!dtype.is_float() && !dtype.is_integer() && !dtype.is_bool()) {
    ctx.error(call, fmt::format("full_like is not defined on {}, the dtype of x", dtype.name()),
              cast_hint("x", DType::f32));
  }
  if (!holds(dtype, op.value)) {
    ctx.error(
        call,
        fmt::format("the value {} is not a value of {}, the dtype of x", op.value, dtype.name()),
        dtype.is_bool() ? "use 0 or 1" : cast_hint("x", DType::f32));
  }
  return pointwise_type(call, dtype, ctx);
}

HostValue evaluate_full_like(const Call&, const FullLike& op, const std::vector<HostValue>& args,
                             EvaluateContext&) {
  const HostTensor& x = args[0].tensor();
  HostTensor result(x.dtype(), x.shape());
  for (std::int64_t i = 0; i < result.numel(); ++i) result.set_float(i, op.value);
  return result;
}

// x is not read, so it is not lowered either.
VarRef lower_full_like(LoweringContext& ctx, const FullLike& op, const Call& call) {
  const TensorType& type = *as_tensor(call.type());
  const VarRef result = ctx.alloc(call.type(), call.name());
  ctx.emit(make_nest(type.shape(), [&](const Shape& at) {
    ScalarBuilder builder;
    builder.store(result, builder.constant(type.dtype(), op.value), at);
    return builder.take();
  }));
  return result;
}

}  // namespace

void register_full_like() {
  register_op_class(FullLike::op_class());
  register_typeinfer<FullLike>(infer);
  register_type_relation<FullLike>(
      [](const Call& call, const FullLike&, const std::vector<TypeRef>& types,
         TypeInferContext& ctx) { return broadcast_relation(call, types, ctx); });
  register_access_relation<FullLike>([](const Call& call, const FullLike&, TypeInferContext& ctx) {
    return relation_boundaries(call, ctx);
  });
  register_cost_evaluator<FullLike>([](const Call& call, const FullLike&, CostContext& ctx) {
    Cost cost = pointwise_cost(call, ctx, 0, DType::f32);
    cost.traffic.front() = {};
    return cost;
  });
  register_evaluator<FullLike>(evaluate_full_like);
  register_hir_lowering<FullLike>(lower_full_like);
}

}  // namespace tilefoundry
