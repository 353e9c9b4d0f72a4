// Laws of the layout algebra over generated layouts, against plain loops over coordinates.
#include "tilefoundry/layout/algebra.h"

#include <functional>
#include <random>
#include <set>

#include <gtest/gtest.h>

#include "tilefoundry/layout/modes.h"
#include "tilefoundry/layout/projection.h"
#include "tilefoundry/support/diagnostic.h"

namespace tilefoundry {
namespace {

using Generator = std::mt19937;

std::int64_t pick(Generator& random, std::int64_t low, std::int64_t high) {
  return std::uniform_int_distribution<std::int64_t>(low, high)(random);
}

PlainLayoutRef random_layout(Generator& random, bool any_stride) {
  const auto rank = pick(random, 1, 4);
  Shape shape;
  Shape strides(static_cast<std::size_t>(rank), Dim(1));
  for (std::int64_t i = 0; i < rank; ++i) shape.emplace_back(pick(random, 1, 6));
  if (any_stride) {
    for (Dim& stride : strides) stride = pick(random, 0, 12);
  } else {
    // A compact layout with its modes in any order, sometimes with gaps.
    std::vector<std::size_t> order(shape.size());
    for (std::size_t i = 0; i < order.size(); ++i) order[i] = i;
    std::shuffle(order.begin(), order.end(), random);
    std::int64_t reach = 1;
    for (const std::size_t i : order) {
      strides[i] = reach * pick(random, 1, 2);
      reach = strides[i].value() * shape[i].value();
    }
  }
  return Layout::make(shape, strides);
}

// The function itself, by plain loops: the leftmost mode is fastest, the last one unbounded.
std::int64_t oracle(const Layout& layout, std::int64_t index) {
  const std::vector<Mode> modes = flat_modes(layout);
  std::int64_t offset = 0;
  for (std::size_t i = 0; i < modes.size(); ++i) {
    const std::int64_t extent = modes[i].extent.value();
    const bool last = i + 1 == modes.size();
    offset += (last ? index : index % extent) * modes[i].stride.value();
    index /= extent;
  }
  return offset;
}

std::int64_t size_of(const Layout& layout) { return layout.size().value(); }

TEST(LayoutAlgebra, Offset_of_index_is_the_loop_over_coordinates) {
  Generator random(1);
  for (int trial = 0; trial < 500; ++trial) {
    const auto layout = random_layout(random, true);
    for (std::int64_t i = 0; i < size_of(*layout) + 3; ++i) {
      ASSERT_EQ(offset_of_index(*layout, i).value(), oracle(*layout, i)) << algebra_text(*layout);
    }
  }
}

TEST(LayoutAlgebra, Coordinates_and_indices_are_inverse) {
  const IntTuple nested(std::vector<IntTuple>{Dim(4), std::vector<IntTuple>{Dim(2), Dim(3)}});
  const IntTuple strides = prefix_products(nested);
  EXPECT_EQ(strides.text(), "(1, (4, 8))");
  for (std::int64_t i = 0; i < 24; ++i) {
    EXPECT_TRUE(crd2idx(idx2crd(i, nested), nested, strides).is(i));
    EXPECT_TRUE(crd2idx(Dim(i), nested, strides).is(i));
  }
  EXPECT_THROW(crd2idx(IntTuple::flat({1, 2, 3}), nested, strides), ValueError);
}

TEST(LayoutAlgebra, Coalesce_keeps_the_function_with_no_more_modes) {
  Generator random(2);
  for (int trial = 0; trial < 1000; ++trial) {
    const auto layout = random_layout(random, trial % 2 == 0);
    const auto merged = coalesce(*layout);
    ASSERT_LE(merged->domain().size(), layout->domain().size());
    for (std::int64_t i = 0; i < size_of(*layout); ++i) {
      ASSERT_EQ(oracle(*merged, i), oracle(*layout, i)) << algebra_text(*layout);
    }
  }
}

TEST(LayoutAlgebra, Composition_is_the_composed_function) {
  Generator random(3);
  int answered = 0;
  for (int trial = 0; trial < 6000; ++trial) {
    const auto a = random_layout(random, true);
    const auto b = random_layout(random, trial % 2 == 0);
    PlainLayoutRef both;
    try {
      both = composition(*a, *b);
    } catch (const ValueError& error) {
      ASSERT_EQ(error.diagnostic().code, "TF3015");
      continue;
    }
    ++answered;
    ASSERT_EQ(both->size(), b->size());
    for (std::int64_t i = 0; i < size_of(*b); ++i) {
      ASSERT_EQ(oracle(*both, i), oracle(*a, oracle(*b, i)))
          << algebra_text(*a) << " after " << algebra_text(*b);
    }
  }
  EXPECT_GT(answered, 1500);
}

TEST(LayoutAlgebra, Complement_reaches_what_the_layout_leaves_out) {
  Generator random(4);
  int answered = 0;
  for (int trial = 0; trial < 3000; ++trial) {
    const auto layout = random_layout(random, trial % 4 == 0);
    const std::int64_t extent = pick(random, 1, 96);
    PlainLayoutRef rest;
    try {
      rest = complement(*layout, extent);
    } catch (const ValueError&) {
      continue;
    }
    ++answered;
    std::set<std::int64_t> mine;
    for (std::int64_t i = 0; i < size_of(*layout); ++i) mine.insert(oracle(*layout, i));
    std::set<std::int64_t> sums;
    std::int64_t last = -1;
    for (std::int64_t j = 0; j < size_of(*rest); ++j) {
      const std::int64_t base = oracle(*rest, j);
      ASSERT_GT(base, last);  // ascending
      last = base;
      for (const std::int64_t offset : mine) ASSERT_TRUE(sums.insert(base + offset).second);
    }
    for (std::int64_t offset = 0; offset < extent; ++offset) {
      ASSERT_TRUE(sums.contains(offset)) << algebra_text(*layout) << " in " << extent;
    }
  }
  EXPECT_GT(answered, 1500);
}

TEST(LayoutAlgebra, Inverses_undo_the_layout) {
  Generator random(5);
  for (int trial = 0; trial < 2000; ++trial) {
    const auto layout = random_layout(random, false);
    const auto left = left_inverse(*layout);
    for (std::int64_t i = 0; i < size_of(*layout); ++i) {
      ASSERT_EQ(oracle(*left, oracle(*layout, i)), i) << algebra_text(*layout);
    }
    const auto right = right_inverse(*random_layout(random, true));
    const auto any = random_layout(random, true);
    const auto back = right_inverse(*any);
    for (std::int64_t i = 0; i < size_of(*back); ++i) {
      ASSERT_EQ(oracle(*any, oracle(*back, i)), i) << algebra_text(*any);
    }
  }
  EXPECT_THROW(left_inverse(*Layout::make(Shape{4}, Shape{0})), ValueError);
}

TEST(LayoutAlgebra, Divide_regroups_and_product_repeats) {
  Generator random(6);
  int answered = 0;
  for (int trial = 0; trial < 3000; ++trial) {
    const auto layout = random_layout(random, false);
    const auto tiler = random_layout(random, false);
    if (size_of(*layout) * size_of(*tiler) > 1500) continue;
    try {
      const auto divided = logical_divide(*layout, *tiler);
      std::multiset<std::int64_t> before;
      std::multiset<std::int64_t> after;
      for (std::int64_t i = 0; i < size_of(*layout); ++i) before.insert(oracle(*layout, i));
      for (std::int64_t i = 0; i < size_of(*divided); ++i) after.insert(oracle(*divided, i));
      if (size_of(*divided) == size_of(*layout)) {
        ASSERT_EQ(before, after);
      }
      // The first mode of the result walks the tile.
      const auto tile = composition(*layout, *tiler);
      for (std::int64_t i = 0; i < size_of(*tiler); ++i) {
        ASSERT_EQ(oracle(*divided, i), oracle(*tile, i));
      }
      ++answered;
    } catch (const ValueError&) {
    }
    try {
      const auto repeated = logical_product(*layout, *tiler);
      std::set<std::int64_t> offsets;
      for (std::int64_t i = 0; i < size_of(*repeated); ++i) {
        ASSERT_TRUE(offsets.insert(oracle(*repeated, i)).second);
      }
      for (std::int64_t i = 0; i < size_of(*layout); ++i) {
        ASSERT_EQ(oracle(*repeated, i), oracle(*layout, i));
      }
      ++answered;
    } catch (const ValueError&) {
    }
  }
  EXPECT_GT(answered, 500);
}

TEST(LayoutAlgebra, Injectivity_and_projection_agree_with_enumeration) {
  Generator random(7);
  int projected = 0;
  for (int trial = 0; trial < 1500; ++trial) {
    const auto layout = random_layout(random, trial % 2 == 0);
    std::set<std::int64_t> offsets;
    bool distinct = true;
    for (std::int64_t i = 0; i < size_of(*layout); ++i) {
      distinct = offsets.insert(oracle(*layout, i)).second && distinct;
    }
    ASSERT_EQ(is_injective(*layout), distinct) << algebra_text(*layout);
    ASSERT_EQ(image(*layout), std::vector<std::int64_t>(offsets.begin(), offsets.end()));
    const std::int64_t shift = pick(random, 0, 9);
    const auto moved = ComposedLayout::make(nullptr, shift, layout);
    if (!is_inverse_projectable(*moved)) {
      ASSERT_THROW(project(*moved, 0), NotProjectable);
      continue;
    }
    ++projected;
    for (std::int64_t offset = 0; offset < *offsets.rbegin() + shift + 4; ++offset) {
      ASSERT_EQ(contains(*moved, offset), offsets.contains(offset - shift));
      if (!contains(*moved, offset)) continue;
      ASSERT_TRUE(offset_of_coord(*moved, project(*moved, offset)).is(offset));
    }
  }
  EXPECT_GT(projected, 400);
}

TEST(LayoutAlgebra, Symbolic_extents_answer_where_the_answer_is_known) {
  const Dim s = dim_var("S", 1, 1000);
  const auto rows = Layout::make(Shape{s, 64}, Shape{64, 1});
  EXPECT_EQ(composition(*rows, *Layout::make(Shape{s}, Shape{1})),
            Layout::make(Shape{s}, Shape{64}));
  EXPECT_EQ(right_inverse(*rows), Layout::make(Shape{64, s}, Shape{s, 1}));
  EXPECT_EQ(cosize(*rows), s * 64);
  EXPECT_EQ(is_injective(*rows), true);
  EXPECT_EQ(project(*rows, s.node() ? Dim(65) : Dim(0))[1], Dim(1));
  // Whether 4 divides S is not known.
  EXPECT_THROW(
      composition(*Layout::make(Shape{s, 8}, Shape{8, 1}), *Layout::make(Shape{4, 2}, Shape{1, 4})),
      ValueError);
  // An answer under symbols is the answer for every value of them.
  Generator random(8);
  for (int trial = 0; trial < 500; ++trial) {
    const Dim k(pick(random, 1, 5));
    const Dim m(pick(random, 1, 5));
    const auto a = Layout::make(Shape{k, s, m}, Shape{s * m, m, 1});
    const auto b = Layout::make(Shape{k, s}, Shape{1, k});
    const auto both = composition(*a, *b);
    const std::int64_t value = pick(random, 1, 7);
    const auto bind = [&](const Dim& dim) {
      return substitute(dim, [&](const Ref<const DimNode>&) { return Dim(value); });
    };
    const auto bound = [&](const PlainLayoutRef& layout) {
      return static_ref_cast<Layout>(layout->with_dims(bind));
    };
    for (std::int64_t i = 0; i < k.value() * value; ++i) {
      ASSERT_EQ(oracle(*bound(both), i), oracle(*bound(a), oracle(*bound(b), i)));
    }
  }
}

TEST(LayoutAlgebra, Refusals_name_the_values) {
  try {
    composition(*Layout::make(Shape{6, 8}, Shape{1, 12}), *Layout::make(Shape{8}, Shape{4}));
    FAIL();
  } catch (const ValueError& error) {
    EXPECT_EQ(
        error.diagnostic().message,
        "composition: Layout((6, 8), (1, 12)) after Layout((8,), (4,)): stride 4 and extent 6 "
        "do not divide each other");
  }
  EXPECT_THROW(flat_modes(*Layout::make(IntTuple::flat({4}), std::nullopt)), ValueError);
  EXPECT_THROW(image(*Layout::make(Shape{dim_var("N", 1, 9)}, Shape{1})), ValueError);
}

}  // namespace
}  // namespace tilefoundry
