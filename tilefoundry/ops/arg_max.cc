#include "tilefoundry/ops/arg_max.h"

#include <limits>

#include <fmt/format.h>

#include "tilefoundry/ops/axes.h"
#include "tilefoundry/ops/ranking.h"
#include "tilefoundry/ops/tile.h"
#include "tilefoundry/ops/views.h"

namespace tilefoundry {

const OpClass& ArgMax::op_class() {
  static const OpClass& cls = OpClassBuilder<ArgMax>("ArgMax", Dialect::tf, "math")
                                  .summary("The place of the largest element of an axis.")
                                  .dsl("argmax")
                                  .input("x")
                                  .attr_with_default<&ArgMax::axis>("axis")
                                  .build();
  return cls;
}

namespace {

constexpr const char* kEmpty = "argmax of an axis without elements";

AccessRelationResult relation(const Call& call, const ArgMax& op, const std::vector<TypeRef>& types,
                              TypeInferContext& ctx) {
  const Shape& x = tensor_types(call, types, ctx)[0]->shape();
  const std::size_t axis = normalize_axis(op.axis, x.size(), fail_at(ctx, call));
  if (x[axis].is(0)) ctx.error(call, kEmpty, "give it at least one");
  const Shape at = iteration_variables(x.size());
  return {x, {BoundaryAccess::of(at), BoundaryAccess::of(without_axis(at, axis))}};
}

TypeRef infer(const Call& call, const ArgMax&, TypeInferContext& ctx) {
  const TensorType& x = operand_type(call, 0, ctx);
  check_ranked(call, x.dtype(), ctx);
  refuse_sharded(call, x, "x", ctx);
  return TensorType::make(result_shape(call, ctx), DType::i64, nullptr, x.storage());
}

HostValue evaluate_arg_max(const Call& call, const ArgMax& op, const std::vector<HostValue>& args,
                           EvaluateContext& ctx) {
  const HostTensor& x = args[0].tensor();
  const std::size_t axis = axis_at(op.axis, x.shape().size());
  const std::int64_t extent = x.shape()[axis];
  if (extent == 0) ctx.error(call, kEmpty);
  Extents shape = x.shape();
  shape.erase(shape.begin() + static_cast<std::ptrdiff_t>(axis));
  HostTensor result(DType::i64, shape);
  for_each_row(x.shape(), axis, [&](std::int64_t row, std::int64_t base, std::int64_t stride) {
    std::int64_t best = 0;
    for (std::int64_t k = 1; k < extent; ++k) {
      if (ranks_before(x, base + k * stride, base + best * stride, true)) best = k;
    }
    result.set_int(row, best);
  });
  return result;
}

// Two reductions, which run as vectors: the largest value, then the least place that holds it. A
// nan becomes the largest value, and then only a nan differs from itself.
VarRef lower(LoweringContext& ctx, const ArgMax& op, const Call& call) {
  const VarRef x = ctx.lower(call.args()[0]);
  const TensorType& type = *as_tensor(x->type());
  const std::size_t axis = axis_at(op.axis, type.rank());
  const Dim extent = type.shape()[axis];
  const DType dtype = ranking_dtype(type.dtype());
  require_nonnegative(ctx, extent - 1, kEmpty);
  const VarRef result = ctx.alloc(call.type(), call.name());
  const Shape rows = without_axis(type.shape(), axis);
  ctx.emit(make_nest(rows, [&](const Shape& at) {
    ScalarBuilder row;
    const double least = -std::numeric_limits<double>::infinity();
    const VarRef best = make_accumulator(row, row.constant(dtype, least));
    const auto element = [&](ScalarBuilder& builder, const Dim& k) {
      return builder.cast(dtype, builder.load(x, with_axis(at, axis, k)));
    };
    row.append(BlockItem::of(make_nest(
        {extent},
        [&](const Shape& k) {
          ScalarBuilder builder;
          accumulate(builder, best, BinaryKind::max, element(builder, k[0]));
          return builder.take();
        },
        rows.size())));
    const ExprRef largest = row.load(best, {});
    const VarRef place = make_accumulator(row, count_scalar(row, DType::i64, extent));
    row.append(BlockItem::of(make_nest(
        {extent},
        [&](const Shape& k) {
          ScalarBuilder builder;
          const ExprRef value = element(builder, k[0]);
          ExprRef holds = builder.binary(BinaryKind::cmp_eq, value, largest);
          if (dtype.is_float()) {
            holds = builder.binary(BinaryKind::logical_or, holds,
                                   builder.binary(BinaryKind::cmp_ne, value, value));
          }
          accumulate(builder, place, BinaryKind::min,
                     builder.select(holds, scalar_cast(DType::i64, dim_value(k[0])),
                                    count_scalar(builder, DType::i64, extent)));
          return builder.take();
        },
        rows.size())));
    row.store(result, row.load(place, {}), at);
    return row.take();
  }));
  return result;
}

}  // namespace

void register_arg_max() {
  register_op_class(ArgMax::op_class());
  register_typeinfer<ArgMax>(infer);
  register_type_relation<ArgMax>(relation);
  register_access_relation<ArgMax>([](const Call& call, const ArgMax&, TypeInferContext& ctx) {
    return relation_boundaries(call, ctx);
  });
  register_cost_evaluator<ArgMax>(
      [](const Call& call, const ArgMax&, CostContext& ctx) { return ranking_cost(call, ctx); });
  register_evaluator<ArgMax>(evaluate_arg_max);
  register_hir_lowering<ArgMax>(lower);
}

}  // namespace tilefoundry
