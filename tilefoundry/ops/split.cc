#include "tilefoundry/ops/split.h"

#include <fmt/format.h>

#include "tilefoundry/ops/common.h"
#include "tilefoundry/ops/host_loops.h"
#include "tilefoundry/ops/views.h"
#include "tilefoundry/passes/core_lowering.h"

namespace tilefoundry {

const OpClass& Split::op_class() {
  static const OpClass& cls = OpClassBuilder<Split>("Split", Dialect::tf, "shape")
                                  .summary("Equal parts of x along an axis, as a tuple.")
                                  .input("x")
                                  .attr<&Split::axis>("axis")
                                  .attr<&Split::num_splits>("num_splits")
                                  .build();
  return cls;
}

namespace {

std::size_t check_split(const Split& op, const Shape& shape, const Fail& fail) {
  const std::size_t axis = normalize_axis(op.axis, shape.size(), fail);
  if (op.num_splits < 1) {
    fail(fmt::format("num_splits is {}", op.num_splits), "split into at least one part");
  }
  const Dim rest = mod(shape[axis], Dim(op.num_splits));
  const DimBounds bounds = dim_bounds(rest);
  if (bounds.lo && *bounds.lo > 0) {
    fail(fmt::format("axis {} of extent {} does not divide into {} equal parts", axis,
                     shape[axis].text(), op.num_splits),
         "choose a divisor of the extent");
  }
  return axis;
}

AccessRelationResult relation(const Call& call, const Split& op, const std::vector<TypeRef>& types,
                              TypeInferContext& ctx) {
  const Shape& shape = tensor_types(call, types, ctx)[0]->shape();
  const std::size_t axis = check_split(op, shape, fail_at(ctx, call));
  const Dim part = floordiv(shape[axis], Dim(op.num_splits));
  const Shape at = iteration_variables(shape.size());
  std::vector<BoundaryAccess> accesses{BoundaryAccess::of(at)};
  for (std::int64_t k = 0; k < op.num_splits; ++k) {
    BoundaryAccess access = BoundaryAccess::of(at);
    access.index[axis] = at[axis] - part * Dim(k);
    if (op.num_splits > 1) access.guards.push_back({axis, part * Dim(k), part * Dim(k + 1)});
    accesses.push_back(std::move(access));
  }
  return {shape, std::move(accesses)};
}

TypeRef infer(const Call& call, const Split& op, TypeInferContext& ctx) {
  const TensorType& x = operand_type(call, 0, ctx);
  refuse_sharded(call, x, "x", ctx);
  const auto built = build_relation(call, {ctx.type_of(call.args()[0])}, ctx);
  if (!built) ctx.error(call, "no forward relation is registered, which its typing needs");
  std::vector<TypeRef> parts;
  for (std::size_t k = 1; k < built->accesses().size(); ++k) {
    parts.push_back(TensorType::make(boundary_shape(*built, k), x.dtype(), nullptr, x.storage()));
  }
  check_split(op, x.shape(), fail_at(ctx, call));
  return TupleType::make(std::move(parts));
}

HostValue evaluate_split(const Call& call, const Split& op, const std::vector<HostValue>& args,
                         EvaluateContext& ctx) {
  const HostTensor& x = args[0].tensor();
  const auto rank = static_cast<std::int64_t>(x.shape().size());
  const auto axis = static_cast<std::size_t>(op.axis < 0 ? op.axis + rank : op.axis);
  Extents shape = x.shape();
  const std::int64_t extent = shape[axis];
  if (extent % op.num_splits != 0) {
    ctx.error(call, fmt::format("axis {} of extent {} does not divide into {} equal parts", axis,
                                extent, op.num_splits));
  }
  shape[axis] = extent / op.num_splits;
  std::int64_t outer = 1;
  std::int64_t inner = 1;
  for (std::size_t k = 0; k < shape.size(); ++k) {
    if (k < axis) outer *= shape[k];
    if (k > axis) inner *= shape[k];
  }
  std::vector<HostValue> parts;
  const std::int64_t run = shape[axis] * inner;
  for (std::int64_t k = 0; k < op.num_splits; ++k) {
    HostTensor part(x.dtype(), shape);
    for (std::int64_t i = 0; i < outer; ++i) {
      copy_elements(x, i * extent * inner + k * run, part, i * run, run);
    }
    parts.emplace_back(std::move(part));
  }
  return parts;
}

VarRef lower(LoweringContext& ctx, const Split& op, const Call& call) {
  const VarRef source = ctx.lower(call.args()[0]);
  Shape sizes = as_tensor(source->type())->shape();
  const auto rank = static_cast<std::int64_t>(sizes.size());
  const auto axis = static_cast<std::size_t>(op.axis < 0 ? op.axis + rank : op.axis);
  const Dim extent = sizes[axis];
  sizes[axis] = floordiv(extent, Dim(op.num_splits));
  require_nonnegative(ctx, Dim(0) - mod(extent, Dim(op.num_splits)),
                      fmt::format("axis {} of {} does not divide into {} equal parts", axis,
                                  source->name(), op.num_splits));
  std::vector<VarRef> parts;
  for (std::int64_t k = 0; k < op.num_splits; ++k) {
    Shape starts(sizes.size(), Dim(0));
    starts[axis] = sizes[axis] * Dim(k);
    const std::string hint = call.name().empty() ? "part" : call.name();
    parts.push_back(bind_window(ctx, source, {starts, sizes, AttrInts(sizes.size(), 1)},
                                fmt::format("{}_{}", hint, k)));
  }
  return core_lowering(ctx).bind_tuple(call.type(), std::move(parts));
}

}  // namespace

void register_split() {
  register_op_class(Split::op_class());
  register_typeinfer<Split>(infer);
  register_type_relation<Split>(relation);
  register_access_relation<Split>([](const Call& call, const Split&, TypeInferContext& ctx) {
    return relation_boundaries(call, ctx);
  });
  register_cost_evaluator<Split>(
      [](const Call& call, const Split&, CostContext&) { return view_cost(call); });
  register_evaluator<Split>(evaluate_split);
  register_hir_lowering<Split>(lower);
}

}  // namespace tilefoundry
