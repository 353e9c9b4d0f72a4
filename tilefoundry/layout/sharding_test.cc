// Shards, meshes and barriers against plain loops over participants and elements.
#include "tilefoundry/layout/sharding.h"

#include <map>
#include <random>
#include <set>

#include <gtest/gtest.h>

#include "tilefoundry/layout/algebra.h"
#include "tilefoundry/layout/mesh_levels.h"
#include "tilefoundry/layout/participants.h"
#include "tilefoundry/support/diagnostic.h"

namespace tilefoundry {
namespace {

using Generator = std::mt19937;
using Coord = std::vector<std::int64_t>;

std::int64_t pick(Generator& random, std::int64_t low, std::int64_t high) {
  return std::uniform_int_distribution<std::int64_t>(low, high)(random);
}

Coord row_major(std::int64_t index, const Shape& shape) {
  Coord coord(shape.size());
  for (std::size_t i = shape.size(); i-- > 0;) {
    coord[i] = index % shape[i].value();
    index /= shape[i].value();
  }
  return coord;
}

// Logical elements that each participant holds, by testing every element against every participant.
std::map<std::int64_t, std::set<std::int64_t>> held(const ShardLayout& layout) {
  std::map<std::int64_t, std::set<std::int64_t>> result;
  const Shape& mesh = layout.mesh()->layout()->domain();
  const Shape local = shard_layout_local_shape(layout);
  const std::int64_t elements = dim_product(layout.domain()).value();
  for (std::int64_t unit = 0; unit < dim_product(mesh).value(); ++unit) {
    const Coord where = row_major(unit, mesh);
    for (std::int64_t element = 0; element < elements; ++element) {
      const Coord at = row_major(element, layout.domain());
      std::map<int, std::int64_t> block;  // index of the participant's block at each position
      for (std::size_t m = 0; m < layout.attrs().size(); ++m) {
        if (layout.attrs()[m].kind != ShardKind::split) continue;
        std::int64_t& index = block[layout.attrs()[m].axis];
        index = index * mesh[m].value() + where[m];
      }
      bool mine = true;
      for (const auto& [position, index] : block) {
        const auto p = static_cast<std::size_t>(position);
        mine = mine && at[p] / local[p].value() == index;
      }
      if (mine) result[unit].insert(element);
    }
  }
  return result;
}

struct Case {
  Shape shape;
  MeshRef mesh;
  std::vector<ShardAttr> attrs;
};

Case random_case(Generator& random) {
  Case result;
  for (std::int64_t i = pick(random, 1, 3); i > 0; --i) {
    result.shape.emplace_back(pick(random, 1, 3) * pick(random, 1, 4));
  }
  Shape axes;
  std::int64_t units = 1;
  for (std::int64_t i = pick(random, 1, 2); i > 0; --i) {
    axes.emplace_back(pick(random, 1, 4));
    units *= axes.back().value();
  }
  result.mesh =
      Mesh::make({Topology::make("cta", units)}, Layout::make(axes, c_order_strides(axes)));
  for (std::size_t m = 0; m < axes.size(); ++m) {
    const bool split = pick(random, 0, 3) > 0;
    const auto axis = static_cast<int>(pick(random, 0, std::ssize(result.shape) - 1));
    result.attrs.push_back(split ? ShardAttr{ShardKind::split, axis, ""} : ShardAttr{});
  }
  return result;
}

TEST(Sharding, Local_shapes_are_what_participants_hold) {
  Generator random(11);
  int answered = 0;
  for (int trial = 0; trial < 3000; ++trial) {
    const Case c = random_case(random);
    Ref<const ShardLayout> layout;
    try {
      layout = canonical_shard_layout(c.shape, c.mesh, c.attrs);
    } catch (const ValueError& error) {
      ASSERT_EQ(error.diagnostic().code, "TF3110");
      continue;
    }
    ++answered;
    for (const ShardAttr& attr : layout->attrs()) {
      if (attr.kind == ShardKind::split) {
        ASSERT_TRUE(shard_layout_local_shape(*layout)[static_cast<std::size_t>(attr.axis)].is(1));
      }
    }
    const Shape local = local_logical_shape(c.shape, *layout);
    for (const auto& [unit, elements] : held(*layout)) {
      ASSERT_EQ(static_cast<std::int64_t>(elements.size()), dim_product(local).value());
      // They form a box with these extents.
      std::vector<std::set<std::int64_t>> values(c.shape.size());
      for (const std::int64_t element : elements) {
        const Coord at = row_major(element, c.shape);
        for (std::size_t i = 0; i < at.size(); ++i) values[i].insert(at[i]);
      }
      for (std::size_t i = 0; i < values.size(); ++i) {
        ASSERT_EQ(static_cast<std::int64_t>(values[i].size()), local[i].value());
        ASSERT_EQ(*values[i].rbegin() - *values[i].begin() + 1, local[i].value());
      }
    }
  }
  EXPECT_GT(answered, 1000);
}

TEST(Sharding, A_joined_axis_is_a_box_or_refused) {
  Generator random(12);
  int boxes = 0;
  int refused = 0;
  for (int trial = 0; trial < 3000; ++trial) {
    const Case c = random_case(random);
    // The domain regroups the same elements.
    const std::int64_t elements = dim_product(c.shape).value();
    Shape domain;
    std::int64_t rest = elements;
    while (rest > 1 && domain.size() < 3) {
      const std::int64_t factor = pick(random, 1, rest);
      if (rest % factor != 0) continue;
      domain.emplace_back(factor);
      rest /= factor;
    }
    domain.emplace_back(rest);
    std::vector<ShardAttr> attrs = c.attrs;
    for (ShardAttr& attr : attrs)
      attr.axis = static_cast<int>(pick(random, 0, std::ssize(domain) - 1));
    const auto layout =
        ShardLayout::make(Layout::make(domain, c_order_strides(domain)), attrs, c.mesh);
    Shape local;
    try {
      local = local_logical_shape(c.shape, *layout);
    } catch (const ValueError&) {
      ++refused;
      continue;
    }
    ++boxes;
    for (const auto& [unit, mine] : held(*layout)) {
      std::int64_t size = 1;
      for (std::size_t i = 0; i < c.shape.size(); ++i) {
        std::set<std::int64_t> values;
        for (const std::int64_t element : mine) values.insert(row_major(element, c.shape)[i]);
        ASSERT_EQ(static_cast<std::int64_t>(values.size()), local[i].value());
        size *= local[i].value();
      }
      ASSERT_EQ(static_cast<std::int64_t>(mine.size()), size);
    }
  }
  EXPECT_GT(boxes, 500);
  EXPECT_GT(refused, 100);
}

TEST(Sharding, Regroup_is_the_finest_common_grouping) {
  EXPECT_EQ(*regroup({6, 4}, {2, 3, 4}), (std::vector<ShapeGroup>{{0, 1, 0, 2}, {1, 2, 2, 3}}));
  EXPECT_EQ(*regroup({6, 4}, {4, 6}), (std::vector<ShapeGroup>{{0, 2, 0, 2}}));
  const Dim n = dim_var("N", 1, 100);
  EXPECT_EQ(*regroup({n * 4, 8}, {n, 4, 8}), (std::vector<ShapeGroup>{{0, 1, 0, 2}, {1, 2, 2, 3}}));
  EXPECT_EQ(regroup({n, 8}, {n, 4}), std::nullopt);
  EXPECT_TRUE(regroup({}, {1}).has_value());
}

TEST(Sharding, Refusals_name_axis_and_extent) {
  const auto mesh = Mesh::make({Topology::make("cta", 4)}, Layout::make(Shape{4}, Shape{1}), {"x"});
  try {
    canonical_shard_layout({10, 8}, mesh, {{ShardKind::split, 0, ""}});
    FAIL();
  } catch (const ValueError& error) {
    EXPECT_EQ(error.diagnostic().message,
              "extent 10 cannot be split over cta.x of extent 4: it does not divide");
  }
  EXPECT_THROW(canonical_shard_layout({8}, mesh, {{ShardKind::split, 3, ""}}), ValueError);
  const Dim n = dim_var("N", 1, 9);
  const auto layout = canonical_shard_layout({n * 4, 8}, mesh, {{ShardKind::split, 0, ""}});
  EXPECT_EQ(layout->domain(), (Shape{4, n, 8}));
  EXPECT_EQ(local_logical_shape({n * 4, 8}, *layout), (Shape{n, 8}));
}

TEST(MeshLevels, Axes_fall_on_levels_left_to_right) {
  const auto cta = Topology::make("cta", 4);
  const auto thread = Topology::make("thread", 32);
  const auto mesh = Mesh::make({cta, thread}, Layout::make(Shape{2, 2, 32}, Shape{64, 32, 1}));
  EXPECT_EQ(mesh_level_axes(*mesh), (std::vector<AxisRange>{{0, 2}, {2, 3}}));
  EXPECT_EQ(mesh_level_layout(*mesh, 0), Layout::make(Shape{2, 2}, Shape{2, 1}));
  EXPECT_EQ(mesh_level_layout(*mesh, 1), Layout::make(Shape{32}, Shape{1}));
  const auto straddles = Mesh::make({cta, thread}, Layout::make(Shape{8, 16}, Shape{16, 1}));
  EXPECT_THROW(mesh_level_axes(*straddles), ValueError);
  const auto uneven = Mesh::make({cta, thread}, Layout::make(Shape{4, 32}, Shape{16, 1}));
  EXPECT_THROW(mesh_level_layout(*uneven, 0), ValueError);
}

TEST(MeshLevels, Nested_scopes_are_one_mesh_over_both_levels) {
  const auto cta = Topology::make("cta", 4);
  const auto thread = Topology::make("thread", 32);
  const auto outer = Mesh::make({cta}, Layout::make(Shape{4}, Shape{1}), {"c"});
  const auto inner = Mesh::make({thread}, Layout::make(Shape{4, 8}, Shape{8, 1}), {"w", "l"});
  EXPECT_EQ(
      nest_meshes(*outer, *inner),
      Mesh::make({cta, thread}, Layout::make(Shape{4, 4, 8}, Shape{32, 8, 1}), {"c", "w", "l"}));
}

TEST(MeshLevels, A_slice_names_the_participants_that_plain_indexing_names) {
  Generator random(13);
  for (int trial = 0; trial < 500; ++trial) {
    const Shape axes{pick(random, 1, 4), pick(random, 1, 4), pick(random, 1, 4)};
    const std::int64_t units = dim_product(axes).value();
    const auto mesh = Mesh::make({Topology::make("thread", units)},
                                 Layout::make(axes, c_order_strides(axes)), {"a", "b", "c"});
    std::vector<MeshSlice> entries;
    std::vector<std::pair<std::int64_t, std::int64_t>> ranges;
    for (const Dim& axis : axes) {
      const std::int64_t start = pick(random, 0, axis.value() - 1);
      const std::int64_t stop = pick(random, start + 1, axis.value());
      const bool point = pick(random, 0, 2) == 0;
      entries.push_back({start, point ? std::nullopt : std::optional(stop)});
      ranges.emplace_back(start, point ? start + 1 : stop);
    }
    const auto slice = slice_mesh(*mesh, entries);
    std::set<std::int64_t> expected;
    for (std::int64_t unit = 0; unit < units; ++unit) {
      const Coord at = row_major(unit, axes);
      bool inside = true;
      for (std::size_t i = 0; i < 3; ++i) {
        inside = inside && ranges[i].first <= at[i] && at[i] < ranges[i].second;
      }
      if (inside) expected.insert(unit);
    }
    EXPECT_EQ(image(*slice->layout()), std::vector<std::int64_t>(expected.begin(), expected.end()));
    EXPECT_TRUE(states_consistent_positions(*slice));
    EXPECT_EQ(slice->topologies(), mesh->topologies());
    // A slice of the slice counts from its first participant.
    const auto again = slice_mesh(*slice, {{0, 1}});
    EXPECT_EQ(image(*again->layout()).front(), *expected.begin());
  }
  const auto mesh =
      Mesh::make({Topology::make("thread", 8)}, Layout::make(Shape{8}, Shape{1}), {"t"});
  EXPECT_THROW(slice_mesh(*mesh, {{4, 9}}), ValueError);
  EXPECT_THROW(slice_mesh(*mesh, {{4, 4}}), ValueError);
  EXPECT_THROW(slice_mesh(*mesh, {{-1, 4}}), ValueError);
  EXPECT_THROW(slice_mesh(*mesh, {{0, 1}, {0, 1}}), ValueError);
}

TEST(MeshLevels, Positions_must_exist_and_differ) {
  const auto level = Topology::make("thread", 32);
  const auto states = [&](Shape shape, Shape strides) {
    return states_consistent_positions(*Mesh::make({level}, Layout::make(shape, strides)));
  };
  EXPECT_TRUE(states({4, 8}, {8, 1}));
  EXPECT_TRUE(states({8, 4}, {1, 8}));
  EXPECT_FALSE(states({4, 8}, {4, 1}));
  EXPECT_FALSE(states({4, 16}, {16, 1}));
  EXPECT_FALSE(states({4, 8}, {0, 1}));
}

TEST(Barrier, Every_interval_of_a_block_is_classified_by_its_warps) {
  for (const std::int64_t size : {16, 32, 96, 128}) {
    const auto mesh =
        Mesh::make({Topology::make("thread", size)}, Layout::make(Shape{size}, Shape{1}), {"t"});
    for (std::int64_t first = 0; first < size; ++first) {
      for (std::int64_t last = first; last < size; ++last) {
        const std::int64_t count = last - first + 1;
        std::set<std::int64_t> warps;
        for (std::int64_t t = first; t <= last; ++t) warps.insert(t / 32);
        const bool whole_warps = first % 32 == 0 && count % 32 == 0;
        const auto slice = slice_mesh(*mesh, {{first, last + 1}});
        if (warps.size() > 1 && !whole_warps) {
          EXPECT_THROW(classify_barrier(*slice), VerifyError);
          continue;
        }
        const Barrier barrier = classify_barrier(*slice);
        EXPECT_EQ(barrier.first, first);
        EXPECT_EQ(barrier.count, count);
        if (count == size && size > 32) {
          EXPECT_EQ(barrier.kind, BarrierKind::block);
        } else if (count == size && size == 32) {
          EXPECT_EQ(barrier.kind, BarrierKind::warp);
        } else if (warps.size() == 1) {
          ASSERT_EQ(barrier.kind, BarrierKind::lanes);
          std::uint32_t mask = 0;
          for (std::int64_t t = first; t <= last; ++t) mask |= std::uint32_t{1} << (t % 32);
          EXPECT_EQ(barrier.lane_mask, mask);
        } else {
          EXPECT_EQ(barrier.kind, BarrierKind::warp_range);
        }
      }
    }
  }
}

TEST(Barrier, Refuses_what_no_instruction_meets) {
  const auto thread = Topology::make("thread", 128);
  const auto strided = Mesh::make({thread}, Layout::make(Shape{4}, Shape{32}));
  EXPECT_THROW(classify_barrier(*strided), VerifyError);
  const auto cta = Topology::make("cta", 8);
  EXPECT_EQ(classify_barrier(*Mesh::make({cta}, Layout::make(Shape{8}, Shape{1}))).kind,
            BarrierKind::grid);
  EXPECT_THROW(classify_barrier(*Mesh::make({cta}, Layout::make(Shape{4}, Shape{1}))), VerifyError);
  EXPECT_THROW(
      classify_barrier(*Mesh::make({cta, thread}, Layout::make(Shape{8, 128}, Shape{128, 1}))),
      VerifyError);
  const auto open = Topology::make("thread", dim_var("T", 1, 9));
  EXPECT_THROW(classify_barrier(*Mesh::make({open}, Layout::make(Shape{1}, Shape{1}))),
               VerifyError);
}

}  // namespace
}  // namespace tilefoundry
