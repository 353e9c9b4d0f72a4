#include "tilefoundry/ops/top_k.h"

#include <algorithm>
#include <numeric>

#include <fmt/format.h>

#include "tilefoundry/ops/axes.h"
#include "tilefoundry/ops/ranking.h"
#include "tilefoundry/ops/require.h"
#include "tilefoundry/ops/tile.h"
#include "tilefoundry/ops/views.h"
#include "tilefoundry/ops/windows.h"
#include "tilefoundry/passes/core_lowering.h"

namespace tilefoundry {

const OpClass& TopK::op_class() {
  static const OpClass& cls =
      OpClassBuilder<TopK>("TopK", Dialect::tf, "math")
          .summary("The k largest or smallest elements of an axis, and where they are.")
          .dsl("topk")
          .input("x")
          .attr<&TopK::k>("k")
          .attr_with_default<&TopK::axis>("axis")
          .attr_with_default<&TopK::largest>("largest")
          .attr_with_default<&TopK::sorted>("sorted")
          .build();
  return cls;
}

namespace {

std::string message(std::size_t axis) {
  return fmt::format("k is {{}}, and axis {} of x has {{}} elements", axis);
}

// Each element of a result is made from the whole row of x: an iteration over the results' extents
// and, last, the axis of x.
AccessRelationResult relation(const Call& call, const TopK& op, const std::vector<TypeRef>& types,
                              TypeInferContext& ctx) {
  const Shape& x = tensor_types(call, types, ctx)[0]->shape();
  const std::size_t axis = normalize_axis(op.axis, x.size(), fail_at(ctx, call));
  if (surely_outside({0, op.k, x[axis], axis}) || surely_negative(op.k)) {
    ctx.error(
        call,
        fmt::format("k is {}, and axis {} of x has {} elements", op.k.text(), axis, x[axis].text()),
        "k is at most the extent of the axis");
  }
  const Shape at = iteration_variables(x.size());
  Shape extents = x;
  extents[axis] = op.k;
  extents.push_back(x[axis]);
  Shape row = at;
  row[axis] = iter(x.size());
  return {std::move(extents),
          {BoundaryAccess::of(std::move(row)), BoundaryAccess::of(at), BoundaryAccess::of(at)}};
}

TypeRef infer(const Call& call, const TopK&, TypeInferContext& ctx) {
  const TensorType& x = operand_type(call, 0, ctx);
  check_ranked(call, x.dtype(), ctx);
  const Shape shape = result_shape(call, ctx);
  refuse_sharded(call, x, "x", ctx);
  return TupleType::make({TensorType::make(shape, x.dtype(), nullptr, x.storage()),
                          TensorType::make(shape, DType::i64, nullptr, x.storage())});
}

HostValue evaluate_top_k(const Call& call, const TopK& op, const std::vector<HostValue>& args,
                         EvaluateContext& ctx) {
  const HostTensor& x = args[0].tensor();
  const std::size_t axis = axis_at(op.axis, x.shape().size());
  const std::int64_t extent = x.shape()[axis];
  const std::int64_t k = ctx.extent(op.k);
  if (k < 0 || k > extent) ctx.error(call, require_text(message(axis), {k, extent}));
  Extents shape = x.shape();
  shape[axis] = k;
  HostTensor values(x.dtype(), shape);
  HostTensor places(DType::i64, shape);
  Extents order(static_cast<std::size_t>(extent));
  Extents bases;
  Extents targets;
  std::int64_t stride = 1;
  for_each_row(x.shape(), axis, [&](std::int64_t, std::int64_t base, std::int64_t step) {
    bases.push_back(base);
    stride = step;
  });
  for_each_row(shape, axis,
               [&](std::int64_t, std::int64_t base, std::int64_t) { targets.push_back(base); });
  for (std::size_t row = 0; row < bases.size(); ++row) {
    std::iota(order.begin(), order.end(), 0);
    std::stable_sort(order.begin(), order.end(), [&](std::int64_t a, std::int64_t b) {
      return ranks_before(x, bases[row] + a * stride, bases[row] + b * stride, op.largest);
    });
    for (std::int64_t j = 0; j < k; ++j) {
      const std::int64_t at = order[static_cast<std::size_t>(j)];
      copy_elements(x, bases[row] + at * stride, values, targets[row] + j * stride, 1);
      places.set_int(targets[row] + j * stride, at);
    }
  }
  return std::vector<HostValue>{std::move(values), std::move(places)};
}

// --- lowering ---

StmtRef when(ExprRef condition, Block body) {
  return If::make(std::move(condition), make_block(body), nullptr);
}

// Whether `value` ranks before `other`: strictly, so that equals keep their order.
ExprRef before(ScalarBuilder& builder, bool largest, DType dtype, const ExprRef& value,
               const ExprRef& other) {
  const ExprRef a = builder.cast(dtype, value);
  const ExprRef b = builder.cast(dtype, other);
  ExprRef order = builder.binary(largest ? BinaryKind::cmp_gt : BinaryKind::cmp_lt, a, b);
  if (!dtype.is_float()) return order;
  const ExprRef& high = largest ? a : b;
  const ExprRef& low = largest ? b : a;
  const ExprRef nan =
      builder.binary(BinaryKind::logical_and, builder.binary(BinaryKind::cmp_ne, high, high),
                     builder.binary(BinaryKind::cmp_eq, low, low));
  return builder.binary(BinaryKind::logical_or, order, nan);
}

// The sorted results of one row, into which its elements are inserted one by one.
struct Ranks {
  VarRef values;
  VarRef places;
  Shape row;
  std::size_t axis;
  Dim k;
  bool largest;
  DType dtype;

  Shape at(const Dim& rank) const { return with_axis(row, axis, rank); }
};

// One step of an insertion from `rank` towards 0: a worse element before it moves one place on.
Block move_on(const Ranks& ranks, const ExprRef& value, const VarRef& rank, const VarRef& going) {
  ScalarBuilder step;
  step.store(going, step.constant(DType::boolean, 0), {});
  const ExprRef p = step.load(rank, {});
  const Dim here = as_dim(p);
  ScalarBuilder inner;
  const ExprRef other = inner.load(ranks.values, ranks.at(here - 1));
  const ExprRef better = before(inner, ranks.largest, ranks.dtype, value, other);
  ScalarBuilder moving;
  ScalarBuilder kept;
  kept.store(ranks.values, other, ranks.at(here));
  kept.store(ranks.places, kept.load(ranks.places, ranks.at(here - 1)), ranks.at(here));
  moving.append(
      BlockItem::of(when(moving.binary(BinaryKind::cmp_lt, p, dim_value(ranks.k)), kept.take())));
  moving.store(rank, moving.binary(BinaryKind::sub, p, moving.constant(DType::i64, 1)), {});
  moving.store(going, moving.constant(DType::boolean, 1), {});
  inner.append(BlockItem::of(when(better, moving.take())));
  step.append(BlockItem::of(
      when(step.binary(BinaryKind::cmp_gt, p, step.constant(DType::i64, 0)), inner.take())));
  return step.take();
}

Block insert(const Ranks& ranks, const ExprRef& value, const Dim& i, ScalarBuilder builder) {
  const VarRef rank = make_accumulator(builder, dim_value(dim_min(i, ranks.k)));
  const VarRef going = make_accumulator(builder, builder.constant(DType::boolean, 1));
  builder.append(
      BlockItem::of(While::make(load(going, {}), make_block(move_on(ranks, value, rank, going)))));
  const ExprRef p = builder.load(rank, {});
  ScalarBuilder kept;
  kept.store(ranks.values, value, ranks.at(as_dim(p)));
  kept.store(ranks.places, dim_value(i), ranks.at(as_dim(p)));
  builder.append(
      BlockItem::of(when(builder.binary(BinaryKind::cmp_lt, p, dim_value(ranks.k)), kept.take())));
  return builder.take();
}

VarRef lower(LoweringContext& ctx, const TopK& op, const Call& call) {
  const VarRef x = ctx.lower(call.args()[0]);
  const TensorType& type = *as_tensor(x->type());
  const std::size_t axis = axis_at(op.axis, type.rank());
  const Dim extent = type.shape()[axis];
  require_between(ctx, op.k, extent, {op.k, extent}, message(axis));
  const VarRef result = ctx.alloc(call.type(), call.name());
  const VarRef values = core_lowering(ctx).tuple_field(result, 0);
  const VarRef places = core_lowering(ctx).tuple_field(result, 1);
  const Shape rows = without_axis(type.shape(), axis);
  ctx.emit(make_nest(rows, [&](const Shape& at) {
    const Ranks ranks{values, places, at, axis, op.k, op.largest, ranking_dtype(type.dtype())};
    return Block{BlockItem::of(make_nest(
        {extent},
        [&](const Shape& i) {
          ScalarBuilder builder;
          const ExprRef value = builder.load(x, with_axis(at, axis, i[0]));
          return insert(ranks, value, i[0], std::move(builder));
        },
        rows.size()))};
  }));
  return result;
}

}  // namespace

void register_top_k() {
  register_op_class(TopK::op_class());
  register_typeinfer<TopK>(infer);
  register_type_relation<TopK>(relation);
  register_access_relation<TopK>([](const Call& call, const TopK&, TypeInferContext& ctx) {
    return relation_boundaries(call, ctx);
  });
  register_cost_evaluator<TopK>(
      [](const Call& call, const TopK&, CostContext& ctx) { return ranking_cost(call, ctx); });
  register_evaluator<TopK>(evaluate_top_k);
  register_hir_lowering<TopK>(lower);
}

}  // namespace tilefoundry
