#include "tilefoundry/ops/concat.h"

#include <fmt/format.h>

#include "tilefoundry/ops/common.h"
#include "tilefoundry/ops/host_loops.h"
#include "tilefoundry/ops/views.h"

namespace tilefoundry {

const OpClass& Concat::op_class() {
  static const OpClass& cls = OpClassBuilder<Concat>("Concat", Dialect::tf, "shape")
                                  .summary("Tensors one after the other along an axis.")
                                  .variadic_input("xs")
                                  .attr<&Concat::axis>("axis")
                                  .build();
  return cls;
}

namespace {

// Ranks and the extents off the axis agree.
std::size_t check_operands(const Call& call, const Concat& op,
                           const std::vector<const TensorType*>& operands, const Fail& fail) {
  if (operands.empty()) fail("concat needs at least one operand", "");
  const Shape& first = operands.front()->shape();
  const std::size_t axis = normalize_axis(op.axis, first.size(), fail);
  for (std::size_t i = 1; i < operands.size(); ++i) {
    const Shape& shape = operands[i]->shape();
    bool agrees = shape.size() == first.size();
    for (std::size_t k = 0; agrees && k < shape.size(); ++k) {
      agrees = k == axis || shape[k] == first[k];
    }
    if (agrees) continue;
    fail(fmt::format("{} of shape {} and {} of shape {} do not line up along axis {}",
                     operand_name(call, 0), shape_text(first), operand_name(call, i),
                     shape_text(shape), axis),
         "all extents but the one of the axis must be equal");
  }
  return axis;
}

AccessRelationResult relation(const Call& call, const Concat& op, const std::vector<TypeRef>& types,
                              TypeInferContext& ctx) {
  const std::vector<const TensorType*> operands = tensor_types(call, types, ctx);
  const std::size_t axis = check_operands(call, op, operands, fail_at(ctx, call));
  Shape extents = operands.front()->shape();
  const Shape at = iteration_variables(extents.size());
  std::vector<BoundaryAccess> accesses;
  Dim offset = 0;
  for (const TensorType* operand : operands) {
    BoundaryAccess access = BoundaryAccess::of(at);
    const Dim end = offset + operand->shape()[axis];
    access.index[axis] = at[axis] - offset;
    if (operands.size() > 1) access.guards.push_back({axis, offset, end});
    accesses.push_back(std::move(access));
    offset = end;
  }
  extents[axis] = offset;
  accesses.push_back(BoundaryAccess::of(at));
  return {std::move(extents), std::move(accesses)};
}

TypeRef infer(const Call& call, const Concat&, TypeInferContext& ctx) {
  Shape shape = result_shape(call, ctx);
  for (std::size_t i = 0; i < call.args().size(); ++i) {
    refuse_sharded(call, operand_type(call, i, ctx), operand_name(call, i), ctx);
  }
  return TensorType::make(std::move(shape), common_dtype(call, 0, ctx), nullptr,
                          merge_storage(call, ctx));
}

HostValue evaluate_concat(const Call& call, const Concat& op, const std::vector<HostValue>& args,
                          EvaluateContext& ctx) {
  const std::vector<const HostTensor*> operands = host_operands(args);
  Extents shape = operands.front()->shape();
  const std::size_t axis = normalize_axis(
      op.axis, shape.size(),
      [&](const std::string& message, const std::string&) { ctx.error(call, message); });
  shape[axis] = 0;
  for (const HostTensor* operand : operands) shape[axis] += operand->shape()[axis];
  HostTensor result(operands.front()->dtype(), shape);
  std::int64_t outer = 1;
  std::int64_t inner = 1;
  for (std::size_t k = 0; k < shape.size(); ++k) {
    if (k < axis) outer *= shape[k];
    if (k > axis) inner *= shape[k];
  }
  std::int64_t done = 0;
  for (const HostTensor* operand : operands) {
    const std::int64_t run = operand->shape()[axis] * inner;
    for (std::int64_t i = 0; i < outer; ++i) {
      copy_elements(*operand, i * run, result, i * shape[axis] * inner + done, run);
    }
    done += run;
  }
  return result;
}

VarRef lower(LoweringContext& ctx, const Concat& op, const Call& call) {
  std::vector<VarRef> sources;
  for (const ExprRef& arg : call.args()) sources.push_back(ctx.lower(arg));
  const VarRef result = ctx.alloc(call.type(), call.name());
  const auto rank = static_cast<std::int64_t>(as_tensor(call.type())->rank());
  const auto axis = static_cast<std::size_t>(op.axis < 0 ? op.axis + rank : op.axis);
  Dim offset = 0;
  for (const VarRef& source : sources) {
    const Shape& shape = as_tensor(source->type())->shape();
    ctx.emit(make_nest(shape, [&](const Shape& iters) {
      Shape at = iters;
      at[axis] = at[axis] + offset;
      ScalarBuilder builder;
      builder.store(result, builder.load(source, iters), at);
      return builder.take();
    }));
    offset = offset + shape[axis];
  }
  return result;
}

}  // namespace

void register_concat() {
  register_op_class(Concat::op_class());
  register_typeinfer<Concat>(infer);
  register_type_relation<Concat>(relation);
  register_access_relation<Concat>([](const Call& call, const Concat&, TypeInferContext& ctx) {
    return relation_boundaries(call, ctx);
  });
  register_cost_evaluator<Concat>([](const Call& call, const Concat&, CostContext& ctx) {
    return pointwise_cost(call, ctx, 0, operand_dtype(call, 0, ctx));
  });
  register_evaluator<Concat>(evaluate_concat);
  register_hir_lowering<Concat>(lower);
}

}  // namespace tilefoundry
