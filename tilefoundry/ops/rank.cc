#include "tilefoundry/ops/rank.h"

#include "tilefoundry/ops/common.h"
#include "tilefoundry/ops/host_loops.h"
#include "tilefoundry/passes/loop_nest.h"

namespace tilefoundry {

const OpClass& Rank::op_class() {
  static const OpClass& cls = OpClassBuilder<Rank>("Rank", Dialect::tf, "shape")
                                  .summary("The number of axes of x.")
                                  .input("x")
                                  .build();
  return cls;
}

namespace {

// No element of x is read, so its access has no form.
AccessRelationResult relation(const Call& call, const Rank&, const std::vector<TypeRef>& types,
                              TypeInferContext& ctx) {
  tensor_types(call, types, ctx);
  return {{}, {BoundaryAccess::opaque_access(), BoundaryAccess::of({})}};
}

TypeRef infer(const Call& call, const Rank&, TypeInferContext& ctx) {
  return TensorType::make(result_shape(call, ctx), DType::i64, nullptr, StorageKind::umat);
}

HostValue evaluate_rank(const Call&, const Rank&, const std::vector<HostValue>& args,
                        EvaluateContext&) {
  const Extents& shape = args[0].tensor().shape();
  HostTensor result(DType::i64, {});
  result.set_int(0, static_cast<std::int64_t>(shape.size()));
  return result;
}

// x is not read, so it is not lowered either.
VarRef lower(LoweringContext& ctx, const Rank&, const Call& call) {
  const Shape& shape = as_tensor(call.args()[0]->type())->shape();
  const VarRef result = ctx.alloc(call.type(), call.name());
  ctx.emit(store(result, dim_value(Dim(static_cast<std::int64_t>(shape.size()))), {}));
  return result;
}

}  // namespace

void register_rank() {
  register_op_class(Rank::op_class());
  register_typeinfer<Rank>(infer);
  register_type_relation<Rank>(relation);
  register_access_relation<Rank>([](const Call& call, const Rank&, TypeInferContext& ctx) {
    return relation_boundaries(call, ctx);
  });
  register_cost_evaluator<Rank>(
      [](const Call& call, const Rank&, CostContext&) { return view_cost(call); });
  register_evaluator<Rank>(evaluate_rank);
  register_hir_lowering<Rank>(lower);
}

}  // namespace tilefoundry
