#include "tilefoundry/ops/stack.h"

#include <fmt/format.h>

#include "tilefoundry/ops/axes.h"
#include "tilefoundry/ops/common.h"
#include "tilefoundry/ops/host_loops.h"
#include "tilefoundry/ops/views.h"

namespace tilefoundry {

const OpClass& Stack::op_class() {
  static const OpClass& cls = OpClassBuilder<Stack>("Stack", Dialect::tf, "shape")
                                  .summary("Tensors of one shape along a new axis.")
                                  .variadic_input("xs")
                                  .attr<&Stack::axis>("axis")
                                  .build();
  return cls;
}

namespace {

// One shape for all; the axis of the result.
std::size_t check_operands(const Call& call, const Stack& op,
                           const std::vector<const TensorType*>& operands, const Fail& fail) {
  if (operands.empty()) fail("stack needs at least one operand", "");
  const Shape& first = operands.front()->shape();
  for (std::size_t i = 1; i < operands.size(); ++i) {
    const Shape& shape = operands[i]->shape();
    if (shape == first) continue;
    fail(fmt::format("{} of shape {} and {} of shape {} do not stack", operand_name(call, 0),
                     shape_text(first), operand_name(call, i), shape_text(shape)),
         "all shapes must be equal");
  }
  return normalize_axis(op.axis, first.size() + 1, fail);
}

AccessRelationResult relation(const Call& call, const Stack& op, const std::vector<TypeRef>& types,
                              TypeInferContext& ctx) {
  const std::vector<const TensorType*> operands = tensor_types(call, types, ctx);
  const std::size_t axis = check_operands(call, op, operands, fail_at(ctx, call));
  const auto count = static_cast<std::int64_t>(operands.size());
  const Shape at = iteration_variables(operands.front()->rank() + 1);
  const Shape source = without_axis(at, axis);
  std::vector<BoundaryAccess> accesses;
  for (std::int64_t k = 0; k < count; ++k) {
    BoundaryAccess access = BoundaryAccess::of(source);
    if (count > 1) access.guards.push_back({axis, Dim(k), Dim(k + 1)});
    accesses.push_back(std::move(access));
  }
  accesses.push_back(BoundaryAccess::of(at));
  return {with_axis(operands.front()->shape(), axis, Dim(count)), std::move(accesses)};
}

TypeRef infer(const Call& call, const Stack&, TypeInferContext& ctx) {
  Shape shape = result_shape(call, ctx);
  for (std::size_t i = 0; i < call.args().size(); ++i) {
    refuse_sharded(call, operand_type(call, i, ctx), operand_name(call, i), ctx);
  }
  return TensorType::make(std::move(shape), common_dtype(call, 0, ctx), nullptr,
                          merge_storage(call, ctx));
}

HostValue evaluate_stack(const Call&, const Stack& op, const std::vector<HostValue>& args,
                         EvaluateContext&) {
  const std::vector<const HostTensor*> operands = host_operands(args);
  Extents shape = operands.front()->shape();
  const std::size_t axis = axis_at(op.axis, shape.size() + 1);
  std::int64_t inner = 1;
  for (std::size_t k = axis; k < shape.size(); ++k) inner *= shape[k];
  const std::int64_t outer = inner == 0 ? 0 : operands.front()->numel() / inner;
  const auto count = static_cast<std::int64_t>(operands.size());
  shape.insert(shape.begin() + static_cast<std::ptrdiff_t>(axis), count);
  HostTensor result(operands.front()->dtype(), shape);
  for (std::int64_t i = 0; i < outer; ++i) {
    for (std::int64_t k = 0; k < count; ++k) {
      copy_elements(*operands[static_cast<std::size_t>(k)], i * inner, result,
                    (i * count + k) * inner, inner);
    }
  }
  return result;
}

VarRef lower(LoweringContext& ctx, const Stack& op, const Call& call) {
  std::vector<VarRef> sources;
  for (const ExprRef& arg : call.args()) sources.push_back(ctx.lower(arg));
  const VarRef result = ctx.alloc(call.type(), call.name());
  const std::size_t axis = axis_at(op.axis, as_tensor(call.type())->rank());
  for (std::size_t k = 0; k < sources.size(); ++k) {
    const VarRef& source = sources[k];
    ctx.emit(make_nest(as_tensor(source->type())->shape(), [&](const Shape& at) {
      ScalarBuilder builder;
      builder.store(result, builder.load(source, at),
                    with_axis(at, axis, Dim(static_cast<std::int64_t>(k))));
      return builder.take();
    }));
  }
  return result;
}

}  // namespace

void register_stack() {
  register_op_class(Stack::op_class());
  register_typeinfer<Stack>(infer);
  register_type_relation<Stack>(relation);
  register_access_relation<Stack>([](const Call& call, const Stack&, TypeInferContext& ctx) {
    return relation_boundaries(call, ctx);
  });
  register_cost_evaluator<Stack>([](const Call& call, const Stack&, CostContext& ctx) {
    return pointwise_cost(call, ctx, 0, operand_dtype(call, 0, ctx));
  });
  register_evaluator<Stack>(evaluate_stack);
  register_hir_lowering<Stack>(lower);
}

}  // namespace tilefoundry
