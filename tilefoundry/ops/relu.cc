#include "tilefoundry/ops/relu.h"

#include <fmt/format.h>

#include "tilefoundry/ops/tile.h"

namespace tilefoundry {

const OpClass& TileReLU::op_class() {
  static const OpClass& cls = OpClassBuilder<TileReLU>("ReLU", Dialect::T, "math")
                                  .dsl("relu")
                                  .summary("dst = max(src, 0).")
                                  .input("src")
                                  .input("dst")
                                  .effect()
                                  .build();
  return cls;
}

namespace {

void verify_tile(const Evaluate& evaluate, const TileReLU&, VerifyContext& ctx) {
  const DType dtype = tile_operand(evaluate, 0, ctx, true).dtype();
  if (!unary_accepts(UnaryKind::relu, dtype)) {
    ctx.error(evaluate, fmt::format("relu is not defined on {}, the dtype of src", dtype.name()));
  }
  verify_dtype(evaluate, 1, dtype, ctx);
  verify_broadcast(evaluate, ctx);
}

}  // namespace

void register_relu() {
  register_op_class(TileReLU::op_class());
  register_verify_op<TileReLU>(verify_tile);
  register_tile_expansion<TileReLU>([](const Evaluate& evaluate, const TileReLU&) {
    return expand_pointwise(evaluate, [](ScalarBuilder& builder, const std::vector<ExprRef>& x) {
      return builder.unary(UnaryKind::relu, x[0]);
    });
  });
}

}  // namespace tilefoundry
