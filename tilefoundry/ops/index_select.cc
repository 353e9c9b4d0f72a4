#include "tilefoundry/ops/index_select.h"

#include <fmt/format.h>

#include "tilefoundry/ops/axes.h"
#include "tilefoundry/ops/common.h"
#include "tilefoundry/ops/host_loops.h"
#include "tilefoundry/ops/require.h"
#include "tilefoundry/ops/views.h"

namespace tilefoundry {

const OpClass& IndexSelect::op_class() {
  static const OpClass& cls = OpClassBuilder<IndexSelect>("IndexSelect", Dialect::tf, "shape")
                                  .summary("The elements of x that index names along an axis.")
                                  .input("x")
                                  .input("index")
                                  .attr_with_default<&IndexSelect::dim>("dim")
                                  .build();
  return cls;
}

namespace {

std::size_t check_operands(const IndexSelect& op, const TensorType& x, const TensorType& index,
                           const Fail& fail) {
  if (index.rank() != 1) {
    fail(fmt::format("index has shape {}, wanted rank 1", shape_text(index.shape())),
         "reshape index to one axis");
  }
  if (!index.dtype().is_integer()) {
    fail(fmt::format("index has dtype {}", index.dtype().name()), cast_hint("index", DType::i64));
  }
  return normalize_axis(op.dim, x.rank(), fail);
}

AccessRelationResult relation(const Call& call, const IndexSelect& op,
                              const std::vector<TypeRef>& types, TypeInferContext& ctx) {
  const std::vector<const TensorType*> operands = tensor_types(call, types, ctx);
  const std::size_t axis = check_operands(op, *operands[0], *operands[1], fail_at(ctx, call));
  Shape extents = operands[0]->shape();
  extents[axis] = operands[1]->shape()[0];
  const Shape at = iteration_variables(extents.size());
  return {
      extents,
      {BoundaryAccess::opaque_access(), BoundaryAccess::of({at[axis]}), BoundaryAccess::of(at)}};
}

TypeRef infer(const Call& call, const IndexSelect&, TypeInferContext& ctx) {
  Shape shape = result_shape(call, ctx);
  const TensorType& x = operand_type(call, 0, ctx);
  refuse_sharded(call, x, "x", ctx);
  refuse_sharded(call, operand_type(call, 1, ctx), "index", ctx);
  return TensorType::make(std::move(shape), x.dtype(), nullptr, merge_storage(call, ctx));
}

// The rows that are read, not all of x.
Cost cost(const Call& call, const IndexSelect&, CostContext& ctx) {
  Cost cost = pointwise_cost(call, ctx, 0, DType::i64);
  cost.traffic[0].read = ctx.local_output_bytes(call);
  return cost;
}

std::string message(std::size_t axis) {
  return fmt::format("index {{}} at place {{}} lies outside axis {} of extent {{}}", axis);
}

HostValue evaluate_index_select(const Call& call, const IndexSelect& op,
                                const std::vector<HostValue>& args, EvaluateContext& ctx) {
  const HostTensor& x = args[0].tensor();
  const HostTensor& index = args[1].tensor();
  const std::size_t axis = axis_at(op.dim, x.shape().size());
  const std::int64_t extent = x.shape()[axis];
  for (std::int64_t i = 0; i < index.numel(); ++i) {
    const std::int64_t at = index.int_at(i);
    if (at >= 0 && at < extent) continue;
    ctx.error(call, require_text(message(axis), {at, i, extent}));
  }
  Extents shape = x.shape();
  shape[axis] = index.numel();
  HostTensor result(x.dtype(), shape);
  std::int64_t outer = 1;
  std::int64_t inner = 1;
  for (std::size_t k = 0; k < shape.size(); ++k) {
    if (k < axis) outer *= shape[k];
    if (k > axis) inner *= shape[k];
  }
  for (std::int64_t o = 0; o < outer; ++o) {
    for (std::int64_t i = 0; i < index.numel(); ++i) {
      copy_elements(x, (o * extent + index.int_at(i)) * inner, result,
                    (o * index.numel() + i) * inner, inner);
    }
  }
  return result;
}

// A pass over the indices comes first: an index out of range ends the call before any write.
void emit_check(LoweringContext& ctx, const VarRef& index, const Dim& extent, std::size_t axis) {
  const Dim& count = as_tensor(index->type())->shape()[0];
  ctx.emit(make_nest({count}, [&](const Shape& at) {
    ScalarBuilder builder;
    const ExprRef value = builder.load(index, at);
    const ExprRef wide = builder.cast(DType::i64, value);
    const ExprRef low = builder.binary(BinaryKind::cmp_ge, wide, builder.constant(DType::i64, 0));
    const ExprRef high = builder.binary(BinaryKind::cmp_lt, wide, dim_value(extent));
    builder.append(
        BlockItem::of(require(builder.binary(BinaryKind::logical_and, low, high),
                              {wide, dim_value(at[0]), dim_value(extent)}, message(axis))));
    return builder.take();
  }));
}

VarRef lower(LoweringContext& ctx, const IndexSelect& op, const Call& call) {
  const VarRef x = ctx.lower(call.args()[0]);
  const VarRef index = ctx.lower(call.args()[1]);
  const TensorType& type = *as_tensor(call.type());
  const std::size_t axis = axis_at(op.dim, type.rank());
  emit_check(ctx, index, as_tensor(x->type())->shape()[axis], axis);
  const VarRef result = ctx.alloc(call.type(), call.name());
  // The index is loaded in the loop of its own axis.
  const Shape& extents = type.shape();
  const Shape outer(extents.begin(), extents.begin() + static_cast<std::ptrdiff_t>(axis) + 1);
  const Shape inner(extents.begin() + static_cast<std::ptrdiff_t>(axis) + 1, extents.end());
  ctx.emit(make_nest(outer, [&](const Shape& outer_at) {
    ScalarBuilder row;
    const Dim place = as_dim(row.load(index, {outer_at[axis]}));
    row.append(BlockItem::of(make_nest(
        inner,
        [&](const Shape& inner_at) {
          Shape to = outer_at;
          to.insert(to.end(), inner_at.begin(), inner_at.end());
          Shape from = to;
          from[axis] = place;
          ScalarBuilder builder;
          builder.store(result, builder.load(x, from), to);
          return builder.take();
        },
        outer.size())));
    return row.take();
  }));
  return result;
}

}  // namespace

void register_index_select() {
  register_op_class(IndexSelect::op_class());
  register_typeinfer<IndexSelect>(infer);
  register_type_relation<IndexSelect>(relation);
  register_access_relation<IndexSelect>(
      [](const Call& call, const IndexSelect&, TypeInferContext& ctx) {
        return relation_boundaries(call, ctx);
      });
  register_cost_evaluator<IndexSelect>(cost);
  register_evaluator<IndexSelect>(evaluate_index_select);
  register_hir_lowering<IndexSelect>(lower);
}

}  // namespace tilefoundry
