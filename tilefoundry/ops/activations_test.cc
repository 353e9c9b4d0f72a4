// Sigmoid, Tanh, Softplus, Gelu, ReLU.
#include <cmath>
#include <limits>

#include <gtest/gtest.h>

#include "tilefoundry/ops/gelu.h"
#include "tilefoundry/ops/ops_test_support.h"
#include "tilefoundry/ops/relu.h"
#include "tilefoundry/ops/sigmoid.h"
#include "tilefoundry/ops/softplus.h"
#include "tilefoundry/ops/tanh.h"

namespace tilefoundry {
namespace {

constexpr double kNan = std::numeric_limits<double>::quiet_NaN();
constexpr double kInf = std::numeric_limits<double>::infinity();

OpRef gelu(GeluForm form) { return make_op(Gelu{.approximate = form}); }

struct Activation {
  OpRef op;
  double (*function)(double);
};

double gelu_tanh(double x) {
  return 0.5 * x * (1 + std::tanh(0.7978845608028654 * (x + 0.044715 * x * x * x)));
}
double gelu_erf(double x) { return 0.5 * x * (1 + std::erf(x * 0.7071067811865476)); }

std::vector<Activation> activations() {
  return {{make_op(Sigmoid{}), [](double x) { return 1 / (1 + std::exp(-x)); }},
          {make_op(Tanh{}), [](double x) { return std::tanh(x); }},
          {make_op(Softplus{}), [](double x) { return std::log1p(std::exp(x)); }},
          {gelu(GeluForm::tanh), gelu_tanh},
          {gelu(GeluForm::none), gelu_erf}};
}

TEST(Activations, values_types_and_one_rounding) {
  for (const Activation& activation : activations()) {
    for (const DType dtype : {DType(DType::f32), DType(DType::f16), DType(DType::bf16)}) {
      const HostTensor x = test_tensor(dtype, {3, 7}, 1);
      HostTensor wanted(dtype, {3, 7});
      for (std::int64_t i = 0; i < x.numel(); ++i) {
        wanted.set_float(i, static_cast<float>(activation.function(x.float_at(i))));
      }
      const std::vector<double> exact = floats_of(wanted);
      for (const auto& run : {evaluated(activation.op, {x}), lowered(activation.op, {x})}) {
        EXPECT_EQ(run.dtype(), dtype);
        const std::vector<double> got = floats_of(run);
        for (std::size_t i = 0; i < got.size(); ++i) {
          const double slack = dtype == DType(DType::f32) ? 3e-7 : 0;
          EXPECT_NEAR(got[i], exact[i], slack) << activation.op->op_class().name();
        }
      }
    }
  }
}

TEST(Activations, refusals_cost_and_relation) {
  for (const Activation& activation : activations()) {
    const std::string name = activation.op->op_class().dsl_name();
    EXPECT_EQ(refusal(activation.op, {tensor_type({4}, DType::i32)}),
              "Call[" + activation.op->op_class().name() + "]: " + name +
                  " is not defined on i32, the dtype of x | cast it first: cast(x, dtype=\"f32\")");
    const Cost cost = cost_of(activation.op, {tensor_type({4, 2}, DType::f16)});
    EXPECT_EQ(cost.flops, (std::map<DType, std::int64_t>{{DType::f32, 8}}));
    EXPECT_EQ(cost.service, (std::map<std::string, std::int64_t>{{"special", 8}}));
    const auto relation = relation_of(activation.op, {tensor_type({4, 2}, DType::f16)});
    EXPECT_EQ(relation.accesses()[0], relation.accesses()[1]);
  }
}

TEST(Activations, special_values) {
  const HostTensor x = float_tensor(DType::f32, {5}, {kNan, kInf, -kInf, 1e20, -1e20});
  const auto check = [&](const OpRef& op, const std::vector<double>& wanted) {
    for (const auto& run : {evaluated(op, {x}), lowered(op, {x})}) {
      for (std::int64_t i = 0; i < 5; ++i) {
        const double exact = wanted[static_cast<std::size_t>(i)];
        if (std::isnan(exact)) {
          EXPECT_TRUE(std::isnan(run.float_at(i))) << op->op_class().name() << i;
        } else {
          EXPECT_EQ(run.float_at(i), exact) << op->op_class().name() << i;
        }
      }
    }
  };
  const auto large = static_cast<double>(1e20F);
  check(make_op(Sigmoid{}), {kNan, 1, 0, 1, 0});
  check(make_op(Tanh{}), {kNan, 1, -1, 1, -1});
  check(make_op(Softplus{}), {kNan, kInf, 0, large, 0});
  check(gelu(GeluForm::tanh), {kNan, kInf, kNan, large, 0});
  check(gelu(GeluForm::none), {kNan, kInf, kNan, large, 0});
}

TEST(Activations, the_tail_of_gelu_keeps_its_digits) {
  const HostTensor x = float_tensor(DType::f32, {2}, {-5, -8});
  // From erfc and exp in extended precision.
  EXPECT_NEAR(lowered(gelu(GeluForm::none), {x}).float_at(0), -1.4332578594e-06, 1e-12);
  EXPECT_NEAR(lowered(gelu(GeluForm::none), {x}).float_at(1), -4.9767684597e-15, 1e-20);
  EXPECT_NEAR(lowered(gelu(GeluForm::tanh), {x}).float_at(0),
              evaluated(gelu(GeluForm::tanh), {x}).float_at(0), 1e-12);
}

TEST(ReLU, floats_integers_and_refusal) {
  const OpRef relu = make_op(ReLU{});
  const HostTensor x = float_tensor(DType::bf16, {4}, {-2, 3, kNan, -0.0});
  for (const auto& run : {evaluated(relu, {x}), lowered(relu, {x})}) {
    EXPECT_EQ(run.float_at(0), 0);
    EXPECT_EQ(run.float_at(1), 3);
    EXPECT_TRUE(std::isnan(run.float_at(2)));
    EXPECT_EQ(run.float_at(3), 0);
  }
  const HostTensor n = int_tensor(DType::i64, {3}, {-5, 0, 5});
  EXPECT_EQ(ints_of(lowered(relu, {n})), (std::vector<std::int64_t>{0, 0, 5}));
  EXPECT_EQ(ints_of(evaluated(relu, {n})), (std::vector<std::int64_t>{0, 0, 5}));
  EXPECT_NE(refusal(relu, {tensor_type({4}, DType::boolean)}).find("relu is not defined on bool"),
            std::string::npos);
  EXPECT_EQ(cost_of(relu, {tensor_type({4}, DType::i32)}).service,
            (std::map<std::string, std::int64_t>{{"integer", 4}}));
}

TEST(ReLU, is_the_op_that_the_name_means) {
  const auto candidates = find_ops(Dialect::tf, "relu");
  ASSERT_EQ(candidates.size(), 1U);
  EXPECT_EQ(candidates[0].cls, &ReLU::op_class());
}

}  // namespace
}  // namespace tilefoundry
