#include "tilefoundry/ops/slice.h"

#include <algorithm>

#include <fmt/format.h>

#include "tilefoundry/ops/common.h"
#include "tilefoundry/ops/host_loops.h"
#include "tilefoundry/ops/views.h"
#include "tilefoundry/ops/windows.h"
#include "tilefoundry/passes/lowering_error.h"

namespace tilefoundry {

const OpClass& Slice::op_class() {
  static const OpClass& cls = OpClassBuilder<Slice>("Slice", Dialect::tf, "shape")
                                  .summary("A rectangular window of x.")
                                  .input("x")
                                  .input("starts", InputPattern::tuple)
                                  .attr<&Slice::sizes>("sizes")
                                  .attr<&Slice::strides>("strides")
                                  .build();
  return cls;
}

namespace {

// The starts of the axes; nothing when any of them is not known as a dimension.
std::optional<Shape> window_starts(const Call& call) { return coordinate_dims(call.args()[1]); }

void check_counts(const Slice& op, const Shape& shape, const TypeRef& starts, const Fail& fail) {
  const TupleType* tuple = as_tuple(starts);
  if (tuple == nullptr) fail("starts must be a tuple of integer scalars", "write (0, i)");
  const std::size_t rank = shape.size();
  const auto check = [&](const char* what, std::size_t count) {
    if (count == rank) return;
    fail(fmt::format("{} has {} entries for a value of shape {}", what, count, shape_text(shape)),
         "give one per axis of x");
  };
  check("starts", tuple->fields().size());
  check("sizes", op.sizes.size());
  check("strides", op.strides.size());
  for (std::size_t axis = 0; axis < rank; ++axis) {
    if (!is_scalar_integer(tuple->fields()[axis])) {
      fail(fmt::format("the start of axis {} is not an integer scalar", axis),
           "a start is a rank-0 i32 or i64");
    }
    if (op.strides[axis] == 0) fail(fmt::format("the stride of axis {} is 0", axis), "");
    if (op.sizes[axis].is_static() && op.sizes[axis].value() < 0) {
      fail(fmt::format("the size of axis {} is {}", axis, op.sizes[axis].value()), "");
    }
  }
}

// The smallest and the largest index that a window touches along an axis; only meant for a size of
// at least 1.
struct Touched {
  Dim lo;
  Dim hi;
};
Touched touched(const Slice& op, const Dim& start, std::size_t axis) {
  const Dim last = start + (op.sizes[axis] - 1) * Dim(op.strides[axis]);
  return op.strides[axis] > 0 ? Touched{start, last} : Touched{last, start};
}

// Refuses windows that lie outside x whatever the dimensions are.
void check_window(const Slice& op, const Shape& shape, const Shape& starts, const Fail& fail) {
  for (std::size_t axis = 0; axis < shape.size(); ++axis) {
    const DimBounds size = dim_bounds(op.sizes[axis]);
    // An empty window may start at the end.
    if (!size.lo || *size.lo < 1) continue;
    const Touched range = touched(op, starts[axis], axis);
    if (!surely_negative(range.lo) && !surely_negative(shape[axis] - 1 - range.hi)) continue;
    fail(
        fmt::format("the window from {} of size {} and stride {} lies outside axis {} of extent {}",
                    starts[axis].text(), op.sizes[axis].text(), op.strides[axis], axis,
                    shape[axis].text()),
        "a window must lie within its axis");
  }
}

AccessRelationResult relation(const Call& call, const Slice& op, const std::vector<TypeRef>& types,
                              TypeInferContext& ctx) {
  const TensorType* x = as_tensor(types[0]);
  if (x == nullptr) ctx.error(call, "x must be a tensor");
  check_counts(op, x->shape(), types[1], fail_at(ctx, call));
  const std::optional<Shape> starts = window_starts(call);
  BoundaryAccess source;
  for (std::size_t axis = 0; axis < x->rank(); ++axis) {
    source.index.push_back(starts ? (*starts)[axis] + iter(axis) * Dim(op.strides[axis]) : Dim(0));
  }
  source.opaque = !starts;
  return {op.sizes,
          {std::move(source), BoundaryAccess::of({}),
           BoundaryAccess::of(iteration_variables(x->rank()))}};
}

bool takes_all(const Slice& op, const Shape& starts, const Shape& shape, std::size_t axis) {
  return starts[axis].is(0) && op.sizes[axis] == shape[axis] && op.strides[axis] == 1;
}

LayoutRef sharded_layout(const Call& call, const Slice& op, const TensorType& x,
                         const Shape& starts, const TypeInferContext& ctx) {
  const auto& shard = static_cast<const ShardLayout&>(*x.layout());
  bool whole = true;
  for (std::size_t axis = 0; axis < x.rank(); ++axis) {
    whole = whole && takes_all(op, starts, x.shape(), axis);
  }
  if (whole) return x.layout();
  const LayoutRef& inner = shard.layout();
  const Layout* plain =
      inner->kind() == LayoutKind::plain ? static_cast<const Layout*>(inner.get()) : nullptr;
  if (plain == nullptr || plain->strides() == nullptr || plain->domain() != x.shape()) {
    ctx.error(call, "x is sharded over a layout whose axes are not those of x",
              "reshard x to a layout with one position per axis first");
  }
  for (const ShardAttr& attr : shard.attrs()) {
    const auto axis = static_cast<std::size_t>(attr.axis);
    if (attr.kind != ShardKind::split || takes_all(op, starts, x.shape(), axis)) continue;
    ctx.error(call, fmt::format("axis {} is split over a mesh and cannot be narrowed", axis),
              "reshard x so that the axis is whole first");
  }
  Shape strides = plain->strides()->flatten();
  for (std::size_t axis = 0; axis < strides.size(); ++axis) {
    strides[axis] = strides[axis] * Dim(op.strides[axis]);
  }
  return ShardLayout::make(Layout::make(op.sizes, strides), shard.attrs(), shard.mesh());
}

// A value with a stated layout gives a window on that layout.
LayoutRef window_layout(const Call& call, const Slice& op, const TensorType& x,
                        const TypeInferContext& ctx) {
  if (!x.layout()) return nullptr;
  const std::optional<Shape> starts = window_starts(call);
  if (!starts) {
    refuse_sharded(call, x, "x", ctx);
    return nullptr;
  }
  if (x.layout()->kind() == LayoutKind::shard) return sharded_layout(call, op, x, *starts, ctx);
  std::optional<Shape> strides = buffer_strides(x);
  if (!strides) return nullptr;
  Dim offset = 0;
  for (std::size_t axis = 0; axis < strides->size(); ++axis) {
    offset = offset + (*starts)[axis] * (*strides)[axis];
    (*strides)[axis] = (*strides)[axis] * Dim(op.strides[axis]);
  }
  return ComposedLayout::make(nullptr, offset, Layout::make(op.sizes, *strides));
}

TypeRef infer(const Call& call, const Slice& op, TypeInferContext& ctx) {
  const TensorType& x = operand_type(call, 0, ctx);
  const Fail fail = fail_at(ctx, call);
  check_counts(op, x.shape(), ctx.type_of(call.args()[1]), fail);
  if (const std::optional<Shape> starts = window_starts(call)) {
    check_window(op, x.shape(), *starts, fail);
  }
  return TensorType::make(result_shape(call, ctx), x.dtype(), window_layout(call, op, x, ctx),
                          x.storage());
}

Cost cost(const Call& call, const Slice&, CostContext& ctx) {
  Cost cost = view_cost(call);
  // Only the scalars that place the window are read.
  if (!window_starts(call)) cost.traffic[1].read = ctx.local_bytes(call.args()[1]);
  return cost;
}

HostValue evaluate_slice(const Call& call, const Slice& op, const std::vector<HostValue>& args,
                         EvaluateContext& ctx) {
  const HostTensor& x = args[0].tensor();
  const Extents sizes = ctx.extents(op.sizes);
  const Extents strides = host_strides(x.shape());
  HostTensor result(x.dtype(), sizes);
  std::int64_t base = 0;
  Extents steps;
  for (std::size_t axis = 0; axis < sizes.size(); ++axis) {
    const std::int64_t start = args[1].fields()[axis].tensor().int_at(0);
    const std::int64_t last = start + (sizes[axis] - 1) * op.strides[axis];
    const std::int64_t extent = x.shape()[axis];
    if (sizes[axis] > 0 && (std::min(start, last) < 0 || std::max(start, last) >= extent)) {
      ctx.error(call, fmt::format("the window from {} to {} lies outside axis {} of extent {}",
                                  start, last, axis, extent));
    }
    base += start * strides[axis];
    steps.push_back(op.strides[axis] * strides[axis]);
  }
  Extents at(sizes.size(), 0);
  for (std::int64_t i = 0; i < result.numel(); ++i) {
    std::int64_t source = base;
    for (std::size_t axis = 0; axis < at.size(); ++axis) source += at[axis] * steps[axis];
    copy_elements(x, source, result, i, 1);
    next_coordinate(at, sizes);
  }
  return result;
}

VarRef lower(LoweringContext& ctx, const Slice& op, const Call& call) {
  const std::optional<Shape> starts = window_starts(call);
  if (!starts) {
    lowering_error(call, "TF4110",
                   "a start of this window is computed by an op, which gives a buffer and not an "
                   "address",
                   "use dimension arithmetic over literals and scalar variables for the start");
  }
  const VarRef source = ctx.lower(call.args()[0]);
  const Shape& shape = as_tensor(source->type())->shape();
  for (std::size_t axis = 0; axis < shape.size(); ++axis) {
    const Touched range = touched(op, (*starts)[axis], axis);
    const DimBounds size = dim_bounds(op.sizes[axis]);
    if (size.hi && *size.hi == 0) continue;
    const std::string message = fmt::format("a window of {} lies outside axis {} of extent {}",
                                            source->name(), axis, shape[axis].text());
    require_nonnegative(ctx, range.lo, message);
    require_nonnegative(ctx, shape[axis] - 1 - range.hi, message);
  }
  return bind_window(ctx, source, {*starts, op.sizes, op.strides}, call.name());
}

}  // namespace

void register_slice() {
  register_op_class(Slice::op_class());
  register_typeinfer<Slice>(infer);
  register_type_relation<Slice>(relation);
  register_access_relation<Slice>([](const Call& call, const Slice&, TypeInferContext& ctx) {
    return relation_boundaries(call, ctx);
  });
  register_cost_evaluator<Slice>(cost);
  register_evaluator<Slice>(evaluate_slice);
  register_hir_lowering<Slice>(lower);
}

}  // namespace tilefoundry
