#include "tilefoundry/ops/layer_norm.h"

#include <cmath>

#include <gtest/gtest.h>

#include "tilefoundry/ops/ops_test_support.h"

namespace tilefoundry {
namespace {

OpRef layer_norm(std::int64_t axis, double eps = 1e-5) {
  return make_op(LayerNorm{.axis = axis, .eps = eps});
}
TypeRef f32(Shape shape) { return tensor_type(std::move(shape), DType::f32); }

TEST(LayerNorm, types_and_refusals) {
  const Dim s = dim_var("S", 1, 64);
  const TypeRef x = tensor_type({4, s}, DType::bf16);
  EXPECT_EQ(result_type(layer_norm(1), {x, tensor_type({s}, DType::bf16), f32({s})}), x);
  EXPECT_EQ(result_type(layer_norm(0), {x, f32({4, s}), f32({4, s})}), x);
  EXPECT_EQ(
      refusal(layer_norm(1), {x, f32({s}), f32({8})}),
      "Call[LayerNorm]: bias has shape (8,), wanted (S,), the extents that are normalized | ");
  EXPECT_NE(refusal(layer_norm(0), {f32({4, 8}), f32({8}), f32({4, 8})})
                .find("weight has shape (8,), wanted (4, 8)"),
            std::string::npos);
  EXPECT_NE(refusal(layer_norm(1), {f32({4, 8}), tensor_type({8}, DType::bf16), f32({8})})
                .find("weight has dtype bf16, wanted f32 |"),
            std::string::npos);
  EXPECT_NE(refusal(layer_norm(0), {f32({}), f32({}), f32({})}).find("x is a scalar"),
            std::string::npos);
  EXPECT_NE(refusal(layer_norm(2), {f32({4, 8}), f32({8}), f32({8})}).find("axis 2"),
            std::string::npos);
  const TypeRef whole = tensor_type({8}, DType::i32);
  EXPECT_NE(refusal(layer_norm(0), {whole, whole, whole}).find("layer_norm is not defined on i32"),
            std::string::npos);
}

TEST(LayerNorm, V39_every_element_of_a_row_makes_each_result) {
  const auto relation = relation_of(layer_norm(1), {f32({2, 3, 4}), f32({3, 4}), f32({3, 4})});
  EXPECT_EQ(relation.extents(), Shape({2, 3, 4, 3, 4}));
  EXPECT_EQ(relation.accesses()[0], BoundaryAccess::of({iter(0), iter(3), iter(4)}));
  EXPECT_EQ(relation.accesses()[1], BoundaryAccess::of({iter(1), iter(2)}));
  EXPECT_EQ(relation.accesses()[3], BoundaryAccess::of({iter(0), iter(1), iter(2)}));
}

TEST(LayerNorm, values_against_the_definition) {
  const HostTensor x = test_tensor(DType::f32, {3, 2, 9}, 1);
  const HostTensor weight = test_tensor(DType::f32, {2, 9}, 2);
  const HostTensor bias = test_tensor(DType::f32, {2, 9}, 3);
  for (const auto& run :
       {evaluated(layer_norm(1), {x, weight, bias}), lowered(layer_norm(-2), {x, weight, bias})}) {
    for (std::int64_t i = 0; i < x.numel(); ++i) {
      const std::int64_t row = i / 18 * 18;
      double mean = 0;
      double variance = 0;
      for (std::int64_t k = 0; k < 18; ++k) mean += x.float_at(row + k) / 18;
      for (std::int64_t k = 0; k < 18; ++k)
        variance += std::pow(x.float_at(row + k) - mean, 2) / 18;
      const double normal = (x.float_at(i) - mean) / std::sqrt(variance + 1e-5);
      EXPECT_NEAR(run.float_at(i), normal * weight.float_at(i - row) + bias.float_at(i - row),
                  4e-6);
    }
  }
}

TEST(LayerNorm, a_large_mean_keeps_a_small_variance) {
  // Around 2^24 the mean itself is no f32 number.
  const HostTensor x =
      float_tensor(DType::f32, {2, 4}, {16777216, 16777218, 16777220, 16777222, 7, 7, 7, 7});
  const HostTensor ones = float_tensor(DType::f32, {4}, {1, 1, 1, 1});
  const HostTensor zeros = float_tensor(DType::f32, {4}, {0, 0, 0, 0});
  for (const auto& run : {evaluated(layer_norm(1, 0), {x, ones, zeros}),
                          lowered(layer_norm(1, 0), {x, ones, zeros})}) {
    for (std::int64_t i = 0; i < 4; ++i) {
      EXPECT_NEAR(run.float_at(i), (2.0 * static_cast<double>(i) - 3) / std::sqrt(5.0), 1e-6);
    }
  }
  EXPECT_EQ(evaluated(layer_norm(1), {x, ones, zeros}).float_at(5), 0);
}

TEST(LayerNorm, lowering_agrees_with_the_evaluator) {
  for (const DType dtype : {DType(DType::f16), DType(DType::bf16)}) {
    for (const std::vector<std::int64_t>& shape :
         {std::vector<std::int64_t>{5}, {2, 3, 4}, {0, 4}, {2, 0}, {3, 1}}) {
      const HostTensor x = test_tensor(dtype, shape, 3);
      for (const DType parameter : {dtype, DType(DType::f32)}) {
        const HostTensor weight = test_tensor(parameter, {shape.back()}, 5);
        const HostTensor bias = test_tensor(parameter, {shape.back()}, 6);
        EXPECT_EQ(floats_of(lowered(layer_norm(-1), {x, weight, bias})),
                  floats_of(evaluated(layer_norm(-1), {x, weight, bias})));
      }
    }
  }
  const Dim s = dim_var("S", 1, 64);
  const HostTensor x = float_tensor(DType::f32, {1, 2}, {1, 3});
  const HostTensor weight = float_tensor(DType::f32, {2}, {1, 2});
  EXPECT_EQ(
      floats_of(lowered(layer_norm(1, 0), {x, weight, weight}, {f32({1, s}), f32({s}), f32({s})})),
      (std::vector<double>{0, 4}));
}

TEST(LayerNorm, V80_cost_is_eight_flops_of_f32_per_element) {
  const TypeRef row = tensor_type({8}, DType::bf16);
  const Cost cost = cost_of(layer_norm(1), {tensor_type({4, 8}, DType::bf16), row, row});
  EXPECT_EQ(cost.flops, (std::map<DType, std::int64_t>{{DType::f32, 8 * 32}}));
  EXPECT_EQ(cost.traffic, (std::vector<TrafficBytes>{{64, 0}, {16, 0}, {16, 0}, {0, 64}}));
}

}  // namespace
}  // namespace tilefoundry
