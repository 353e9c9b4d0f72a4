#include "tilefoundry/ops/unary.h"

#include <cmath>
#include <limits>

#include <gtest/gtest.h>

#include "tilefoundry/ops/ops_test_support.h"

namespace tilefoundry {
namespace {

constexpr double kNan = std::numeric_limits<double>::quiet_NaN();

OpRef unary(UnaryKind kind) { return make_op(Unary{.kind = kind}); }

double scalar(UnaryKind kind, double x, DType dtype = DType::f32) {
  return evaluated(unary(kind), {float_tensor(dtype, {}, {x})}).float_at(0);
}

TEST(Unary, keeps_the_type) {
  const TypeRef x = tensor_type({3, 0, dim_var("S", 1, 9)}, DType::bf16);
  EXPECT_EQ(result_type(unary(UnaryKind::exp), {x}), x);
}

TEST(Unary, refuses_dtypes_with_a_remedy) {
  EXPECT_EQ(refusal(unary(UnaryKind::exp), {tensor_type({4}, DType::i32)}),
            "Call[Unary]: exp is not defined on i32, the dtype of x | cast it first: cast(x, "
            "dtype=\"f32\")");
  EXPECT_NE(
      refusal(unary(UnaryKind::logical_not), {tensor_type({4}, DType::f32)}).find("cmp_eq(x, 0)"),
      std::string::npos);
}

// Expected values by Python's math and round.
TEST(Unary, values) {
  EXPECT_EQ(scalar(UnaryKind::round, 2.5), 2);
  EXPECT_EQ(scalar(UnaryKind::round, 3.5), 4);
  EXPECT_EQ(scalar(UnaryKind::round, -0.5), 0);
  EXPECT_EQ(scalar(UnaryKind::rsqrt, 0.25), 2);
  EXPECT_FLOAT_EQ(static_cast<float>(scalar(UnaryKind::erf, 0.5)), 0.5204998778F);
  EXPECT_FLOAT_EQ(static_cast<float>(scalar(UnaryKind::log1p, 1e-8)), 1e-8F);
  EXPECT_EQ(scalar(UnaryKind::exp, 1000), std::numeric_limits<double>::infinity());
  EXPECT_EQ(scalar(UnaryKind::relu, -3), 0);
  EXPECT_TRUE(std::isnan(scalar(UnaryKind::relu, kNan)));
  EXPECT_TRUE(std::isnan(scalar(UnaryKind::sqrt, -1)));
  // exp(1) = 2.71828 rounds to 2.71875 in both 16-bit formats.
  EXPECT_EQ(scalar(UnaryKind::exp, 1, DType::bf16), 2.71875);
  EXPECT_EQ(scalar(UnaryKind::exp, 1, DType::f16), 2.71875);
}

TEST(Unary, integers_wrap) {
  const std::int64_t least = std::numeric_limits<std::int32_t>::min();
  const HostTensor x = int_tensor(DType::i32, {3}, {least, -5, 65536});
  EXPECT_EQ(ints_of(evaluated(unary(UnaryKind::neg), {x})),
            (std::vector<std::int64_t>{least, 5, -65536}));
  EXPECT_EQ(ints_of(evaluated(unary(UnaryKind::abs), {x})),
            (std::vector<std::int64_t>{least, 5, 65536}));
  EXPECT_EQ(ints_of(evaluated(unary(UnaryKind::square), {x})),
            (std::vector<std::int64_t>{0, 25, 0}));
  EXPECT_EQ(ints_of(evaluated(unary(UnaryKind::relu), {x})),
            (std::vector<std::int64_t>{0, 0, 65536}));
}

TEST(Unary, lowering_agrees_with_the_evaluator) {
  for (const DType dtype : {DType(DType::f32), DType(DType::bf16)}) {
    for (const UnaryKind kind : {UnaryKind::exp2, UnaryKind::ceil, UnaryKind::neg}) {
      for (const std::vector<std::int64_t>& shape : {std::vector<std::int64_t>{}, {0}, {2, 3, 1}}) {
        const HostTensor x = test_tensor(dtype, shape, 3);
        EXPECT_EQ(floats_of(lowered(unary(kind), {x})), floats_of(evaluated(unary(kind), {x})));
      }
    }
  }
}

TEST(Unary, V80_cost) {
  const TypeRef x = tensor_type({4, 8}, DType::f16);
  const Cost negate = cost_of(unary(UnaryKind::neg), {x});
  EXPECT_EQ(negate.flops, (std::map<DType, std::int64_t>{{DType::f16, 32}}));
  EXPECT_TRUE(negate.service.empty());
  const Cost exponential = cost_of(unary(UnaryKind::exp), {x});
  EXPECT_EQ(exponential.flops.at(DType::f16), 32);
  EXPECT_EQ(exponential.service.at("special"), 32);
  const Cost integers = cost_of(unary(UnaryKind::neg), {tensor_type({8}, DType::i32)});
  EXPECT_TRUE(integers.flops.empty());
  EXPECT_EQ(integers.service.at("integer"), 8);
}

}  // namespace
}  // namespace tilefoundry
