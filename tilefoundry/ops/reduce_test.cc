#include "tilefoundry/ops/reduce.h"

#include <cmath>
#include <limits>

#include <gtest/gtest.h>

#include "tilefoundry/ops/ops_test_support.h"

namespace tilefoundry {
namespace {

constexpr double kNan = std::numeric_limits<double>::quiet_NaN();
constexpr std::int64_t kLeast = std::numeric_limits<std::int32_t>::min();

TypeRef f32(Shape shape) { return tensor_type(std::move(shape), DType::f32); }
OpRef reduce(ReduceKind kind, AttrInts axes, bool keepdim = true) {
  return make_op(Reduce{.axes = std::move(axes), .keepdim = keepdim, .kind = kind});
}

TEST(Reduce, shapes) {
  const Dim s = dim_var("S", 1, 64);
  EXPECT_EQ(result_type(reduce(ReduceKind::sum, {-1}), {f32({4, s})}), f32({4, 1}));
  EXPECT_EQ(result_type(reduce(ReduceKind::sum, {0, 2}, false), {f32({4, s, 3})}), f32({s}));
  EXPECT_EQ(result_type(reduce(ReduceKind::max, {}), {f32({})}), f32({}));
}

TEST(Reduce, V45_the_relation_keeps_what_it_reduces_in_its_domain) {
  const auto relation = relation_of(reduce(ReduceKind::sum, {1}), {f32({4, 8})});
  EXPECT_EQ(relation.extents(), Shape({4, 8}));
  EXPECT_EQ(relation.accesses()[0], BoundaryAccess::of({iter(0), iter(1)}));
  EXPECT_EQ(relation.accesses()[1], BoundaryAccess::of({iter(0), Dim(0)}));
}

TEST(Reduce, refusals) {
  EXPECT_NE(refusal(reduce(ReduceKind::sum, {2}), {f32({4, 8})})
                .find("axis 2 is out of range for rank 2 | use an axis from -2 to 1"),
            std::string::npos);
  EXPECT_NE(refusal(reduce(ReduceKind::sum, {0, -2}), {f32({4, 8})}).find("named twice"),
            std::string::npos);
  EXPECT_NE(refusal(reduce(ReduceKind::mean, {0}), {tensor_type({4}, DType::i32)})
                .find("mean is not defined on i32, the dtype of x | cast it first: cast(x, "
                      "dtype=\"f32\")"),
            std::string::npos);
}

TEST(Reduce, over_no_elements) {
  const HostTensor x(DType::f32, {2, 0});
  EXPECT_EQ(floats_of(evaluated(reduce(ReduceKind::sum, {1}), {x})), std::vector<double>(2, 0));
  EXPECT_EQ(floats_of(evaluated(reduce(ReduceKind::abs_max, {1}), {x})), std::vector<double>(2, 0));
  EXPECT_EQ(evaluated(reduce(ReduceKind::max, {1}), {x}).float_at(0),
            -std::numeric_limits<double>::infinity());
  EXPECT_TRUE(std::isnan(evaluated(reduce(ReduceKind::mean, {1}), {x}).float_at(0)));
  EXPECT_EQ(evaluated(reduce(ReduceKind::max, {1}), {HostTensor(DType::i32, {1, 0})}).int_at(0),
            kLeast);
  EXPECT_EQ(evaluated(reduce(ReduceKind::sum, {0}), {x}).numel(), 0);
}

TEST(Reduce, nan_wins_wherever_it_stands) {
  for (const ReduceKind kind : {ReduceKind::max, ReduceKind::abs_max}) {
    for (std::size_t at = 0; at < 3; ++at) {
      std::vector<double> values{1, 2, 3};
      values[at] = kNan;
      const HostTensor x = float_tensor(DType::f32, {3}, values);
      EXPECT_TRUE(std::isnan(evaluated(reduce(kind, {0}), {x}).float_at(0)));
      EXPECT_TRUE(std::isnan(lowered(reduce(kind, {0}), {x}).float_at(0)));
    }
  }
}

TEST(Reduce, integers_wrap) {
  const HostTensor x = int_tensor(DType::i32, {2}, {kLeast, -1});
  EXPECT_EQ(evaluated(reduce(ReduceKind::sum, {0}), {x}).int_at(0), -(kLeast + 1));
  // NumPy: the magnitude of the least value is itself.
  const HostTensor least = int_tensor(DType::i32, {1}, {kLeast});
  EXPECT_EQ(evaluated(reduce(ReduceKind::abs_max, {0}), {least}).int_at(0), kLeast);
  EXPECT_EQ(lowered(reduce(ReduceKind::abs_max, {0}), {least}).int_at(0), kLeast);
}

// Small whole numbers: sums are exact in every order.
TEST(Reduce, lowering_agrees_with_the_evaluator) {
  for (const DType dtype : {DType(DType::f32), DType(DType::f16), DType(DType::i32)}) {
    HostTensor x(dtype, {3, 4, 5});
    for (std::int64_t i = 0; i < x.numel(); ++i) x.set_int(i, i % 13 - 6);
    for (const ReduceKind kind :
         {ReduceKind::mean, ReduceKind::sum, ReduceKind::abs_max, ReduceKind::max}) {
      if (dtype.is_integer() && kind == ReduceKind::mean) continue;
      for (const AttrInts& axes : {AttrInts{1}, {-1, 0}, {}, {0, 1, 2}}) {
        for (const bool keepdim : {true, false}) {
          const OpRef op = reduce(kind, axes, keepdim);
          const HostTensor got = lowered(op, {x});
          EXPECT_EQ(got.shape(), evaluated(op, {x}).shape());
          EXPECT_EQ(floats_of(got), floats_of(evaluated(op, {x})));
        }
      }
    }
  }
}

TEST(Reduce, lowering_with_symbolic_counts) {
  const Dim s = dim_var("S", 0, 64);
  const std::vector<TypeRef> floats{f32({2, s})};
  const HostTensor x = float_tensor(DType::f32, {2, 3}, {1, 2, 6, -1, 0, 4});
  EXPECT_EQ(floats_of(lowered(reduce(ReduceKind::mean, {1}), {x}, floats)),
            (std::vector<double>{3, 1}));
  EXPECT_TRUE(
      std::isnan(lowered(reduce(ReduceKind::mean, {1}), {HostTensor(DType::f32, {2, 0})}, floats)
                     .float_at(0)));
  const std::vector<TypeRef> ints{tensor_type({s}, DType::i32)};
  const OpRef abs_max = reduce(ReduceKind::abs_max, {0});
  EXPECT_EQ(lowered(abs_max, {HostTensor(DType::i32, {0})}, ints).int_at(0), 0);
  EXPECT_EQ(lowered(abs_max, {int_tensor(DType::i32, {2}, {-4, 3})}, ints).int_at(0), 4);
}

TEST(Reduce, V80_cost) {
  const Cost cost = cost_of(reduce(ReduceKind::sum, {1}), {f32({4, 8})});
  EXPECT_EQ(cost.flops, (std::map<DType, std::int64_t>{{DType::f32, 32}}));
  EXPECT_EQ(cost.traffic, (std::vector<TrafficBytes>{{128, 0}, {0, 16}}));
}

}  // namespace
}  // namespace tilefoundry
