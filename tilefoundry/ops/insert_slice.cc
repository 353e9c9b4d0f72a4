#include "tilefoundry/ops/insert_slice.h"

#include <fmt/format.h>

#include "tilefoundry/ops/common.h"
#include "tilefoundry/ops/host_loops.h"
#include "tilefoundry/ops/require.h"
#include "tilefoundry/ops/views.h"
#include "tilefoundry/ops/windows.h"
#include "tilefoundry/passes/lowering_error.h"

namespace tilefoundry {

const OpClass& InsertSlice::op_class() {
  static const OpClass& cls = OpClassBuilder<InsertSlice>("InsertSlice", Dialect::tf, "shape")
                                  .summary("dst with the window at offsets replaced by update.")
                                  .input("dst")
                                  .input("update")
                                  .input("offsets", InputPattern::tuple)
                                  .build();
  return cls;
}

namespace {

AxisRange range_of(const Shape& dst, const Shape& update, const Shape& offsets, std::size_t axis) {
  return {offsets[axis], update[axis], dst[axis], axis};
}

void check_operands(const Call& call, const TensorType& dst, const TensorType& update,
                    const TypeRef& offsets, const Fail& fail) {
  const TupleType* tuple = as_tuple(offsets);
  if (tuple == nullptr) fail("offsets must be a tuple of integer scalars", "write (0, i)");
  if (dst.dtype() != update.dtype()) {
    fail(fmt::format("dst has dtype {} and update has dtype {}; they must have one dtype",
                     dst.dtype().name(), update.dtype().name()),
         cast_hint("update", dst.dtype()));
  }
  const std::size_t rank = dst.rank();
  if (update.rank() != rank) {
    fail(fmt::format("update of shape {} has another rank than dst of shape {}",
                     shape_text(update.shape()), shape_text(dst.shape())),
         "reshape update, with an extent of 1 for each axis that it lacks");
  }
  if (tuple->fields().size() != rank) {
    fail(fmt::format("offsets has {} entries for a value of shape {}", tuple->fields().size(),
                     shape_text(dst.shape())),
         "give one per axis of dst");
  }
  for (std::size_t axis = 0; axis < rank; ++axis) {
    if (is_scalar_integer(tuple->fields()[axis])) continue;
    fail(fmt::format("the offset of axis {} is not an integer scalar", axis),
         "an offset is a rank-0 i32 or i64");
  }
  const std::optional<Shape> starts = coordinate_dims(call.args()[2]);
  for (std::size_t axis = 0; axis < rank; ++axis) {
    // A window at an unknown place must at least fit.
    const AxisRange range =
        range_of(dst.shape(), update.shape(), starts ? *starts : Shape(rank, Dim(0)), axis);
    if (!surely_outside(range)) continue;
    fail(fmt::format("the window of update from {} of size {} lies outside axis {} of extent {}",
                     starts ? range.start.text() : "an offset", range.size.text(), axis,
                     range.extent.text()),
         "a window must lie within its axis");
  }
}

// The result is dst, with the window read from update instead.
AccessRelationResult relation(const Call& call, const InsertSlice&,
                              const std::vector<TypeRef>& types, TypeInferContext& ctx) {
  const TensorType* dst = as_tensor(types[0]);
  const TensorType* update = as_tensor(types[1]);
  if (dst == nullptr || update == nullptr) ctx.error(call, "dst and update must be tensors");
  check_operands(call, *dst, *update, types[2], fail_at(ctx, call));
  const Shape at = iteration_variables(dst->rank());
  BoundaryAccess window = BoundaryAccess::opaque_access();
  if (const std::optional<Shape> starts = coordinate_dims(call.args()[2])) {
    window = BoundaryAccess::of({});
    for (std::size_t axis = 0; axis < at.size(); ++axis) {
      const Dim& start = (*starts)[axis];
      window.index.push_back(at[axis] - start);
      window.guards.push_back({axis, start, start + update->shape()[axis]});
    }
  }
  return {
      dst->shape(),
      {BoundaryAccess::of(at), std::move(window), BoundaryAccess::of({}), BoundaryAccess::of(at)}};
}

TypeRef infer(const Call& call, const InsertSlice&, TypeInferContext& ctx) {
  const TensorType& dst = operand_type(call, 0, ctx);
  const TensorType& update = operand_type(call, 1, ctx);
  check_operands(call, dst, update, ctx.type_of(call.args()[2]), fail_at(ctx, call));
  refuse_sharded(call, dst, "dst", ctx);
  refuse_sharded(call, update, "update", ctx);
  check_one_storage(call, {0, 1}, ctx);
  return written_type(dst);
}

Cost cost(const Call& call, const InsertSlice&, CostContext& ctx) {
  Cost cost = view_cost(call);
  const std::int64_t window = ctx.local_bytes(call.args()[1]);
  cost.traffic[0].write = window;
  cost.traffic[1].read = window;
  if (!coordinate_dims(call.args()[2])) cost.traffic[2].read = ctx.local_bytes(call.args()[2]);
  return cost;
}

HostValue evaluate_insert_slice(const Call& call, const InsertSlice&,
                                const std::vector<HostValue>& args, EvaluateContext& ctx) {
  HostTensor result = cloned(args[0].tensor());
  const HostTensor& update = args[1].tensor();
  const Extents strides = host_strides(result.shape());
  std::int64_t base = 0;
  for (std::size_t axis = 0; axis < strides.size(); ++axis) {
    const std::int64_t start = args[2].fields()[axis].tensor().int_at(0);
    const std::int64_t size = update.shape()[axis];
    const std::int64_t extent = result.shape()[axis];
    if (start < 0 || start > extent - size) {
      ctx.error(call, require_text(range_message("update", axis), {start, size, extent}));
    }
    base += start * strides[axis];
  }
  for_each_strided(update.shape(), {strides}, [&](std::int64_t i, const Extents& at) {
    copy_elements(update, i, result, base + at[0], 1);
  });
  return result;
}

VarRef lower(LoweringContext& ctx, const InsertSlice&, const Call& call) {
  const std::optional<Shape> starts = coordinate_dims(call.args()[2]);
  if (!starts) {
    lowering_error(call, "TF4450",
                   "an offset of this window is computed by an op, which gives a buffer and not an "
                   "address",
                   "use dimension arithmetic over literals and scalar variables for the offset");
  }
  const VarRef dst = ctx.lower(call.args()[0]);
  const VarRef update = ctx.lower(call.args()[1]);
  const Shape& sizes = as_tensor(update->type())->shape();
  const Shape& shape = as_tensor(dst->type())->shape();
  for (std::size_t axis = 0; axis < shape.size(); ++axis) {
    require_inside(ctx, range_of(shape, sizes, *starts, axis), "update");
  }
  const VarRef result = ctx.alloc(call.type(), call.name());
  ctx.emit(copy(dst, result));
  emit_window_store(ctx, result, *starts, update, sizes);
  return result;
}

}  // namespace

void register_insert_slice() {
  register_op_class(InsertSlice::op_class());
  register_typeinfer<InsertSlice>(infer);
  register_type_relation<InsertSlice>(relation);
  register_access_relation<InsertSlice>(
      [](const Call& call, const InsertSlice&, TypeInferContext& ctx) {
        return relation_boundaries(call, ctx);
      });
  register_cost_evaluator<InsertSlice>(cost);
  register_evaluator<InsertSlice>(evaluate_insert_slice);
  register_hir_lowering<InsertSlice>(lower);
}

}  // namespace tilefoundry
