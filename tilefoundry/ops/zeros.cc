#include "tilefoundry/ops/zeros.h"

#include <fmt/format.h>

#include "tilefoundry/ops/common.h"
#include "tilefoundry/ops/host_loops.h"
#include "tilefoundry/passes/loop_nest.h"

namespace tilefoundry {

const OpClass& Zeros::op_class() {
  static const OpClass& cls = OpClassBuilder<Zeros>("Zeros", Dialect::tf, "tensor")
                                  .summary("A tensor of zeros of the stated type.")
                                  .attr<&Zeros::type>("type")
                                  .build();
  return cls;
}

namespace {

const TensorType& stated_type(const Call& call, const Zeros& op, const TypeInferContext& ctx) {
  const TensorType* type = as_tensor(op.type);
  if (type == nullptr) ctx.error(call, "type must be a tensor type", "write Tensor[shape, dtype]");
  return *type;
}

TypeRef infer(const Call& call, const Zeros& op, TypeInferContext& ctx) {
  const DType dtype = stated_type(call, op, ctx).dtype();
  if (!dtype.is_float() && !dtype.is_integer() && !dtype.is_bool()) {
    ctx.error(call, fmt::format("zeros is not defined for dtype {}", dtype.name()),
              "use one of f32, f16, bf16, i32, i64, bool");
  }
  return op.type;
}

AccessRelationResult relation(const Call& call, const Zeros& op, const std::vector<TypeRef>&,
                              TypeInferContext& ctx) {
  const Shape& shape = stated_type(call, op, ctx).shape();
  return {shape, {BoundaryAccess::of(iteration_variables(shape.size()))}};
}

VarRef lower_zeros(LoweringContext& ctx, const Zeros&, const Call& call) {
  const DType dtype = as_tensor(call.type())->dtype();
  return lower_pointwise(ctx, call, [dtype](ScalarBuilder& builder, const std::vector<ExprRef>&) {
    return builder.constant(dtype, 0);
  });
}

}  // namespace

void register_zeros() {
  register_op_class(Zeros::op_class());
  register_typeinfer<Zeros>(infer);
  register_type_relation<Zeros>(relation);
  register_access_relation<Zeros>([](const Call& call, const Zeros&, TypeInferContext& ctx) {
    return relation_boundaries(call, ctx);
  });
  register_cost_evaluator<Zeros>([](const Call& call, const Zeros&, CostContext& ctx) {
    return pointwise_cost(call, ctx, 0, DType::f32);
  });
  register_evaluator<Zeros>([](const Call&, const Zeros& op, const std::vector<HostValue>&,
                               EvaluateContext& ctx) { return ctx.zeros_like(op.type); });
  register_hir_lowering<Zeros>(lower_zeros);
}

}  // namespace tilefoundry
