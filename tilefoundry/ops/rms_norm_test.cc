#include "tilefoundry/ops/rms_norm.h"

#include <cmath>

#include <gtest/gtest.h>

#include "tilefoundry/ops/ops_test_support.h"

namespace tilefoundry {
namespace {

OpRef rms_norm(double eps = 1e-6) { return make_op(RMSNorm{.eps = eps}); }
TypeRef f32(Shape shape) { return tensor_type(std::move(shape), DType::f32); }

TEST(RMSNorm, types_and_refusals) {
  const Dim s = dim_var("S", 1, 64);
  const TypeRef x = tensor_type({4, s}, DType::bf16);
  EXPECT_EQ(result_type(rms_norm(), {x, tensor_type({s}, DType::bf16)}), x);
  EXPECT_EQ(result_type(rms_norm(), {x, f32({s})}), x);
  EXPECT_EQ(refusal(rms_norm(), {x, f32({8})}),
            "Call[RMSNorm]: weight has shape (8,), wanted (S,), the last extent of x | ");
  EXPECT_NE(refusal(rms_norm(), {f32({4, 8}), tensor_type({8}, DType::bf16)})
                .find("weight has dtype bf16, wanted f32"),
            std::string::npos);
  EXPECT_NE(refusal(rms_norm(), {f32({}), f32({1})}).find("x is a scalar"), std::string::npos);
  EXPECT_NE(refusal(rms_norm(), {tensor_type({8}, DType::i32), tensor_type({8}, DType::i32)})
                .find("rms_norm is not defined on i32"),
            std::string::npos);
}

TEST(RMSNorm, V39_every_element_of_a_row_makes_each_result) {
  const auto relation = relation_of(rms_norm(), {f32({4, 8}), f32({8})});
  EXPECT_EQ(relation.extents(), Shape({4, 8, 8}));
  EXPECT_EQ(relation.accesses()[0], BoundaryAccess::of({iter(0), iter(2)}));
  EXPECT_EQ(relation.accesses()[1], BoundaryAccess::of({iter(1)}));
  EXPECT_EQ(relation.accesses()[2], BoundaryAccess::of({iter(0), iter(1)}));
}

TEST(RMSNorm, values_against_the_definition) {
  const HostTensor x = test_tensor(DType::f32, {3, 17}, 1);
  const HostTensor weight = test_tensor(DType::f32, {17}, 2);
  const std::vector<double> got = floats_of(evaluated(rms_norm(1e-5), {x, weight}));
  for (std::int64_t row = 0; row < 3; ++row) {
    double sum = 0;
    for (std::int64_t i = 0; i < 17; ++i) sum += std::pow(x.float_at(row * 17 + i), 2);
    for (std::int64_t i = 0; i < 17; ++i) {
      const double exact =
          x.float_at(row * 17 + i) / std::sqrt(sum / 17 + 1e-5) * weight.float_at(i);
      EXPECT_NEAR(got[static_cast<std::size_t>(row * 17 + i)], exact, 4e-7 * std::fabs(exact));
    }
  }
}

TEST(RMSNorm, lowering_agrees_with_the_evaluator) {
  for (const DType dtype : {DType(DType::f32), DType(DType::bf16)}) {
    for (const std::vector<std::int64_t>& shape :
         {std::vector<std::int64_t>{5}, {2, 3, 4}, {0, 4}, {2, 0}}) {
      HostTensor x(dtype, shape);
      for (std::int64_t i = 0; i < x.numel(); ++i) x.set_int(i, i % 7 - 3);
      for (const DType weight_dtype : {dtype, DType(DType::f32)}) {
        const HostTensor weight = test_tensor(weight_dtype, {shape.back()}, 5);
        EXPECT_EQ(floats_of(lowered(rms_norm(), {x, weight})),
                  floats_of(evaluated(rms_norm(), {x, weight})));
      }
    }
  }
  const Dim s = dim_var("S", 1, 64);
  const HostTensor x = float_tensor(DType::f32, {2, 2}, {1, 1, 2, 2});
  const HostTensor weight = float_tensor(DType::f32, {2}, {1, 3});
  EXPECT_EQ(floats_of(lowered(rms_norm(0), {x, weight}, {f32({2, s}), f32({s})})),
            (std::vector<double>{1, 3, 1, 3}));
}

TEST(RMSNorm, V80_cost_is_counted_in_f32) {
  const Cost cost =
      cost_of(rms_norm(), {tensor_type({4, 8}, DType::bf16), tensor_type({8}, DType::bf16)});
  EXPECT_EQ(cost.flops, (std::map<DType, std::int64_t>{{DType::f32, 8 * 32}}));
}

}  // namespace
}  // namespace tilefoundry
