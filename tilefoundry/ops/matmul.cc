#include "tilefoundry/ops/matmul.h"

#include <algorithm>

#include <fmt/format.h>

#include "tilefoundry/dims/dim_arithmetic.h"
#include "tilefoundry/ops/common.h"
#include "tilefoundry/ops/host_loops.h"
#include "tilefoundry/ops/tile.h"
#include "tilefoundry/passes/core_lowering.h"
#include "tilefoundry/passes/tile_relation.h"

namespace tilefoundry {

const OpClass& MatMul::op_class() {
  static const OpClass& cls = OpClassBuilder<MatMul>("MatMul", Dialect::tf, "math")
                                  .dsl("matmul")
                                  .summary("Matrix product over the last two axes.")
                                  .input("lhs")
                                  .input("rhs")
                                  .build();
  return cls;
}

const OpClass& TileMatMul::op_class() {
  static const OpClass& cls = OpClassBuilder<TileMatMul>("MatMul", Dialect::T, "math")
                                  .dsl("matmul")
                                  .summary("dst = lhs @ rhs, or dst += lhs @ rhs.")
                                  .input("lhs")
                                  .input("rhs")
                                  .input("dst")
                                  .attr_with_default<&TileMatMul::accumulate>("accumulate")
                                  .effect()
                                  .build();
  return cls;
}

namespace {

struct Product {
  Shape batch;
  Dim m;
  Dim n;
  Dim k;
};

Shape batch_of(const Shape& shape) { return {shape.begin(), shape.end() - 2}; }

void check_matrix(const NamedShape& operand, const Fail& fail) {
  if (operand.shape->size() >= 2) return;
  fail(fmt::format("{} has shape {}; a matrix product needs rank 2 or more", operand.name,
                   shape_text(*operand.shape)),
       fmt::format("give it an axis of extent 1: reshape({}, new_shape=...)", operand.name));
}

Product product_of(const NamedShape& lhs, const NamedShape& rhs, const Fail& fail) {
  check_matrix(lhs, fail);
  check_matrix(rhs, fail);
  const Shape& a = *lhs.shape;
  const Shape& b = *rhs.shape;
  const Dim& k = a.back();
  if (k != b[b.size() - 2]) {
    const bool transposed = k == b.back();
    fail(fmt::format(
             "{} of shape {} and {} of shape {} do not multiply: {} columns against {} rows",
             lhs.name, shape_text(a), rhs.name, shape_text(b), k.text(), b[b.size() - 2].text()),
         transposed ? fmt::format("transpose the last two axes of {} first", rhs.name)
                    : "the last extent of lhs must be the second last one of rhs");
  }
  const Shape batch_a = batch_of(a);
  const Shape batch_b = batch_of(b);
  const Fail fail_batch = [&](const std::string& message, const std::string& hint) {
    fail("batch axes: " + message, hint);
  };
  return {broadcast_shape({{lhs.name, &batch_a}, {rhs.name, &batch_b}}, fail_batch),
          a[a.size() - 2], b.back(), k};
}

void check_dtype(DType dtype, const Fail& fail) {
  if (dtype.is_float() || dtype.is_integer()) return;
  fail(fmt::format("a matrix product is not defined on {}", dtype.name()),
       "cast both operands first: cast(lhs, dtype=\"f32\")");
}

TypeRef infer(const Call& call, const MatMul&, TypeInferContext& ctx) {
  const DType dtype = common_dtype(call, 0, ctx);
  check_dtype(dtype, fail_at(ctx, call));
  return TensorType::make(result_shape(call, ctx), dtype, nullptr, merge_storage(call, ctx));
}

AccessRelationResult product_relation(const Shape& lhs, const Shape& rhs, const Fail& fail) {
  const Product product = product_of({"lhs", &lhs}, {"rhs", &rhs}, fail);
  const std::size_t rank = product.batch.size();
  const Shape batch = iteration_variables(rank);
  const auto access = [&](Shape index, std::size_t row, std::size_t column) {
    index.push_back(iter(rank + row));
    index.push_back(iter(rank + column));
    return BoundaryAccess::of(std::move(index));
  };
  Shape extents = product.batch;
  extents.insert(extents.end(), {product.m, product.n, product.k});
  return {
      std::move(extents),
      {access(broadcast_index(batch_of(lhs), product.batch, batch), 0, 2),
       access(broadcast_index(batch_of(rhs), product.batch, batch), 2, 1), access(batch, 0, 1)}};
}

AccessRelationResult relation(const Call& call, const MatMul&, const std::vector<TypeRef>& types,
                              TypeInferContext& ctx) {
  const auto tensors = tensor_types(call, types, ctx);
  return product_relation(tensors[0]->shape(), tensors[1]->shape(), fail_at(ctx, call));
}

Cost cost(const Call& call, const MatMul&, CostContext& ctx) {
  Cost cost = pointwise_cost(call, ctx, 0, DType::f32);
  const Dim k = as_tensor(ctx.local_type_of(call.args()[0]))->shape().back();
  const std::int64_t work = checked_mul(2, checked_mul(ctx.local_output_numel(call), k.value()));
  const DType dtype = operand_dtype(call, 0, ctx);
  if (work == 0) return cost;
  if (dtype.is_float()) {
    cost.flops[dtype] = work;
  } else {
    add_service(cost, "integer", work);
  }
  return cost;
}

// Sum and product are exact in T, or wrap: T is double or uint64_t.
template <class T, class Load, class Store>
void multiply(const HostTensor& lhs, const HostTensor& rhs, HostTensor& result, Load load,
              Store store) {
  const auto extent = [](const HostTensor& tensor, std::size_t from_end) {
    return tensor.shape()[tensor.shape().size() - from_end];
  };
  const auto batch_shape = [](const HostTensor& tensor) {
    return Extents(tensor.shape().begin(), tensor.shape().end() - 2);
  };
  const std::int64_t m = extent(lhs, 2);
  const std::int64_t k = extent(lhs, 1);
  const std::int64_t n = extent(rhs, 1);
  std::vector<T> right(static_cast<std::size_t>(rhs.numel()));
  for (std::int64_t i = 0; i < rhs.numel(); ++i) right[static_cast<std::size_t>(i)] = load(rhs, i);

  const Extents batch = batch_shape(result);
  std::vector<T> row(static_cast<std::size_t>(n));
  for_each_strided(
      batch,
      {broadcast_strides(batch_shape(lhs), batch), broadcast_strides(batch_shape(rhs), batch)},
      [&](std::int64_t index, const Extents& at) {
        const T* b = right.data() + at[1] * k * n;
        for (std::int64_t i = 0; i < m; ++i) {
          std::fill(row.begin(), row.end(), T(0));
          for (std::int64_t l = 0; l < k; ++l) {
            const T a = load(lhs, (at[0] * m + i) * k + l);
            for (std::int64_t j = 0; j < n; ++j) {
              row[static_cast<std::size_t>(j)] += a * b[l * n + j];
            }
          }
          for (std::int64_t j = 0; j < n; ++j) {
            store(result, (index * m + i) * n + j, row[static_cast<std::size_t>(j)]);
          }
        }
      });
}

HostValue evaluate_matmul(const Call&, const MatMul&, const std::vector<HostValue>& args,
                          EvaluateContext&) {
  const HostTensor& lhs = args[0].tensor();
  const HostTensor& rhs = args[1].tensor();
  const std::size_t batch_rank = std::max(lhs.shape().size(), rhs.shape().size()) - 2;
  Extents shape(batch_rank, 1);
  for (const HostTensor* operand : {&lhs, &rhs}) {
    const std::size_t shift = batch_rank + 2 - operand->shape().size();
    for (std::size_t axis = shift; axis < batch_rank; ++axis) {
      const std::int64_t extent = operand->shape()[axis - shift];
      if (extent != 1) shape[axis] = extent;
    }
  }
  shape.push_back(lhs.shape()[lhs.shape().size() - 2]);
  shape.push_back(rhs.shape().back());
  HostTensor result(lhs.dtype(), shape);
  if (lhs.dtype().is_float()) {
    multiply<double>(
        lhs, rhs, result,
        [](const HostTensor& tensor, std::int64_t i) { return tensor.float_at(i); },
        [](HostTensor& tensor, std::int64_t i, double value) {
          tensor.set_float(i, static_cast<float>(value));
        });
  } else {
    multiply<std::uint64_t>(
        lhs, rhs, result,
        [](const HostTensor& tensor, std::int64_t i) {
          return static_cast<std::uint64_t>(tensor.int_at(i));
        },
        [](HostTensor& tensor, std::int64_t i, std::uint64_t value) {
          tensor.set_int(i, static_cast<std::int64_t>(value));
        });
  }
  return result;
}

VarRef lower_matmul(LoweringContext& ctx, const MatMul&, const Call& call) {
  const VarRef lhs = ctx.lower(call.args()[0]);
  const VarRef rhs = ctx.lower(call.args()[1]);
  const VarRef dst = ctx.alloc(call.type(), call.name());
  ctx.emit(Evaluate::make(make_op(TileMatMul{}), {lhs, rhs, dst}, call.meta()));
  return dst;
}

void verify_tile(const Evaluate& evaluate, const TileMatMul&, VerifyContext& ctx) {
  const TensorType& lhs = tile_operand(evaluate, 0, ctx);
  const TensorType& rhs = tile_operand(evaluate, 1, ctx);
  const Fail fail = fail_at(ctx, evaluate);
  check_dtype(lhs.dtype(), fail);
  verify_dtype(evaluate, 1, lhs.dtype(), ctx);
  const bool wide = lhs.dtype().is_float() && tile_operand(evaluate, 2, ctx).dtype() == DType::f32;
  if (!wide) verify_dtype(evaluate, 2, lhs.dtype(), ctx);
  const Product product = product_of({"lhs", &lhs.shape()}, {"rhs", &rhs.shape()}, fail);
  Shape wanted = product.batch;
  wanted.insert(wanted.end(), {product.m, product.n});
  verify_shape(evaluate, 2, wanted, ctx);
}

TileRelation tile_relation(const Evaluate& evaluate, const TileMatMul&) {
  const Shape& lhs = as_tensor(evaluate.args()[0]->type())->shape();
  const Shape& rhs = as_tensor(evaluate.args()[1]->type())->shape();
  return {product_relation(lhs, rhs, [](const auto&, const auto&) {}), {false, false, true}};
}

}  // namespace

void register_matmul() {
  register_op_class(MatMul::op_class());
  register_typeinfer<MatMul>(infer);
  register_type_relation<MatMul>(relation);
  register_access_relation<MatMul>([](const Call& call, const MatMul&, TypeInferContext& ctx) {
    return relation_boundaries(call, ctx);
  });
  register_cost_evaluator<MatMul>(cost);
  register_evaluator<MatMul>(evaluate_matmul);
  register_hir_lowering<MatMul>(lower_matmul);
  register_strided_use<MatMul>(StridedUse::reads);

  register_op_class(TileMatMul::op_class());
  register_verify_op<TileMatMul>(verify_tile);
  register_tile_relation<TileMatMul>(tile_relation);
}

}  // namespace tilefoundry
