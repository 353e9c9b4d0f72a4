#include "tilefoundry/ops/cache_update.h"

#include <fmt/format.h>

#include "tilefoundry/ops/common.h"
#include "tilefoundry/ops/host_loops.h"
#include "tilefoundry/ops/require.h"
#include "tilefoundry/ops/views.h"
#include "tilefoundry/ops/windows.h"

namespace tilefoundry {

const OpClass& CacheUpdate::op_class() {
  static const OpClass& cls =
      OpClassBuilder<CacheUpdate>("CacheUpdate", Dialect::tf, "shape")
          .summary("cache with the s rows from cur_pos on replaced by the first ones of new.")
          .input("cache")
          .input("cur_pos", InputPattern::scalar)
          .input("s", InputPattern::scalar)
          .input("new")
          .build();
  return cls;
}

namespace {

constexpr std::size_t kRows = 1;  // the axis of the rows

void check_shapes(const TensorType& cache, const TensorType& rows, const Fail& fail) {
  if (cache.dtype() != rows.dtype()) {
    fail(fmt::format("cache has dtype {} and new has dtype {}; they must have one dtype",
                     cache.dtype().name(), rows.dtype().name()),
         cast_hint("new", cache.dtype()));
  }
  bool agrees = cache.rank() == 4 && rows.rank() == 4;
  for (std::size_t axis = 0; agrees && axis < 4; ++axis) {
    agrees = axis == kRows || cache.shape()[axis] == rows.shape()[axis];
  }
  if (agrees) return;
  fail(fmt::format("cache of shape {} and new of shape {} do not line up",
                   shape_text(cache.shape()), shape_text(rows.shape())),
       "cache is (B, len, heads, dim) and new (B, S, heads, dim)");
}

void check_call(const Call& call, const std::vector<TypeRef>& types, const Fail& fail) {
  const TensorType* cache = as_tensor(types[0]);
  const TensorType* rows = as_tensor(types[3]);
  if (cache == nullptr || rows == nullptr) fail("cache and new must be tensors", "");
  check_shapes(*cache, *rows, fail);
  for (const std::size_t i : {1, 2}) {
    if (is_scalar_integer(types[i])) continue;
    fail(fmt::format("{} is not an integer scalar", operand_name(call, i)),
         "it is a Tensor[(), \"i32\"], a number or a dimension");
  }
  const Dim zero = 0;
  const std::optional<Dim> count = coordinate_dim(call.args()[2]);
  const std::optional<Dim> start = coordinate_dim(call.args()[1]);
  const Dim& room = rows->shape()[kRows];
  if (count && surely_outside({zero, *count, room, kRows})) {
    fail(fmt::format("s is {}, and new has {} rows", count->text(), room.text()),
         "s is at most the extent of axis 1 of new");
  }
  if (count && surely_negative(*count)) fail(fmt::format("s is {}", count->text()), "s is a count");
  const Dim size = count.value_or(zero);
  const Dim& length = cache->shape()[kRows];
  if (!start || !surely_outside({*start, size, length, kRows})) return;
  fail(fmt::format("the window of new from {} of size {} lies outside axis {} of extent {}",
                   start->text(), size.text(), kRows, length.text()),
       "the rows must lie within the cache");
}

// The result is the cache, with the rows of the window read from new instead.
AccessRelationResult relation(const Call& call, const CacheUpdate&,
                              const std::vector<TypeRef>& types, TypeInferContext& ctx) {
  check_call(call, types, fail_at(ctx, call));
  const Shape at = iteration_variables(4);
  BoundaryAccess rows = BoundaryAccess::opaque_access();
  const std::optional<Dim> start = coordinate_dim(call.args()[1]);
  const std::optional<Dim> count = coordinate_dim(call.args()[2]);
  if (start && count) {
    rows = BoundaryAccess::of(at);
    rows.index[kRows] = at[kRows] - *start;
    rows.guards.push_back({kRows, *start, *start + *count});
  }
  return {as_tensor(types[0])->shape(),
          {BoundaryAccess::of(at), BoundaryAccess::of({}), BoundaryAccess::of({}), std::move(rows),
           BoundaryAccess::of(at)}};
}

TypeRef infer(const Call& call, const CacheUpdate&, TypeInferContext& ctx) {
  std::vector<TypeRef> types;
  for (const ExprRef& arg : call.args()) types.push_back(ctx.type_of(arg));
  const TensorType& cache = operand_type(call, 0, ctx);
  const TensorType& rows = operand_type(call, 3, ctx);
  check_call(call, types, fail_at(ctx, call));
  refuse_sharded(call, cache, "cache", ctx);
  refuse_sharded(call, rows, "new", ctx);
  check_one_storage(call, {0, 3}, ctx);
  return written_type(cache);
}

// The rows that move: all of new where s is not known.
Cost cost(const Call& call, const CacheUpdate&, CostContext& ctx) {
  Cost cost = view_cost(call);
  std::int64_t window = ctx.local_bytes(call.args()[3]);
  const std::optional<Dim> count = coordinate_dim(call.args()[2]);
  const Dim& rows = as_tensor(ctx.local_type_of(call.args()[3]))->shape()[kRows];
  if (count && count->is_static() && rows.value() > 0) {
    window = window / rows.value() * count->value();
  }
  cost.traffic[0].write = window;
  cost.traffic[3].read = window;
  for (const std::size_t i : {1, 2}) {
    if (!coordinate_dim(call.args()[i])) cost.traffic[i].read = ctx.local_bytes(call.args()[i]);
  }
  return cost;
}

std::string count_message() { return "s is {}, and new has {} rows"; }

HostValue evaluate_cache_update(const Call& call, const CacheUpdate&,
                                const std::vector<HostValue>& args, EvaluateContext& ctx) {
  HostTensor result = cloned(args[0].tensor());
  const HostTensor& rows = args[3].tensor();
  const std::int64_t start = args[1].tensor().int_at(0);
  const std::int64_t count = args[2].tensor().int_at(0);
  const std::int64_t length = result.shape()[kRows];
  const std::int64_t room = rows.shape()[kRows];
  if (count < 0 || count > room) ctx.error(call, require_text(count_message(), {count, room}));
  if (start < 0 || start > length - count) {
    ctx.error(call, require_text(range_message("new", kRows), {start, count, length}));
  }
  const std::int64_t row = result.shape()[2] * result.shape()[3];
  for (std::int64_t batch = 0; batch < result.shape()[0]; ++batch) {
    copy_elements(rows, batch * room * row, result, (batch * length + start) * row, count * row);
  }
  return result;
}

VarRef lower(LoweringContext& ctx, const CacheUpdate&, const Call& call) {
  const VarRef cache = ctx.lower(call.args()[0]);
  const VarRef rows = ctx.lower(call.args()[3]);
  const Dim start = bind_scalar(ctx, call.args()[1], "cur_pos");
  const Dim count = bind_scalar(ctx, call.args()[2], "s");
  Shape sizes = as_tensor(rows->type())->shape();
  const Dim& room = sizes[kRows];
  require_between(ctx, count, room, {count, room}, count_message());
  require_inside(ctx, {start, count, as_tensor(cache->type())->shape()[kRows], kRows}, "new");
  const VarRef result = ctx.alloc(call.type(), call.name());
  ctx.emit(copy(cache, result));
  sizes[kRows] = count;
  emit_window_store(ctx, result, {0, start, 0, 0}, rows, sizes);
  return result;
}

}  // namespace

void register_cache_update() {
  register_op_class(CacheUpdate::op_class());
  register_typeinfer<CacheUpdate>(infer);
  register_type_relation<CacheUpdate>(relation);
  register_access_relation<CacheUpdate>(
      [](const Call& call, const CacheUpdate&, TypeInferContext& ctx) {
        return relation_boundaries(call, ctx);
      });
  register_cost_evaluator<CacheUpdate>(cost);
  register_evaluator<CacheUpdate>(evaluate_cache_update);
  register_hir_lowering<CacheUpdate>(lower);
}

}  // namespace tilefoundry
