#include "tilefoundry/ops/reduce.h"

#include <algorithm>
#include <cmath>
#include <limits>

#include <fmt/format.h>

#include "tilefoundry/ops/common.h"
#include "tilefoundry/ops/host_loops.h"
#include "tilefoundry/ops/tile.h"

namespace tilefoundry {

const OpClass& Reduce::op_class() {
  static const OpClass& cls = OpClassBuilder<Reduce>("Reduce", Dialect::tf, "math")
                                  .summary("Sum, mean or maximum over axes.")
                                  .input("x")
                                  .attr<&Reduce::axes>("axes")
                                  .attr_with_default<&Reduce::keepdim>("keepdim")
                                  .attr_with_default<&Reduce::kind>("kind")
                                  .build();
  return cls;
}

const OpClass& TileReduce::op_class() {
  static const OpClass& cls = OpClassBuilder<TileReduce>("Reduce", Dialect::T, "math")
                                  .summary("dst = the reduction of src over axes.")
                                  .input("src")
                                  .input("dst")
                                  .optional_input("workspace")
                                  .attr<&TileReduce::axes>("axes")
                                  .attr<&TileReduce::kind>("kind")
                                  .effect()
                                  .build();
  return cls;
}

namespace {

using AxisMask = std::vector<bool>;

AxisMask reduced_axes(const AttrInts& axes, std::size_t rank, const Fail& fail) {
  AxisMask mask(rank, false);
  for (const std::int64_t axis : axes) {
    const std::size_t position = normalize_axis(axis, rank, fail);
    if (mask[position]) fail(fmt::format("axis {} is named twice in axes", axis), "name it once");
    mask[position] = true;
  }
  return mask;
}

void check_dtype(ReduceKind kind, DType dtype, const std::string& name, const Fail& fail) {
  if (dtype.is_float() || (dtype.is_integer() && kind != ReduceKind::mean)) return;
  const bool mean = kind == ReduceKind::mean;
  fail(fmt::format("{} is not defined on {}, the dtype of {}", enum_name(kind), dtype.name(), name),
       cast_hint(name, dtype.is_bool() && !mean ? DType::i32 : DType::f32));
}

// The index of the result for an index of the operand.
Shape kept_index(const Shape& index, const AxisMask& reduced, bool keepdim) {
  Shape out;
  for (std::size_t axis = 0; axis < index.size(); ++axis) {
    if (!reduced[axis])
      out.push_back(index[axis]);
    else if (keepdim)
      out.emplace_back(0);
  }
  return out;
}

TypeRef infer(const Call& call, const Reduce& op, TypeInferContext& ctx) {
  const DType dtype = operand_dtype(call, 0, ctx);
  check_dtype(op.kind, dtype, "x", fail_at(ctx, call));
  return TensorType::make(result_shape(call, ctx), dtype, nullptr, merge_storage(call, ctx));
}

AccessRelationResult relation(const Call& call, const Reduce& op, const std::vector<TypeRef>& types,
                              TypeInferContext& ctx) {
  const Shape& x = tensor_types(call, types, ctx)[0]->shape();
  const AxisMask reduced = reduced_axes(op.axes, x.size(), fail_at(ctx, call));
  const Shape at = iteration_variables(x.size());
  return {x, {BoundaryAccess::of(at), BoundaryAccess::of(kept_index(at, reduced, op.keepdim))}};
}

Cost cost(const Call& call, const Reduce&, CostContext& ctx) {
  Cost cost = pointwise_cost(call, ctx, 0, DType::f32);
  const std::int64_t work = ctx.local_numel(call.args()[0]);
  const DType dtype = operand_dtype(call, 0, ctx);
  if (work == 0) return cost;
  if (dtype.is_float()) {
    cost.flops[dtype] = work;
  } else {
    add_service(cost, "integer", work);
  }
  return cost;
}

// --- values ---

float reduce_floats(ReduceKind kind, const HostTensor& x, std::int64_t base,
                    const Extents& offsets) {
  const auto count = static_cast<std::int64_t>(offsets.size());
  const auto at = [&](std::int64_t i) {
    return x.float_at(base + offsets[static_cast<size_t>(i)]);
  };
  if (kind == ReduceKind::sum || kind == ReduceKind::mean) {
    const auto sum = static_cast<float>(pairwise_sum(0, count, at));
    return kind == ReduceKind::sum ? sum : sum / static_cast<float>(count);
  }
  double best = kind == ReduceKind::max ? -std::numeric_limits<double>::infinity() : 0.0;
  for (std::int64_t i = 0; i < count; ++i) {
    const double value = kind == ReduceKind::max ? at(i) : std::fabs(at(i));
    if (std::isnan(value)) return static_cast<float>(value);
    best = std::max(best, value);
  }
  return static_cast<float>(best);
}

std::int64_t reduce_ints(ReduceKind kind, const HostTensor& x, std::int64_t base,
                         const Extents& offsets) {
  const bool wide = x.dtype() == DType(DType::i64);
  const std::int64_t least =
      wide ? std::numeric_limits<std::int64_t>::min() : std::numeric_limits<std::int32_t>::min();
  if (kind == ReduceKind::abs_max && offsets.empty()) return 0;
  std::int64_t result = kind == ReduceKind::sum ? 0 : least;
  for (const std::int64_t offset : offsets) {
    std::int64_t value = x.int_at(base + offset);
    if (kind == ReduceKind::sum) {
      result = wrap_add(result, value);
      continue;
    }
    // The magnitude of the least value wraps to itself.
    if (kind == ReduceKind::abs_max && value < 0 && value != least) value = -value;
    result = std::max(result, value);
  }
  return result;
}

HostValue evaluate_reduce(const Call& call, const Reduce& op, const std::vector<HostValue>& args,
                          EvaluateContext& ctx) {
  const HostTensor& x = args[0].tensor();
  const AxisMask reduced = reduced_axes(
      op.axes, x.shape().size(),
      [&](const std::string& message, const std::string&) { ctx.error(call, message); });
  const Extents strides = host_strides(x.shape());
  Extents shape;
  Extents kept;
  Extents kept_strides;
  Extents inner;
  Extents inner_strides;
  for (std::size_t axis = 0; axis < reduced.size(); ++axis) {
    const std::int64_t extent = x.shape()[axis];
    (reduced[axis] ? inner : kept).push_back(extent);
    (reduced[axis] ? inner_strides : kept_strides).push_back(strides[axis]);
    if (!reduced[axis] || op.keepdim) shape.push_back(reduced[axis] ? 1 : extent);
  }
  Extents offsets;
  for_each_strided(inner, {inner_strides},
                   [&](std::int64_t, const Extents& at) { offsets.push_back(at[0]); });
  HostTensor result(x.dtype(), shape);
  for_each_strided(kept, {kept_strides}, [&](std::int64_t i, const Extents& at) {
    if (x.dtype().is_float()) {
      result.set_float(i, reduce_floats(op.kind, x, at[0], offsets));
    } else {
      result.set_int(i, reduce_ints(op.kind, x, at[0], offsets));
    }
  });
  return result;
}

// --- lowering ---

VarRef lower_reduce(LoweringContext& ctx, const Reduce& op, const Call& call) {
  const VarRef src = ctx.lower(call.args()[0]);
  const VarRef dst = ctx.alloc(call.type(), call.name());
  const auto rank = static_cast<std::int64_t>(as_tensor(call.args()[0]->type())->rank());
  AttrInts axes = op.axes;
  for (std::int64_t& axis : axes) axis = axis < 0 ? axis + rank : axis;
  std::sort(axes.begin(), axes.end());
  ctx.emit(Evaluate::make(make_op(TileReduce{.axes = std::move(axes), .kind = op.kind}), {src, dst},
                          call.meta()));
  return dst;
}

void verify_tile(const Evaluate& evaluate, const TileReduce& op, VerifyContext& ctx) {
  const Fail fail = fail_at(ctx, evaluate);
  const TensorType& src = tile_operand(evaluate, 0, ctx);
  check_dtype(op.kind, src.dtype(), "src", fail);
  verify_dtype(evaluate, 1, src.dtype(), ctx);
  const AxisMask reduced = reduced_axes(op.axes, src.rank(), fail);
  const bool keepdim = tile_operand(evaluate, 1, ctx).rank() == src.rank();
  Shape wanted;
  for (std::size_t axis = 0; axis < src.rank(); ++axis) {
    if (!reduced[axis])
      wanted.push_back(src.shape()[axis]);
    else if (keepdim)
      wanted.emplace_back(1);
  }
  verify_shape(evaluate, 1, wanted, ctx);
  if (evaluate.args().size() > 2) tile_operand(evaluate, 2, ctx);
}

double initial_value(ReduceKind kind, DType acc, const Dim& count) {
  const bool maximum =
      kind == ReduceKind::max || (kind == ReduceKind::abs_max && acc.is_integer() && !count.is(0));
  return maximum ? -std::numeric_limits<double>::infinity() : 0.0;
}

// The result of one element from the accumulator.
ExprRef finish(ScalarBuilder& builder, ReduceKind kind, const VarRef& acc, const Dim& count) {
  const DType dtype = as_tensor(acc->type())->dtype();
  ExprRef value = builder.load(acc, {});
  if (kind == ReduceKind::mean) {
    return builder.binary(BinaryKind::div, std::move(value), count_scalar(builder, dtype, count));
  }
  if (kind == ReduceKind::abs_max && dtype.is_integer() && !count.is_static()) {
    ExprRef size = count_scalar(builder, DType::i64, count);
    ExprRef empty =
        builder.binary(BinaryKind::cmp_eq, std::move(size), builder.constant(DType::i64, 0));
    return builder.select(std::move(empty), builder.constant(dtype, 0), std::move(value));
  }
  return value;
}

StmtRef expand_tile(const Evaluate& evaluate, const TileReduce& op) {
  const VarRef src = tile_buffer(evaluate, 0);
  const VarRef dst = tile_buffer(evaluate, 1);
  const TensorType& type = *as_tensor(src->type());
  const AxisMask reduced = reduced_axes(op.axes, type.rank(), [](const auto&, const auto&) {});
  const bool keepdim = as_tensor(dst->type())->rank() == type.rank();
  Shape kept;
  Shape inner;
  for (std::size_t axis = 0; axis < type.rank(); ++axis) {
    (reduced[axis] ? inner : kept).push_back(type.shape()[axis]);
  }
  const DType acc_dtype = type.dtype().is_float() ? DType(DType::f32) : type.dtype();
  const Dim count = dim_product(inner);
  const bool sum = op.kind == ReduceKind::sum || op.kind == ReduceKind::mean;

  return make_nest(kept, [&](const Shape& outer_at) {
    ScalarBuilder row;
    const VarRef acc =
        make_accumulator(row, row.constant(acc_dtype, initial_value(op.kind, acc_dtype, count)));
    const auto full_index = [&](const Shape& inner_at) {
      Shape index;
      std::size_t o = 0;
      std::size_t i = 0;
      for (std::size_t axis = 0; axis < type.rank(); ++axis) {
        index.push_back(reduced[axis] ? inner_at[i++] : outer_at[o++]);
      }
      return index;
    };
    row.append(BlockItem::of(make_nest(
        inner,
        [&](const Shape& inner_at) {
          ScalarBuilder builder;
          ExprRef value = builder.cast(acc_dtype, builder.load(src, full_index(inner_at)));
          if (op.kind == ReduceKind::abs_max) value = builder.unary(UnaryKind::abs, value);
          accumulate(builder, acc, sum ? BinaryKind::add : BinaryKind::max, std::move(value));
          return builder.take();
        },
        kept.size())));
    ExprRef result = row.cast(type.dtype(), finish(row, op.kind, acc, count));
    const Shape zeros(inner.size(), Dim(0));
    row.store(dst, std::move(result), kept_index(full_index(zeros), reduced, keepdim));
    return row.take();
  });
}

}  // namespace

void register_reduce() {
  register_op_class(Reduce::op_class());
  register_typeinfer<Reduce>(infer);
  register_type_relation<Reduce>(relation);
  register_access_relation<Reduce>([](const Call& call, const Reduce&, TypeInferContext& ctx) {
    return relation_boundaries(call, ctx);
  });
  register_cost_evaluator<Reduce>(cost);
  register_evaluator<Reduce>(evaluate_reduce);
  register_hir_lowering<Reduce>(lower_reduce);

  register_op_class(TileReduce::op_class());
  register_verify_op<TileReduce>(verify_tile);
  register_tile_expansion<TileReduce>(expand_tile);
}

}  // namespace tilefoundry
