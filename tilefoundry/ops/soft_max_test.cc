#include "tilefoundry/ops/soft_max.h"

#include <cmath>
#include <limits>

#include <gtest/gtest.h>

#include "tilefoundry/ops/ops_test_support.h"

namespace tilefoundry {
namespace {

constexpr double kNan = std::numeric_limits<double>::quiet_NaN();
constexpr double kInf = std::numeric_limits<double>::infinity();

OpRef softmax(std::int64_t axis) { return make_op(SoftMax{.axis = axis}); }
TypeRef f32(Shape shape) { return tensor_type(std::move(shape), DType::f32); }

TEST(SoftMax, types_and_refusals) {
  const Dim s = dim_var("S", 1, 64);
  const TypeRef x = tensor_type({4, s}, DType::bf16);
  EXPECT_EQ(result_type(softmax(-1), {x}), x);
  EXPECT_NE(refusal(softmax(2), {x}).find("axis 2"), std::string::npos);
  EXPECT_NE(refusal(softmax(0), {f32({})}), "");
  EXPECT_EQ(refusal(softmax(0), {tensor_type({4}, DType::i32)}),
            "Call[SoftMax]: softmax is not defined on i32, the dtype of x | cast it first: cast(x, "
            "dtype=\"f32\")");
}

TEST(SoftMax, V39_every_element_of_a_row_makes_each_result) {
  const auto relation = relation_of(softmax(0), {f32({4, 8})});
  EXPECT_EQ(relation.extents(), Shape({4, 8, 4}));
  EXPECT_EQ(relation.accesses()[0], BoundaryAccess::of({iter(2), iter(1)}));
  EXPECT_EQ(relation.accesses()[1], BoundaryAccess::of({iter(0), iter(1)}));
}

TEST(SoftMax, values_against_the_definition_over_each_axis) {
  const HostTensor x = test_tensor(DType::f32, {2, 5, 7}, 1);
  const std::int64_t steps[] = {35, 7, 1};
  for (std::int64_t axis = 0; axis < 3; ++axis) {
    const std::int64_t step = steps[axis];
    const std::int64_t count = x.shape()[static_cast<std::size_t>(axis)];
    for (const auto& run : {evaluated(softmax(axis), {x}), lowered(softmax(axis - 3), {x})}) {
      for (std::int64_t i = 0; i < x.numel(); ++i) {
        const std::int64_t first = i - i / step % count * step;
        double sum = 0;
        for (std::int64_t k = 0; k < count; ++k) sum += std::exp(x.float_at(first + k * step));
        EXPECT_NEAR(run.float_at(i), std::exp(x.float_at(i)) / sum, 2e-7);
      }
    }
  }
}

TEST(SoftMax, subtracts_the_maximum_and_keeps_nan_to_its_row) {
  const HostTensor x =
      float_tensor(DType::f32, {5, 2}, {1e30, 1e30, -kInf, -kInf, -kInf, 700, 5, kNan, kInf, 1});
  for (const auto& run : {evaluated(softmax(1), {x}), lowered(softmax(1), {x})}) {
    const std::vector<double> got = floats_of(run);
    EXPECT_EQ(got[0], 0.5);
    EXPECT_EQ(got[1], 0.5);
    EXPECT_EQ(got[4], 0);
    EXPECT_EQ(got[5], 1);
    for (const std::size_t i : {2, 3, 6, 7, 8, 9}) EXPECT_TRUE(std::isnan(got[i])) << i;
  }
}

TEST(SoftMax, lowering_of_empty_symbolic_and_wide_operands) {
  for (const std::vector<std::int64_t>& shape :
       {std::vector<std::int64_t>{0, 4}, {4, 0}, {1, 1}, {3, 130}, {3, 64}, {3, 2, 65}}) {
    for (const std::int64_t axis : {0, 1}) {
      const HostTensor x = test_tensor(DType::f16, shape, 3);
      EXPECT_EQ(floats_of(lowered(softmax(axis), {x})), floats_of(evaluated(softmax(axis), {x})));
    }
  }
  const Dim m = dim_var("M", 1, 64);
  const Dim n = dim_var("N", 1, 512);
  const HostTensor x = test_tensor(DType::bf16, {3, 100}, 4);
  for (const std::int64_t axis : {0, 1}) {
    EXPECT_EQ(floats_of(lowered(softmax(axis), {x}, {tensor_type({m, n}, DType::bf16)})),
              floats_of(evaluated(softmax(axis), {x})));
  }
}

TEST(SoftMax, V80_cost_is_five_flops_of_f32_per_element) {
  const Cost cost = cost_of(softmax(1), {tensor_type({4, 8}, DType::bf16)});
  EXPECT_EQ(cost.flops, (std::map<DType, std::int64_t>{{DType::f32, 5 * 32}}));
  EXPECT_EQ(cost.service, (std::map<std::string, std::int64_t>{{"special", 32}}));
  EXPECT_EQ(cost.traffic, (std::vector<TrafficBytes>{{64, 0}, {0, 64}}));
}

}  // namespace
}  // namespace tilefoundry
