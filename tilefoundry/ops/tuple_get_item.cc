#include "tilefoundry/ops/tuple_get_item.h"

#include <fmt/format.h>

#include "tilefoundry/evaluate/evaluator.h"
#include "tilefoundry/ops/common.h"
#include "tilefoundry/passes/core_lowering.h"

namespace tilefoundry {

const OpClass& TupleGetItem::op_class() {
  static const OpClass& cls = OpClassBuilder<TupleGetItem>("TupleGetItem", Dialect::tf, "tuple")
                                  .summary("One field of a tuple.")
                                  .input("tuple_value", InputPattern::tuple)
                                  .attr<&TupleGetItem::index>("index")
                                  .build();
  return cls;
}

namespace {

const TypeRef& field_type(const Call& call, const TupleGetItem& op, const TypeRef& type,
                          const TypeInferContext& ctx) {
  const TupleType* tuple = as_tuple(type);
  if (tuple == nullptr) {
    ctx.error(call, "tuple_value must be a tuple", "use x[...] for a window of a tensor");
  }
  const auto count = static_cast<std::int64_t>(tuple->fields().size());
  if (op.index < 0 || op.index >= count) {
    ctx.error(call,
              fmt::format("index {} is out of range for a tuple of {} fields", op.index, count));
  }
  return tuple->fields()[static_cast<std::size_t>(op.index)];
}

// Every element of the field is read where it lies. A field that is a tuple has no axes of its own.
AccessRelationResult relation(const Call& call, const TupleGetItem& op,
                              const std::vector<TypeRef>& types, TypeInferContext& ctx) {
  const TensorType* tensor = as_tensor(field_type(call, op, types[0], ctx));
  const Shape extents = tensor != nullptr ? tensor->shape() : Shape{};
  const Shape at = iteration_variables(extents.size());
  return {extents, {BoundaryAccess::of(at), BoundaryAccess::of(at)}};
}

}  // namespace

void register_tuple_get_item() {
  register_op_class(TupleGetItem::op_class());
  register_typeinfer<TupleGetItem>(
      [](const Call& call, const TupleGetItem& op, TypeInferContext& ctx) -> TypeRef {
        return field_type(call, op, ctx.type_of(call.args()[0]), ctx);
      });
  register_type_relation<TupleGetItem>(relation);
  register_access_relation<TupleGetItem>(
      [](const Call& call, const TupleGetItem&, TypeInferContext& ctx) {
        return relation_boundaries(call, ctx);
      });
  register_cost_evaluator<TupleGetItem>(
      [](const Call& call, const TupleGetItem&, CostContext&) { return view_cost(call); });
  register_evaluator<TupleGetItem>(
      [](const Call&, const TupleGetItem& op, const std::vector<HostValue>& args,
         EvaluateContext&) { return args[0].fields().at(static_cast<std::size_t>(op.index)); });
  register_hir_lowering<TupleGetItem>(
      [](LoweringContext& ctx, const TupleGetItem& op, const Call& call) {
        return core_lowering(ctx).tuple_field(ctx.lower(call.args()[0]),
                                              static_cast<std::size_t>(op.index));
      });
}

}  // namespace tilefoundry
