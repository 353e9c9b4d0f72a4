#include "tilefoundry/ops/softplus.h"

#include <cmath>

#include "tilefoundry/ops/float_function.h"

namespace tilefoundry {

const OpClass& Softplus::op_class() {
  static const OpClass& cls = OpClassBuilder<Softplus>("Softplus", Dialect::tf, "nn")
                                  .summary("log(1 + exp(x)).")
                                  .input("x")
                                  .build();
  return cls;
}

void register_softplus() {
  register_float_function<Softplus>();
  register_evaluator<Softplus>(
      [](const Call&, const Softplus&, const std::vector<HostValue>& args, EvaluateContext&) {
        return evaluate_float_function(args[0].tensor(), [](double x) {
          return x > 0 ? x + std::log1p(std::exp(-x)) : std::log1p(std::exp(x));
        });
      });
  register_hir_lowering<Softplus>([](LoweringContext& ctx, const Softplus&, const Call& call) {
    return lower_float_function(ctx, call, [](ScalarBuilder& builder, const ExprRef& x) {
      return builder.unary(UnaryKind::softplus, x);
    });
  });
}

}  // namespace tilefoundry
