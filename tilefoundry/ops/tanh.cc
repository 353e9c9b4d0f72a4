#include "tilefoundry/ops/tanh.h"

#include <cmath>

#include "tilefoundry/ops/float_function.h"

namespace tilefoundry {

const OpClass& Tanh::op_class() {
  static const OpClass& cls = OpClassBuilder<Tanh>("Tanh", Dialect::tf, "nn")
                                  .summary("The hyperbolic tangent.")
                                  .input("x")
                                  .build();
  return cls;
}

void register_tanh() {
  register_float_function<Tanh>();
  register_evaluator<Tanh>(
      [](const Call&, const Tanh&, const std::vector<HostValue>& args, EvaluateContext&) {
        return evaluate_float_function(args[0].tensor(), [](double x) { return std::tanh(x); });
      });
  register_hir_lowering<Tanh>([](LoweringContext& ctx, const Tanh&, const Call& call) {
    return lower_float_function(ctx, call, [](ScalarBuilder& builder, const ExprRef& x) {
      return builder.unary(UnaryKind::tanh, x);
    });
  });
}

}  // namespace tilefoundry
