#include "tilefoundry/ops/rms_norm.h"

#include <cmath>

#include <fmt/format.h>

#include "tilefoundry/dims/dim_arithmetic.h"
#include "tilefoundry/ops/common.h"
#include "tilefoundry/ops/host_loops.h"
#include "tilefoundry/ops/tile.h"

namespace tilefoundry {

const OpClass& RMSNorm::op_class() {
  static const OpClass& cls = OpClassBuilder<RMSNorm>("RMSNorm", Dialect::tf, "nn")
                                  .dsl("rms_norm")
                                  .summary("x / rms(x) * weight over the last axis.")
                                  .input("x")
                                  .input("weight")
                                  .attr_with_default<&RMSNorm::eps>("eps")
                                  .build();
  return cls;
}

const OpClass& TileRMSNorm::op_class() {
  static const OpClass& cls = OpClassBuilder<TileRMSNorm>("RMSNorm", Dialect::T, "nn")
                                  .dsl("rms_norm")
                                  .summary("dst = src / rms(src) * weight over the last axis.")
                                  .input("src")
                                  .input("dst")
                                  .input("weight")
                                  .attr<&TileRMSNorm::eps>("eps")
                                  .effect()
                                  .build();
  return cls;
}

namespace {

void check_dtypes(DType x, DType weight, const std::string& name, const Fail& fail) {
  if (!x.is_float()) {
    fail(fmt::format("rms_norm is not defined on {}, the dtype of {}", x.name(), name),
         cast_hint(name, DType::f32));
  }
  if (weight != x && weight != DType(DType::f32)) {
    fail(fmt::format("weight has dtype {}, wanted {}", weight.name(), dtype_or_f32(x)),
         cast_hint("weight", x));
  }
}

void check_shapes(const Shape& x, const Shape& weight, const std::string& name, const Fail& fail) {
  if (x.empty()) {
    fail(fmt::format("{} is a scalar; rms_norm needs an axis to normalize over", name), "");
  }
  if (weight.size() != 1 || weight[0] != x.back()) {
    fail(fmt::format("weight has shape {}, wanted ({},), the last extent of {}", shape_text(weight),
                     x.back().text(), name),
         "");
  }
}

TypeRef infer(const Call& call, const RMSNorm&, TypeInferContext& ctx) {
  const DType dtype = operand_dtype(call, 0, ctx);
  check_dtypes(dtype, operand_dtype(call, 1, ctx), "x", fail_at(ctx, call));
  return TensorType::make(result_shape(call, ctx), dtype, nullptr, merge_storage(call, ctx));
}

// Domain (rows..., n, k): element n of a row is made from every element k of it.
AccessRelationResult relation(const Call& call, const RMSNorm&, const std::vector<TypeRef>& types,
                              TypeInferContext& ctx) {
  const auto tensors = tensor_types(call, types, ctx);
  const Shape& x = tensors[0]->shape();
  check_shapes(x, tensors[1]->shape(), "x", fail_at(ctx, call));
  const Shape at = iteration_variables(x.size());
  Shape row = at;
  row.back() = iter(x.size());
  Shape extents = x;
  extents.push_back(x.back());
  return {std::move(extents),
          {BoundaryAccess::of(std::move(row)), BoundaryAccess::of({at.back()}),
           BoundaryAccess::of(at)}};
}

Cost cost(const Call& call, const RMSNorm&, CostContext& ctx) {
  Cost cost = pointwise_cost(call, ctx, 0, DType::f32);
  const std::int64_t work = checked_mul(8, ctx.local_output_numel(call));
  if (work != 0) cost.flops[DType::f32] = work;
  return cost;
}

HostValue evaluate_rms_norm(const Call&, const RMSNorm& op, const std::vector<HostValue>& args,
                            EvaluateContext&) {
  const HostTensor& x = args[0].tensor();
  const HostTensor& weight = args[1].tensor();
  const std::int64_t count = x.shape().back();
  HostTensor result(x.dtype(), x.shape());
  const auto at = [&](std::int64_t i) { return static_cast<float>(x.float_at(i)); };
  for (std::int64_t row = 0; row < x.numel(); row += count) {
    const auto sum = static_cast<float>(pairwise_sum(
        row, row + count, [&](std::int64_t i) { return static_cast<double>(at(i) * at(i)); }));
    const float mean = sum / static_cast<float>(count) + static_cast<float>(op.eps);
    const auto scale = static_cast<float>(1.0 / std::sqrt(static_cast<double>(mean)));
    for (std::int64_t i = 0; i < count; ++i) {
      result.set_float(row + i, at(row + i) * scale * static_cast<float>(weight.float_at(i)));
    }
  }
  return result;
}

VarRef lower_rms_norm(LoweringContext& ctx, const RMSNorm& op, const Call& call) {
  const VarRef src = ctx.lower(call.args()[0]);
  const VarRef weight = ctx.lower(call.args()[1]);
  const VarRef dst = ctx.alloc(call.type(), call.name());
  ctx.emit(Evaluate::make(make_op(TileRMSNorm{.eps = op.eps}), {src, dst, weight}, call.meta()));
  return dst;
}

void verify_tile(const Evaluate& evaluate, const TileRMSNorm&, VerifyContext& ctx) {
  const Fail fail = fail_at(ctx, evaluate);
  const TensorType& src = tile_operand(evaluate, 0, ctx);
  const TensorType& weight = tile_operand(evaluate, 2, ctx);
  check_dtypes(src.dtype(), weight.dtype(), "src", fail);
  check_shapes(src.shape(), weight.shape(), "src", fail);
  verify_dtype(evaluate, 1, src.dtype(), ctx);
  verify_shape(evaluate, 1, src.shape(), ctx);
}

Shape with_last(const Shape& index, const Dim& last) {
  Shape out = index;
  out.push_back(last);
  return out;
}

// rsqrt(sum / count + eps)
ExprRef row_scale(ScalarBuilder& row, const VarRef& acc, const Dim& count, double eps) {
  const ExprRef sum = row.load(acc, {});
  const ExprRef mean = row.binary(BinaryKind::div, sum, count_scalar(row, DType::f32, count));
  return row.unary(UnaryKind::rsqrt,
                   row.binary(BinaryKind::add, mean, row.constant(DType::f32, eps)));
}

StmtRef expand_tile(const Evaluate& evaluate, const TileRMSNorm& op) {
  const VarRef src = tile_buffer(evaluate, 0);
  const VarRef dst = tile_buffer(evaluate, 1);
  const VarRef weight = tile_buffer(evaluate, 2);
  const TensorType& type = *as_tensor(src->type());
  const Dim count = type.shape().back();
  const Shape rows(type.shape().begin(), type.shape().end() - 1);
  const DType f32 = DType::f32;

  return make_nest(rows, [&](const Shape& at) {
    ScalarBuilder row;
    const VarRef acc = make_accumulator(row, row.constant(f32, 0));
    const auto element = [&](ScalarBuilder& builder, const Dim& i) {
      return builder.cast(f32, builder.load(src, with_last(at, i)));
    };
    row.append(BlockItem::of(make_nest(
        {count},
        [&](const Shape& inner) {
          ScalarBuilder builder;
          const ExprRef x = element(builder, inner[0]);
          accumulate(builder, acc, BinaryKind::add, builder.binary(BinaryKind::mul, x, x));
          return builder.take();
        },
        rows.size())));
    const ExprRef scale = row_scale(row, acc, count, op.eps);
    row.append(BlockItem::of(make_nest(
        {count},
        [&](const Shape& inner) {
          ScalarBuilder builder;
          const ExprRef x = element(builder, inner[0]);
          const ExprRef normal = builder.binary(BinaryKind::mul, x, scale);
          const ExprRef w = builder.cast(f32, builder.load(weight, {inner[0]}));
          builder.store(dst, builder.cast(type.dtype(), builder.binary(BinaryKind::mul, normal, w)),
                        with_last(at, inner[0]));
          return builder.take();
        },
        rows.size())));
    return row.take();
  });
}

}  // namespace

void register_rms_norm() {
  register_op_class(RMSNorm::op_class());
  register_typeinfer<RMSNorm>(infer);
  register_type_relation<RMSNorm>(relation);
  register_access_relation<RMSNorm>([](const Call& call, const RMSNorm&, TypeInferContext& ctx) {
    return relation_boundaries(call, ctx);
  });
  register_cost_evaluator<RMSNorm>(cost);
  register_evaluator<RMSNorm>(evaluate_rms_norm);
  register_hir_lowering<RMSNorm>(lower_rms_norm);

  register_op_class(TileRMSNorm::op_class());
  register_verify_op<TileRMSNorm>(verify_tile);
  register_tile_expansion<TileRMSNorm>(expand_tile);
}

}  // namespace tilefoundry
