#include "tilefoundry/ops/sigmoid.h"

#include <cmath>

#include "tilefoundry/ops/float_function.h"

namespace tilefoundry {

const OpClass& Sigmoid::op_class() {
  static const OpClass& cls = OpClassBuilder<Sigmoid>("Sigmoid", Dialect::tf, "nn")
                                  .summary("1 / (1 + exp(-x)).")
                                  .input("x")
                                  .build();
  return cls;
}

void register_sigmoid() {
  register_float_function<Sigmoid>();
  register_evaluator<Sigmoid>(
      [](const Call&, const Sigmoid&, const std::vector<HostValue>& args, EvaluateContext&) {
        return evaluate_float_function(args[0].tensor(),
                                       [](double x) { return 1.0 / (1.0 + std::exp(-x)); });
      });
  register_hir_lowering<Sigmoid>([](LoweringContext& ctx, const Sigmoid&, const Call& call) {
    return lower_float_function(ctx, call, [](ScalarBuilder& builder, const ExprRef& x) {
      return builder.unary(UnaryKind::sigmoid, x);
    });
  });
}

}  // namespace tilefoundry
