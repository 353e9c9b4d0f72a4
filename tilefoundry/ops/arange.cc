#include "tilefoundry/ops/arange.h"

#include <limits>

#include <fmt/format.h>

#include "tilefoundry/ops/common.h"
#include "tilefoundry/ops/host_loops.h"
#include "tilefoundry/passes/loop_nest.h"

namespace tilefoundry {

const OpClass& Arange::op_class() {
  static const OpClass& cls = OpClassBuilder<Arange>("Arange", Dialect::tf, "tensor")
                                  .summary("start, start + step, ... in a tensor of rank 1.")
                                  .attr<&Arange::type>("type")
                                  .attr_with_default<&Arange::start>("start")
                                  .attr_with_default<&Arange::step>("step")
                                  .build();
  return cls;
}

namespace {

const TensorType& stated_type(const Call& call, const Arange& op, const TypeInferContext& ctx) {
  const TensorType* type = as_tensor(op.type);
  if (type == nullptr) ctx.error(call, "type must be a tensor type", "write Tensor[(n,), \"i64\"]");
  if (type->rank() != 1) {
    ctx.error(call, fmt::format("arange has rank 1, not the shape {}", shape_text(type->shape())),
              "reshape the result");
  }
  return *type;
}

bool holds(DType dtype, std::int64_t value) {
  return dtype == DType::i64 || (value >= std::numeric_limits<std::int32_t>::min() &&
                                 value <= std::numeric_limits<std::int32_t>::max());
}

TypeRef infer(const Call& call, const Arange& op, TypeInferContext& ctx) {
  const TensorType& type = stated_type(call, op, ctx);
  const DType dtype = type.dtype();
  if (!dtype.is_integer()) {
    ctx.error(call, fmt::format("arange is not defined for dtype {}", dtype.name()),
              fmt::format("use i64 and cast the result: cast(..., dtype=\"{}\")", dtype.name()));
  }
  // Of the longest result that the extent allows.
  const std::int64_t extent = dim_bounds(type.shape()[0]).hi.value_or(0);
  std::int64_t last = 0;
  const bool overflows = extent > 0 && (__builtin_mul_overflow(extent - 1, op.step, &last) ||
                                        __builtin_add_overflow(last, op.start, &last) ||
                                        !holds(dtype, last) || !holds(dtype, op.start));
  if (overflows) {
    ctx.error(call,
              fmt::format("{} values from {} with step {} leave the range of {}", extent, op.start,
                          op.step, dtype.name()),
              dtype == DType::i32 ? "use i64" : "");
  }
  return op.type;
}

AccessRelationResult relation(const Call& call, const Arange& op, const std::vector<TypeRef>&,
                              TypeInferContext& ctx) {
  return {stated_type(call, op, ctx).shape(), {BoundaryAccess::of(iteration_variables(1))}};
}

Cost cost(const Call& call, const Arange&, CostContext& ctx) {
  return pointwise_cost(call, ctx, 1, DType::i64);
}

HostValue evaluate_arange(const Call&, const Arange& op, const std::vector<HostValue>&,
                          EvaluateContext& ctx) {
  HostTensor result = ctx.zeros_like(op.type);
  for (std::int64_t i = 0; i < result.numel(); ++i) {
    result.set_int(i, wrap_add(op.start, wrap_mul(i, op.step)));
  }
  return result;
}

VarRef lower_arange(LoweringContext& ctx, const Arange& op, const Call& call) {
  const TensorType& type = *as_tensor(call.type());
  const VarRef result = ctx.alloc(call.type(), call.name());
  ctx.emit(make_nest(type.shape(), [&](const Shape& at) {
    ScalarBuilder builder;
    ExprRef value = dim_value(Dim(op.start) + at[0] * Dim(op.step));
    builder.store(result, builder.cast(type.dtype(), std::move(value)), at);
    return builder.take();
  }));
  return result;
}

}  // namespace

void register_arange() {
  register_op_class(Arange::op_class());
  register_typeinfer<Arange>(infer);
  register_type_relation<Arange>(relation);
  register_access_relation<Arange>([](const Call& call, const Arange&, TypeInferContext& ctx) {
    return relation_boundaries(call, ctx);
  });
  register_cost_evaluator<Arange>(cost);
  register_evaluator<Arange>(evaluate_arange);
  register_hir_lowering<Arange>(lower_arange);
}

}  // namespace tilefoundry
