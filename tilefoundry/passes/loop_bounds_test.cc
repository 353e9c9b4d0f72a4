#include "tilefoundry/passes/loop_bounds.h"

#include <gtest/gtest.h>

#include "tilefoundry/ir/tir/block.h"
#include "tilefoundry/ir/tir/ops.h"
#include "tilefoundry/passes/loop_facts.h"

namespace tilefoundry {
namespace {

VarRef number(const char* name) { return Var::make(name, TensorType::umat_scalar(DType::i64)); }

TEST(LoopBounds, windows_inside_their_axis_need_no_check) {
  const VarRef i = number("i");
  const Dim s = dim_var("LoopBoundsS", 1, 64);
  const auto fits = [&](const Dim& start, const Dim& extent, const Dim& step, const Dim& size,
                        const Dim& axis) {
    const LoopBounds loops{loop_bound(i, start, extent, step)};
    return surely_nonnegative(i->dim(), loops) &&
           surely_nonnegative(axis - 1 - (i->dim() + size - 1), loops);
  };
  EXPECT_TRUE(fits(0, 24, 8, 8, 24));
  EXPECT_TRUE(fits(0, 20, 8, 4, 20));
  EXPECT_FALSE(fits(0, 20, 8, 8, 20));
  EXPECT_FALSE(fits(-1, 20, 1, 1, 20));
  EXPECT_TRUE(fits(0, s, 1, 1, s));
  EXPECT_TRUE(fits(0, s * 8, 8, 8, s * 8));
  EXPECT_FALSE(fits(0, s, 8, 8, s));
  EXPECT_TRUE(fits(0, s, 8, dim_min(i->dim() + 8, s) - i->dim(), s));
}

TEST(LoopBounds, ranges_of_inner_loops_follow_the_outer) {
  const VarRef i = number("i");
  const VarRef j = number("j");
  const LoopBounds loops{loop_bound(i, 0, 4, 1), loop_bound(j, i->dim(), 8, 2)};
  EXPECT_TRUE(surely_nonnegative(j->dim() - i->dim(), loops));
  EXPECT_TRUE(surely_nonnegative(Dim(10) - i->dim() - j->dim(), loops));
  EXPECT_FALSE(surely_nonnegative(Dim(9) - i->dim() - j->dim(), loops));
  EXPECT_TRUE(surely_nonnegative(Dim(3) - floordiv(j->dim(), 2), loops));
  EXPECT_FALSE(surely_nonnegative(Dim(2) - floordiv(j->dim(), 2), loops));
}

TEST(LoopBounds, the_largest_extent_of_a_partial_window) {
  const VarRef i = number("i");
  const LoopBounds loops{loop_bound(i, 0, 20, 8)};
  const auto most = greatest(dim_min(i->dim() + 8, 20) - i->dim(), loops);
  ASSERT_TRUE(most);
  EXPECT_TRUE(most->is(8));
  EXPECT_TRUE(greatest(i->dim() + 1, loops)->is(17));
  EXPECT_FALSE(greatest(number("n")->dim(), loops)->is_static());
}

// for i: v = view(x, 0); v[i] -- and the same with a view that moves against the index.
TEST(LoopFacts, a_view_made_in_a_trip_is_not_the_trips_own) {
  const VarRef x = Var::make("x", TensorType::make({8}, DType::f32));
  const auto loop = [&](const Dim& start, const Dim& index, const VarRef& i) {
    ExprRef value = tensor_view(x, {start}, {8});
    const VarRef view = Var::make("v", value->type());
    const Block body{BlockItem::let(view, value),
                     BlockItem::of(store(view, Constant::scalar(DType::f32, 1), {index}))};
    return For::make(i, 0, 8, 1, make_block(body));
  };
  const VarRef i = loop_var("i");
  const StmtRef fixed = loop(0, 3, i);
  EXPECT_FALSE(independent_trips(*stmt_cast<For>(fixed), BufferAliases(fixed)));
  const VarRef k = loop_var("k");
  const StmtRef against = loop(Dim(7) - k->dim(), k->dim(), k);
  EXPECT_FALSE(independent_trips(*stmt_cast<For>(against), BufferAliases(against)));
}

}  // namespace
}  // namespace tilefoundry
