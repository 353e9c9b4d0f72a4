#include "tilefoundry/ops/gelu.h"

#include <cmath>

#include "tilefoundry/ops/float_function.h"

namespace tilefoundry {

const OpClass& Gelu::op_class() {
  static const OpClass& cls = OpClassBuilder<Gelu>("Gelu", Dialect::tf, "nn")
                                  .summary("x times the normal distribution function of x.")
                                  .input("x")
                                  .attr_with_default<&Gelu::approximate>("approximate")
                                  .build();
  return cls;
}

namespace {

double gelu(GeluForm form, double x) {
  if (form == GeluForm::none) return 0.5 * x * std::erfc(-x / std::sqrt(2.0));
  // (1 + tanh(u)) / 2 = 1 / (1 + exp(-2 u)), without the cancellation.
  const double u = std::sqrt(2.0 / M_PI) * (x + 0.044715 * x * x * x);
  return x * (1.0 / (1.0 + std::exp(-2.0 * u)));
}

// x * sigmoid(x * (a + b * x * x)), which is the form with tanh.
ExprRef sigmoid_form(ScalarBuilder& builder, const ExprRef& x) {
  constexpr double kLinear = 1.5957691216057308;   // 2 sqrt(2 / pi)
  constexpr double kCubic = 0.071354816272600247;  // 0.044715 times that
  const DType f32 = DType::f32;
  const ExprRef square = builder.binary(BinaryKind::mul, x, x);
  const ExprRef cubic = builder.binary(BinaryKind::mul, square, builder.constant(f32, kCubic));
  const ExprRef factor = builder.binary(BinaryKind::add, cubic, builder.constant(f32, kLinear));
  const ExprRef u = builder.binary(BinaryKind::mul, x, factor);
  return builder.binary(BinaryKind::mul, x, builder.unary(UnaryKind::sigmoid, u));
}

// x times the distribution function, which keeps the digits that 1 + erf loses for negative x.
ExprRef erf_form(ScalarBuilder& builder, const ExprRef& x) {
  return builder.binary(BinaryKind::mul, x, builder.unary(UnaryKind::normcdf, x));
}

}  // namespace

void register_gelu() {
  register_float_function<Gelu>();
  register_evaluator<Gelu>(
      [](const Call&, const Gelu& op, const std::vector<HostValue>& args, EvaluateContext&) {
        return evaluate_float_function(args[0].tensor(),
                                       [&](double x) { return gelu(op.approximate, x); });
      });
  register_hir_lowering<Gelu>([](LoweringContext& ctx, const Gelu& op, const Call& call) {
    return lower_float_function(ctx, call,
                                op.approximate == GeluForm::tanh ? sigmoid_form : erf_form);
  });
}

}  // namespace tilefoundry
