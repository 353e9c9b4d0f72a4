#include "tilefoundry/ops/layer_norm.h"

#include <cmath>

#include <fmt/format.h>

#include "tilefoundry/dims/dim_arithmetic.h"
#include "tilefoundry/ops/common.h"
#include "tilefoundry/ops/host_loops.h"
#include "tilefoundry/ops/tile.h"

namespace tilefoundry {

const OpClass& LayerNorm::op_class() {
  static const OpClass& cls =
      OpClassBuilder<LayerNorm>("LayerNorm", Dialect::tf, "nn")
          .summary("(x - mean) / deviation * weight + bias over the axes from `axis` on.")
          .input("x")
          .input("weight")
          .input("bias")
          .attr<&LayerNorm::axis>("axis")
          .attr<&LayerNorm::eps>("eps")
          .build();
  return cls;
}

const OpClass& TileLayerNorm::op_class() {
  static const OpClass& cls =
      OpClassBuilder<TileLayerNorm>("LayerNorm", Dialect::T, "nn")
          .summary("dst = (src - mean) / deviation * weight + bias over the axes from `axis` on.")
          .input("src")
          .input("dst")
          .input("weight")
          .input("bias")
          .attr<&TileLayerNorm::axis>("axis")
          .attr<&TileLayerNorm::eps>("eps")
          .effect()
          .build();
  return cls;
}

namespace {

void check_dtype(DType x, const std::string& name, const Fail& fail) {
  if (x.is_float()) return;
  fail(fmt::format("layer_norm is not defined on {}, the dtype of {}", x.name(), name),
       cast_hint(name, DType::f32));
}

// weight or bias, called `name`, for `x` normalized from `axis` on.
void check_parameter(const TensorType& parameter, const char* name, const TensorType& x,
                     std::size_t axis, const Fail& fail) {
  const DType dtype = parameter.dtype();
  if (dtype != x.dtype() && dtype != DType(DType::f32)) {
    fail(fmt::format("{} has dtype {}, wanted {}", name, dtype.name(), dtype_or_f32(x.dtype())),
         cast_hint(name, x.dtype()));
  }
  const auto first = x.shape().begin() + static_cast<std::ptrdiff_t>(axis);
  const Shape wanted(first, x.shape().end());
  if (parameter.shape() == wanted) return;
  fail(fmt::format("{} has shape {}, wanted {}, the extents that are normalized", name,
                   shape_text(parameter.shape()), shape_text(wanted)),
       "");
}

std::size_t normalized_axis(std::int64_t axis, const TensorType& x, const std::string& name,
                            const Fail& fail) {
  if (x.rank() == 0) {
    fail(fmt::format("{} is a scalar; layer_norm needs an axis to normalize over", name), "");
  }
  return normalize_axis(axis, x.rank(), fail);
}

TypeRef infer(const Call& call, const LayerNorm&, TypeInferContext& ctx) {
  const DType dtype = operand_dtype(call, 0, ctx);
  check_dtype(dtype, "x", fail_at(ctx, call));
  return TensorType::make(result_shape(call, ctx), dtype, nullptr, merge_storage(call, ctx));
}

// Domain (x's axes, one k per normalized axis): an element is made from every element of its row.
AccessRelationResult relation(const Call& call, const LayerNorm& op,
                              const std::vector<TypeRef>& types, TypeInferContext& ctx) {
  const auto tensors = tensor_types(call, types, ctx);
  const Fail fail = fail_at(ctx, call);
  const TensorType& x = *tensors[0];
  const std::size_t axis = normalized_axis(op.axis, x, "x", fail);
  check_parameter(*tensors[1], "weight", x, axis, fail);
  check_parameter(*tensors[2], "bias", x, axis, fail);
  const Shape at = iteration_variables(x.rank());
  Shape row = at;
  Shape parameter;
  Shape extents = x.shape();
  for (std::size_t i = axis; i < x.rank(); ++i) {
    row[i] = iter(x.rank() + i - axis);
    parameter.push_back(at[i]);
    extents.push_back(x.shape()[i]);
  }
  return {std::move(extents),
          {BoundaryAccess::of(std::move(row)), BoundaryAccess::of(parameter),
           BoundaryAccess::of(parameter), BoundaryAccess::of(at)}};
}

Cost cost(const Call& call, const LayerNorm&, CostContext& ctx) {
  return pointwise_cost(call, ctx, 8, DType::f32);
}

// The statistics are f32 numbers with sums in double. The rest of the mean that f32 does not hold
// is a second number.
HostValue evaluate_layer_norm(const Call&, const LayerNorm& op, const std::vector<HostValue>& args,
                              EvaluateContext&) {
  const HostTensor& x = args[0].tensor();
  const HostTensor& weight = args[1].tensor();
  const HostTensor& bias = args[2].tensor();
  const std::int64_t count = weight.numel();
  const auto mean_of = [count](std::int64_t row, const auto& value) {
    const auto sum = static_cast<float>(pairwise_sum(
        row, row + count, [&](std::int64_t i) { return static_cast<double>(value(i)); }));
    return sum / static_cast<float>(count);
  };
  HostTensor result(x.dtype(), x.shape());
  for (std::int64_t row = 0; row < x.numel(); row += count) {
    const auto at = [&](std::int64_t i) { return static_cast<float>(x.float_at(i)); };
    const float high = mean_of(row, at);
    const float low = mean_of(row, [&](std::int64_t i) { return at(i) - high; });
    const auto centred = [&](std::int64_t i) { return (at(i) - high) - low; };
    const float variance = mean_of(row, [&](std::int64_t i) { return centred(i) * centred(i); });
    const auto scale = static_cast<float>(
        1.0 / std::sqrt(static_cast<double>(variance + static_cast<float>(op.eps))));
    for (std::int64_t i = 0; i < count; ++i) {
      const float normal = centred(row + i) * scale * static_cast<float>(weight.float_at(i));
      result.set_float(row + i, normal + static_cast<float>(bias.float_at(i)));
    }
  }
  return result;
}

VarRef lower_layer_norm(LoweringContext& ctx, const LayerNorm& op, const Call& call) {
  const VarRef src = ctx.lower(call.args()[0]);
  const VarRef weight = ctx.lower(call.args()[1]);
  const VarRef bias = ctx.lower(call.args()[2]);
  const VarRef dst = ctx.alloc(call.type(), call.name());
  const auto rank = static_cast<std::int64_t>(as_tensor(call.type())->rank());
  const std::int64_t axis = op.axis < 0 ? op.axis + rank : op.axis;
  ctx.emit(Evaluate::make(make_op(TileLayerNorm{.axis = axis, .eps = op.eps}),
                          {src, dst, weight, bias}, call.meta()));
  return dst;
}

void verify_tile(const Evaluate& evaluate, const TileLayerNorm& op, VerifyContext& ctx) {
  const Fail fail = fail_at(ctx, evaluate);
  const TensorType& src = tile_operand(evaluate, 0, ctx);
  check_dtype(src.dtype(), "src", fail);
  const std::size_t axis = normalized_axis(op.axis, src, "src", fail);
  check_parameter(tile_operand(evaluate, 2, ctx), "weight", src, axis, fail);
  check_parameter(tile_operand(evaluate, 3, ctx), "bias", src, axis, fail);
  verify_dtype(evaluate, 1, src.dtype(), ctx);
  verify_shape(evaluate, 1, src.shape(), ctx);
}

// The loops of one row: each goes over its elements.
class RowLoops {
 public:
  RowLoops(VarRef src, Shape at, Shape extents)
      : src_(std::move(src)), at_(std::move(at)), extents_(std::move(extents)) {}

  ScalarBuilder& row() { return row_; }

  // The element that the loop stands at, in f32.
  ExprRef element(ScalarBuilder& builder, const Shape& inner) const {
    return builder.cast(DType::f32, builder.load(src_, index(inner)));
  }
  Shape index(const Shape& inner) const {
    Shape out = at_;
    out.insert(out.end(), inner.begin(), inner.end());
    return out;
  }

  using Body = std::function<void(ScalarBuilder& builder, const Shape& inner)>;
  void each(const Body& body) {
    row_.append(BlockItem::of(make_nest(
        extents_,
        [&](const Shape& inner) {
          ScalarBuilder builder;
          body(builder, inner);
          return builder.take();
        },
        at_.size())));
  }

  // The mean over the row of a value in f32.
  using Value = std::function<ExprRef(ScalarBuilder& builder, const Shape& inner)>;
  ExprRef mean(const Value& value) {
    const VarRef acc = make_accumulator(row_, row_.constant(DType::f32, 0));
    each([&](ScalarBuilder& builder, const Shape& inner) {
      accumulate(builder, acc, BinaryKind::add, value(builder, inner));
    });
    const ExprRef count = count_scalar(row_, DType::f32, dim_product(extents_));
    return row_.binary(BinaryKind::div, row_.load(acc, {}), count);
  }

 private:
  VarRef src_;
  Shape at_;
  Shape extents_;
  ScalarBuilder row_;
};

StmtRef expand_tile(const Evaluate& evaluate, const TileLayerNorm& op) {
  const VarRef src = tile_buffer(evaluate, 0);
  const VarRef dst = tile_buffer(evaluate, 1);
  const VarRef weight = tile_buffer(evaluate, 2);
  const VarRef bias = tile_buffer(evaluate, 3);
  const TensorType& type = *as_tensor(src->type());
  const auto axis = static_cast<std::ptrdiff_t>(
      op.axis < 0 ? op.axis + static_cast<std::int64_t>(type.rank()) : op.axis);
  const Shape rows(type.shape().begin(), type.shape().begin() + axis);
  const Shape extents(type.shape().begin() + axis, type.shape().end());
  const DType f32 = DType::f32;

  return make_nest(rows, [&](const Shape& at) {
    RowLoops loops(src, at, extents);
    ScalarBuilder& row = loops.row();
    // The mean in two parts: the second one is what rounding took from the first.
    const ExprRef high = loops.mean(
        [&](ScalarBuilder& builder, const Shape& inner) { return loops.element(builder, inner); });
    const auto shifted = [&](ScalarBuilder& builder, const Shape& inner) {
      return builder.binary(BinaryKind::sub, loops.element(builder, inner), high);
    };
    const ExprRef low = loops.mean(shifted);
    const auto centred = [&](ScalarBuilder& builder, const Shape& inner) {
      return builder.binary(BinaryKind::sub, shifted(builder, inner), low);
    };
    const ExprRef variance = loops.mean([&](ScalarBuilder& builder, const Shape& inner) {
      const ExprRef value = centred(builder, inner);
      return builder.binary(BinaryKind::mul, value, value);
    });
    const ExprRef scale = row.unary(
        UnaryKind::rsqrt, row.binary(BinaryKind::add, variance, row.constant(f32, op.eps)));
    loops.each([&](ScalarBuilder& builder, const Shape& inner) {
      const auto parameter = [&](const VarRef& buffer) {
        return builder.cast(f32, builder.load(buffer, inner));
      };
      const ExprRef normal = builder.binary(BinaryKind::mul, centred(builder, inner), scale);
      const ExprRef scaled = builder.binary(BinaryKind::mul, normal, parameter(weight));
      const ExprRef value = builder.binary(BinaryKind::add, scaled, parameter(bias));
      builder.store(dst, builder.cast(type.dtype(), value), loops.index(inner));
    });
    return row.take();
  });
}

}  // namespace

void register_layer_norm() {
  register_op_class(LayerNorm::op_class());
  register_typeinfer<LayerNorm>(infer);
  register_type_relation<LayerNorm>(relation);
  register_access_relation<LayerNorm>(
      [](const Call& call, const LayerNorm&, TypeInferContext& ctx) {
        return relation_boundaries(call, ctx);
      });
  register_cost_evaluator<LayerNorm>(cost);
  register_evaluator<LayerNorm>(evaluate_layer_norm);
  register_hir_lowering<LayerNorm>(lower_layer_norm);

  register_op_class(TileLayerNorm::op_class());
  register_verify_op<TileLayerNorm>(verify_tile);
  register_tile_expansion<TileLayerNorm>(expand_tile);
}

}  // namespace tilefoundry
