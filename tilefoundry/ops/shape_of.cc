#include "tilefoundry/ops/shape_of.h"

#include "tilefoundry/ops/common.h"
#include "tilefoundry/ops/host_loops.h"
#include "tilefoundry/passes/loop_nest.h"

namespace tilefoundry {

const OpClass& ShapeOf::op_class() {
  static const OpClass& cls = OpClassBuilder<ShapeOf>("ShapeOf", Dialect::tf, "shape")
                                  .summary("The extents of x as an i64 vector.")
                                  .input("x")
                                  .build();
  return cls;
}

namespace {

// No element of x is read, so its access has no form.
AccessRelationResult relation(const Call& call, const ShapeOf&, const std::vector<TypeRef>& types,
                              TypeInferContext& ctx) {
  const Shape& x = tensor_types(call, types, ctx)[0]->shape();
  return {{Dim(static_cast<std::int64_t>(x.size()))},
          {BoundaryAccess::opaque_access(), BoundaryAccess::of(iteration_variables(1))}};
}

TypeRef infer(const Call& call, const ShapeOf&, TypeInferContext& ctx) {
  return TensorType::make(result_shape(call, ctx), DType::i64, nullptr, StorageKind::umat);
}

HostValue evaluate_shape_of(const Call&, const ShapeOf&, const std::vector<HostValue>& args,
                            EvaluateContext&) {
  const Extents& shape = args[0].tensor().shape();
  HostTensor result(DType::i64, {static_cast<std::int64_t>(shape.size())});
  for (std::int64_t axis = 0; axis < result.numel(); ++axis) {
    result.set_int(axis, shape[static_cast<std::size_t>(axis)]);
  }
  return result;
}

// x is not read, so it is not lowered either.
VarRef lower(LoweringContext& ctx, const ShapeOf&, const Call& call) {
  const Shape& shape = as_tensor(call.args()[0]->type())->shape();
  const VarRef result = ctx.alloc(call.type(), call.name());
  for (std::size_t axis = 0; axis < shape.size(); ++axis) {
    ctx.emit(store(result, dim_value(shape[axis]), {Dim(static_cast<std::int64_t>(axis))}));
  }
  return result;
}

}  // namespace

void register_shape_of() {
  register_op_class(ShapeOf::op_class());
  register_typeinfer<ShapeOf>(infer);
  register_type_relation<ShapeOf>(relation);
  register_access_relation<ShapeOf>([](const Call& call, const ShapeOf&, TypeInferContext& ctx) {
    return relation_boundaries(call, ctx);
  });
  register_cost_evaluator<ShapeOf>(
      [](const Call& call, const ShapeOf&, CostContext&) { return view_cost(call); });
  register_evaluator<ShapeOf>(evaluate_shape_of);
  register_hir_lowering<ShapeOf>(lower);
}

}  // namespace tilefoundry
