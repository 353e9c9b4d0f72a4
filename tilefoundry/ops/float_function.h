// What ops share that are one function of every element of a float x: computed in f32, rounded
// once.
#pragma once

#include <functional>

#include "tilefoundry/evaluate/evaluator.h"
#include "tilefoundry/ops/common.h"
#include "tilefoundry/passes/loop_nest.h"

namespace tilefoundry {

// The type of x, which must be a float tensor.
TypeRef float_function_type(const Call& call, TypeInferContext& ctx);
// One flop in f32 and one special function per element.
Cost float_function_cost(const Call& call, CostContext& ctx);
// `function` in double of every element, rounded to f32 and to x's dtype.
HostValue evaluate_float_function(const HostTensor& x,
                                  const std::function<double(double)>& function);
// The loops around `function`, which gets x in f32 and gives f32.
using FloatFunction = std::function<ExprRef(ScalarBuilder& builder, const ExprRef& x)>;
VarRef lower_float_function(LoweringContext& ctx, const Call& call, const FloatFunction& function);

// Every column but evaluation and lowering.
template <class T>
void register_float_function() {
  register_op_class(T::op_class());
  register_typeinfer<T>([](const Call& call, const T&, TypeInferContext& ctx) {
    return float_function_type(call, ctx);
  });
  register_type_relation<T>(
      [](const Call& call, const T&, const std::vector<TypeRef>& types, TypeInferContext& ctx) {
        return broadcast_relation(call, types, ctx);
      });
  register_access_relation<T>([](const Call& call, const T&, TypeInferContext& ctx) {
    return relation_boundaries(call, ctx);
  });
  register_cost_evaluator<T>(
      [](const Call& call, const T&, CostContext& ctx) { return float_function_cost(call, ctx); });
}

}  // namespace tilefoundry
