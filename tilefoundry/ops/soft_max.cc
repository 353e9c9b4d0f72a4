#include "tilefoundry/ops/soft_max.h"

#include <algorithm>
#include <cmath>
#include <limits>

#include <fmt/format.h>

#include "tilefoundry/dims/dim_arithmetic.h"
#include "tilefoundry/ops/common.h"
#include "tilefoundry/ops/host_loops.h"
#include "tilefoundry/ops/tile.h"

namespace tilefoundry {

const OpClass& SoftMax::op_class() {
  static const OpClass& cls = OpClassBuilder<SoftMax>("SoftMax", Dialect::tf, "nn")
                                  .dsl("softmax")
                                  .summary("exp(x) / sum(exp(x)) over an axis.")
                                  .input("x")
                                  .attr<&SoftMax::axis>("axis")
                                  .build();
  return cls;
}

const OpClass& TileSoftMax::op_class() {
  static const OpClass& cls = OpClassBuilder<TileSoftMax>("SoftMax", Dialect::T, "nn")
                                  .dsl("softmax")
                                  .summary("dst = exp(src) / sum(exp(src)) over an axis.")
                                  .input("src")
                                  .input("dst")
                                  .attr<&TileSoftMax::axis>("axis")
                                  .effect()
                                  .build();
  return cls;
}

namespace {

constexpr double kInfinity = std::numeric_limits<double>::infinity();

void check_dtype(DType dtype, const std::string& name, const Fail& fail) {
  if (dtype.is_float()) return;
  fail(fmt::format("softmax is not defined on {}, the dtype of {}", dtype.name(), name),
       cast_hint(name, DType::f32));
}

TypeRef infer(const Call& call, const SoftMax&, TypeInferContext& ctx) {
  const DType dtype = operand_dtype(call, 0, ctx);
  check_dtype(dtype, "x", fail_at(ctx, call));
  return TensorType::make(result_shape(call, ctx), dtype, nullptr, merge_storage(call, ctx));
}

// Domain (x's axes, k): an element is made from every element k along the axis.
AccessRelationResult relation(const Call& call, const SoftMax& op,
                              const std::vector<TypeRef>& types, TypeInferContext& ctx) {
  const Shape& x = tensor_types(call, types, ctx)[0]->shape();
  const std::size_t axis = normalize_axis(op.axis, x.size(), fail_at(ctx, call));
  const Shape at = iteration_variables(x.size());
  Shape row = at;
  row[axis] = iter(x.size());
  Shape extents = x;
  extents.push_back(x[axis]);
  return {std::move(extents), {BoundaryAccess::of(std::move(row)), BoundaryAccess::of(at)}};
}

Cost cost(const Call& call, const SoftMax&, CostContext& ctx) {
  Cost cost = pointwise_cost(call, ctx, 5, DType::f32);
  add_service(cost, "special", ctx.local_output_numel(call));
  return cost;
}

HostValue evaluate_soft_max(const Call&, const SoftMax& op, const std::vector<HostValue>& args,
                            EvaluateContext&) {
  const HostTensor& x = args[0].tensor();
  const auto rank = static_cast<std::int64_t>(x.shape().size());
  const auto axis = static_cast<std::size_t>(op.axis < 0 ? op.axis + rank : op.axis);
  const std::int64_t count = x.shape()[axis];
  const std::int64_t step = host_strides(x.shape())[axis];
  HostTensor result(x.dtype(), x.shape());
  for (std::int64_t row = 0; count > 0 && row < x.numel() / count; ++row) {
    const std::int64_t first = row / step * step * count + row % step;
    const auto at = [&](std::int64_t k) { return x.float_at(first + k * step); };
    double top = -kInfinity;
    for (std::int64_t k = 0; k < count && !std::isnan(top); ++k) {
      top = std::isnan(at(k)) ? at(k) : std::max(top, at(k));
    }
    const auto weight = [&](std::int64_t k) { return std::exp(at(k) - top); };
    const double sum = pairwise_sum(0, count, weight);
    for (std::int64_t k = 0; k < count; ++k) {
      result.set_float(first + k * step, static_cast<float>(weight(k) / sum));
    }
  }
  return result;
}

VarRef lower_soft_max(LoweringContext& ctx, const SoftMax& op, const Call& call) {
  const VarRef src = ctx.lower(call.args()[0]);
  const VarRef dst = ctx.alloc(call.type(), call.name());
  const auto rank = static_cast<std::int64_t>(as_tensor(call.type())->rank());
  const std::int64_t axis = op.axis < 0 ? op.axis + rank : op.axis;
  ctx.emit(Evaluate::make(make_op(TileSoftMax{.axis = axis}), {src, dst}, call.meta()));
  return dst;
}

void verify_tile(const Evaluate& evaluate, const TileSoftMax& op, VerifyContext& ctx) {
  const Fail fail = fail_at(ctx, evaluate);
  const TensorType& src = tile_operand(evaluate, 0, ctx);
  check_dtype(src.dtype(), "src", fail);
  normalize_axis(op.axis, src.rank(), fail);
  verify_dtype(evaluate, 1, src.dtype(), ctx);
  verify_shape(evaluate, 1, src.shape(), ctx);
}

// --- loop nests ---

VarRef local_buffer(ScalarBuilder& builder, const char* name, Shape shape) {
  const TensorTypeRef type =
      TensorType::make(std::move(shape), DType::f32, nullptr, StorageKind::rmem);
  VarRef buffer = Var::make(name, type);
  builder.append(BlockItem::let(buffer, alloc_tensor(type)));
  return buffer;
}

struct Operands {
  VarRef src;
  VarRef dst;
  std::size_t axis;
  const TensorType& type() const { return *as_tensor(src->type()); }
  Dim count() const { return type().shape()[axis]; }
  ExprRef element(ScalarBuilder& builder, const Shape& index) const {
    return builder.cast(DType::f32, builder.load(src, index));
  }
  void put(ScalarBuilder& builder, ExprRef value, const Shape& index) const {
    builder.store(dst, builder.cast(type().dtype(), std::move(value)), index);
  }
};

// Along an axis but the last one, neighbouring rows are worked on together, which longer buffers
// than this would push out of the cache.
constexpr std::int64_t kMostKept = 512;

// Whether the exponentials of a row stay in a buffer; else they are computed twice.
bool keeps_exponentials(const Operands& op) {
  if (op.axis + 1 == op.type().rank()) return true;
  return op.count().is_static() && op.count().value() <= kMostKept;
}

// A row along the axis at a time.
StmtRef expand_rows(const Operands& op) {
  const auto axis = static_cast<std::ptrdiff_t>(op.axis);
  Shape rows = op.type().shape();
  rows.erase(rows.begin() + axis);
  const DType f32 = DType::f32;
  return make_nest(rows, [&](const Shape& at) {
    ScalarBuilder row;
    const auto each = [&](const std::function<void(ScalarBuilder&, const Dim&)>& body) {
      row.append(BlockItem::of(make_nest(
          {op.count()},
          [&](const Shape& inner) {
            ScalarBuilder builder;
            body(builder, inner[0]);
            return builder.take();
          },
          rows.size())));
    };
    const auto index = [&](const Dim& k) {
      Shape out = at;
      out.insert(out.begin() + axis, k);
      return out;
    };
    const VarRef most = make_accumulator(row, row.constant(f32, -kInfinity));
    each([&](ScalarBuilder& builder, const Dim& k) {
      accumulate(builder, most, BinaryKind::max, op.element(builder, index(k)));
    });
    const ExprRef top = row.load(most, {});
    const bool keep = keeps_exponentials(op);
    const VarRef weights = keep ? local_buffer(row, "weights", {op.count()}) : nullptr;
    const auto exponential = [&](ScalarBuilder& builder, const Dim& k) {
      const ExprRef x = builder.binary(BinaryKind::sub, op.element(builder, index(k)), top);
      return builder.unary(UnaryKind::exp, x);
    };
    const VarRef sum = make_accumulator(row, row.constant(f32, 0));
    each([&](ScalarBuilder& builder, const Dim& k) {
      const ExprRef weight = exponential(builder, k);
      if (keep) builder.store(weights, weight, {k});
      accumulate(builder, sum, BinaryKind::add, weight);
    });
    const ExprRef scale = row.binary(BinaryKind::div, row.constant(f32, 1), row.load(sum, {}));
    each([&](ScalarBuilder& builder, const Dim& k) {
      const ExprRef weight = keep ? builder.load(weights, {k}) : exponential(builder, k);
      op.put(builder, builder.binary(BinaryKind::mul, weight, scale), index(k));
    });
    return row.take();
  });
}

StmtRef expand_tile(const Evaluate& evaluate, const TileSoftMax& tile) {
  const VarRef src = tile_buffer(evaluate, 0);
  const auto rank = static_cast<std::int64_t>(as_tensor(src->type())->rank());
  const auto axis = static_cast<std::size_t>(tile.axis < 0 ? tile.axis + rank : tile.axis);
  return expand_rows({src, tile_buffer(evaluate, 1), axis});
}

}  // namespace

void register_soft_max() {
  register_op_class(SoftMax::op_class());
  register_typeinfer<SoftMax>(infer);
  register_type_relation<SoftMax>(relation);
  register_access_relation<SoftMax>([](const Call& call, const SoftMax&, TypeInferContext& ctx) {
    return relation_boundaries(call, ctx);
  });
  register_cost_evaluator<SoftMax>(cost);
  register_evaluator<SoftMax>(evaluate_soft_max);
  register_hir_lowering<SoftMax>(lower_soft_max);

  register_op_class(TileSoftMax::op_class());
  register_verify_op<TileSoftMax>(verify_tile);
  register_tile_expansion<TileSoftMax>(expand_tile);
}

}  // namespace tilefoundry
