#include "tilefoundry/layout/layout.h"

#include <gtest/gtest.h>

#include "tilefoundry/support/diagnostic.h"

namespace tilefoundry {
namespace {

TEST(Layout, Equal_layouts_are_one_object) {
  EXPECT_EQ(Layout::make(Shape{4, 8}, Shape{8, 1}), Layout::make(Shape{4, 8}, Shape{8, 1}));
  EXPECT_NE(LayoutRef(Layout::make(Shape{4, 8}, Shape{8, 1})),
            LayoutRef(Layout::make(Shape{4, 8}, Shape{1, 4})));
}

TEST(Layout, Undecided_strides_are_not_rank_zero) {
  const auto undecided = Layout::make(IntTuple(), std::nullopt);
  const auto scalar = Layout::make(Shape{}, Shape{});
  EXPECT_NE(undecided, scalar);
  EXPECT_EQ(undecided->strides(), nullptr);
}

TEST(Layout, Shape_and_strides_have_one_structure) {
  const IntTuple nested(std::vector<IntTuple>{Dim(4), std::vector<IntTuple>{Dim(2), Dim(8)}});
  EXPECT_THROW(Layout::make(nested, IntTuple::flat({1, 4, 8})), ValueError);
  EXPECT_EQ(Layout::make(nested, nested)->domain(), (Shape{4, 2, 8}));
  EXPECT_EQ(nested.text(), "(4, (2, 8))");
}

TEST(Layout, C_order_strides_may_be_symbolic) {
  const Dim s = dim_var("S", 1, 9);
  EXPECT_EQ(c_order_strides({2, s, 4}), (Shape{s * 4, 4, 1}));
}

TEST(Mesh, Refuses_what_names_no_machine) {
  const auto cta = Topology::make("cta", 132);
  const auto layout = Layout::make(Shape{132}, Shape{1});
  EXPECT_THROW(Topology::make("cta", 0), ValueError);
  EXPECT_THROW(Mesh::make({}, layout), ValueError);
  EXPECT_THROW(Mesh::make({cta}, layout, {"a", "b"}), ValueError);
  EXPECT_EQ(Mesh::make({cta}, layout, {"x"}), Mesh::make({cta}, layout, {"x"}));
}

TEST(ShardLayout, Missing_attributes_are_broadcast_and_bad_ones_are_refused) {
  const auto layout = Layout::make(Shape{12, 8}, Shape{8, 1});
  const auto mesh = Mesh::make({Topology::make("cta", 4)}, Layout::make(Shape{4}, Shape{1}));
  const auto shard = ShardLayout::make(layout, {}, mesh);
  ASSERT_EQ(shard->attrs().size(), 1U);
  EXPECT_EQ(shard->attrs()[0].kind, ShardKind::broadcast);
  EXPECT_THROW(ShardLayout::make(layout, {{ShardKind::split, 2, ""}}, mesh), ValueError);
  EXPECT_THROW(ShardLayout::make(layout, {{ShardKind::partial, 0, "mean"}}, mesh), ValueError);
}

}  // namespace
}  // namespace tilefoundry
