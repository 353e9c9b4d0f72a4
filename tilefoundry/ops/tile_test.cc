// The verify rules of tile ops, and their expansion where the operands alias or broadcast.
#include "tilefoundry/ops/tile.h"

#include <gtest/gtest.h>

#include "tilefoundry/ops/binary.h"
#include "tilefoundry/ops/cast.h"
#include "tilefoundry/ops/clamp.h"
#include "tilefoundry/ops/matmul.h"
#include "tilefoundry/ops/mma.h"
#include "tilefoundry/ops/ops_test_support.h"
#include "tilefoundry/ops/reduce.h"
#include "tilefoundry/ops/relu.h"
#include "tilefoundry/ops/rms_norm.h"
#include "tilefoundry/ops/unary.h"
#include "tilefoundry/support/diagnostic.h"

namespace tilefoundry {
namespace {

ExprRef buffer(Shape shape, DType dtype = DType::f32) {
  return Var::make("t", tensor_type(std::move(shape), dtype));
}

// The refusal of a tile op, "" when it is accepted.
std::string tile_refusal(const OpRef& op, std::vector<ExprRef> args) {
  const auto evaluate = Evaluate::make(op, std::move(args));
  const auto* rule = verify_stmt_registry().find<VerifyFn>(op->op_class());
  if (rule == nullptr) return "no rule";
  VerifyContext ctx;
  try {
    (*rule)(*evaluate, ctx);
  } catch (const VerifyError& error) {
    return error.diagnostic().message;
  }
  return "";
}

TEST(TileOps, V60_well_formed_effects_pass) {
  const OpRef add = make_op(TileBinary{.kind = BinaryKind::add});
  EXPECT_EQ(tile_refusal(add, {buffer({4, 1}), buffer({8}), buffer({4, 8})}), "");
  EXPECT_EQ(tile_refusal(add, {buffer({4}), Constant::scalar(DType::f32, 2), buffer({4})}), "");
  EXPECT_EQ(tile_refusal(make_op(TileUnary{.kind = UnaryKind::exp}), {buffer({4}), buffer({4})}),
            "");
  EXPECT_EQ(tile_refusal(make_op(TileCast{}), {buffer({4}), buffer({4}, DType::bf16)}), "");
  EXPECT_EQ(
      tile_refusal(make_op(TileClamp{.min_val = 0, .max_val = 1}), {buffer({4}), buffer({4})}), "");
  EXPECT_EQ(tile_refusal(make_op(TileReLU{}), {buffer({4}), buffer({4})}), "");
  const OpRef sum = make_op(TileReduce{.axes = {1}, .kind = ReduceKind::sum});
  EXPECT_EQ(tile_refusal(sum, {buffer({4, 8}), buffer({4, 1})}), "");
  EXPECT_EQ(tile_refusal(sum, {buffer({4, 8}), buffer({4}), buffer({32})}), "");
  EXPECT_EQ(tile_refusal(make_op(TileRMSNorm{}), {buffer({4, 8}), buffer({4, 8}), buffer({8})}),
            "");
  EXPECT_EQ(
      tile_refusal(make_op(TileMatMul{}), {buffer({2, 4, 8}), buffer({8, 5}), buffer({2, 4, 5})}),
      "");
  EXPECT_EQ(tile_refusal(make_op(TileMatMul{.accumulate = true}),
                         {buffer({4, 8}, DType::bf16), buffer({8, 5}, DType::bf16),
                          buffer({4, 5}, DType::f32)}),
            "");
  EXPECT_EQ(tile_refusal(make_op(Mma{}), {buffer({16, 8}), buffer({16, 16}, DType::f16),
                                          buffer({16, 8}, DType::f16)}),
            "");
}

TEST(TileOps, refusals) {
  const OpRef add = make_op(TileBinary{.kind = BinaryKind::add});
  EXPECT_EQ(tile_refusal(add, {buffer({4}), buffer({4}), buffer({8})}),
            "Evaluate[Binary]: dst has shape (8,), wanted (4,)");
  EXPECT_EQ(tile_refusal(add, {buffer({4}), buffer({4}, DType::i32), buffer({4})}),
            "Evaluate[Binary]: rhs has dtype i32, wanted f32");
  EXPECT_EQ(tile_refusal(make_op(TileBinary{.kind = BinaryKind::cmp_lt}),
                         {buffer({4}), buffer({4}), buffer({4})}),
            "Evaluate[Binary]: dst has dtype f32, wanted bool");
  EXPECT_EQ(tile_refusal(add, {buffer({4}), buffer({4}), Constant::scalar(DType::f32, 2)}),
            "Evaluate[Binary]: dst must be the name of a buffer, not a Constant");
  EXPECT_NE(
      tile_refusal(make_op(TileReLU{}), {buffer({4}, DType::boolean), buffer({4}, DType::boolean)}),
      "");
  EXPECT_NE(tile_refusal(make_op(TileReduce{.axes = {2}, .kind = ReduceKind::sum}),
                         {buffer({4, 8}), buffer({4, 1})}),
            "");
  EXPECT_EQ(tile_refusal(make_op(TileReduce{.axes = {1}, .kind = ReduceKind::sum}),
                         {buffer({4, 8}), buffer({8})}),
            "Evaluate[Reduce]: dst has shape (8,), wanted (4,)");
  EXPECT_NE(tile_refusal(make_op(TileRMSNorm{}), {buffer({4, 8}), buffer({4, 8}), buffer({4})}),
            "");
  EXPECT_NE(tile_refusal(make_op(TileMatMul{}), {buffer({4, 8}), buffer({8, 5}), buffer({5, 4})}),
            "");
  EXPECT_NE(tile_refusal(make_op(Mma{}), {buffer({16, 8}), buffer({16, 16}), buffer({8, 16})}), "");
}

TEST(TileOps, an_operand_may_be_the_destination) {
  const VarRef x = Var::make("x", tensor_type({3}, DType::f32));
  std::map<const Var*, HostTensor> buffers{{x.get(), float_tensor(DType::f32, {3}, {-1, 2, -3})}};
  run_statements(Evaluate::make(make_op(TileReLU{}), {x, x}), buffers, {});
  EXPECT_EQ(floats_of(buffers.at(x.get())), (std::vector<double>{0, 2, 0}));
  run_statements(Evaluate::make(make_op(TileBinary{.kind = BinaryKind::sub}),
                                {Constant::scalar(DType::f32, 1), x, x}),
                 buffers, {});
  EXPECT_EQ(floats_of(buffers.at(x.get())), (std::vector<double>{1, -1, 1}));
}

}  // namespace
}  // namespace tilefoundry
