#include "tilefoundry/ops/mma.h"

#include <fmt/format.h>

#include "tilefoundry/ops/tile.h"

namespace tilefoundry {

const OpClass& Mma::op_class() {
  static const OpClass& cls = OpClassBuilder<Mma>("Mma", Dialect::T, "math")
                                  .summary("acc += lhs @ rhs on one tile.")
                                  .input("acc")
                                  .input("lhs")
                                  .input("rhs")
                                  .effect()
                                  .lacks("codegen", "a tile instruction exists on no target yet")
                                  .build();
  return cls;
}

namespace {

void verify_tile(const Evaluate& evaluate, const Mma&, VerifyContext& ctx) {
  const TensorType& lhs = tile_operand(evaluate, 1, ctx);
  const TensorType& rhs = tile_operand(evaluate, 2, ctx);
  if (!lhs.dtype().is_float()) {
    ctx.error(evaluate,
              fmt::format("lhs has dtype {}, wanted f16, bf16 or f32", lhs.dtype().name()));
  }
  verify_dtype(evaluate, 2, lhs.dtype(), ctx);
  verify_dtype(evaluate, 0, DType::f32, ctx);
  if (lhs.rank() != 2 || rhs.rank() != 2 || lhs.shape()[1] != rhs.shape()[0]) {
    ctx.error(evaluate,
              fmt::format("lhs of shape {} and rhs of shape {} do not multiply",
                          shape_text(lhs.shape()), shape_text(rhs.shape())),
              "wanted (M, K) and (K, N)");
  }
  verify_shape(evaluate, 0, {lhs.shape()[0], rhs.shape()[1]}, ctx);
}

}  // namespace

void register_mma() {
  register_op_class(Mma::op_class());
  register_verify_op<Mma>(verify_tile);
}

}  // namespace tilefoundry
