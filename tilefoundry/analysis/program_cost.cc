#include "tilefoundry/analysis/program_cost.h"

#include <unordered_map>

#include "tilefoundry/analysis/specialize.h"
#include "tilefoundry/dims/dim_arithmetic.h"
#include "tilefoundry/ir/expr_visitor.h"
#include "tilefoundry/ir/hir/loop_trips.h"
#include "tilefoundry/registry/cost.h"

namespace tilefoundry {
namespace {

// A context whose types are those of the program at the given extents.
class BoundCostContext final : public CostContext {
 public:
  BoundCostContext(ModuleRef module, const std::vector<ExprRef>& order,
                   const DimSubstitution& extents)
      : CostContext(std::move(module)) {
    for (const ExprRef& expr : order) {
      cache.emplace(expr.get(), substitute_dims(expr->type(), extents));
      keep_alive.push_back(expr);
    }
  }
};

std::int64_t function_flops(const ModuleRef& module, const Function& root,
                            const DimSubstitution& extents) {
  std::unordered_map<const Function*, std::int64_t> done;
  std::vector<const Function*> stack{&root};
  while (!stack.empty()) {
    const Function& function = *stack.back();
    const std::vector<ExprRef> order = post_order({function.body()});
    bool ready = true;
    std::int64_t flops = 0;
    const LoopTrips trips = count_trips(function.body(), extents);
    BoundCostContext ctx(module, order, trips.substitution(extents));
    for (const ExprRef& expr : order) {
      const Call* call = expr_cast<Call>(expr);
      if (call == nullptr) continue;
      if (const Function* callee = as_function(*call->target())) {
        const auto it = done.find(callee);
        if (it == done.end()) {
          stack.push_back(callee);
          ready = false;
        } else {
          flops = checked_add(flops, checked_mul(it->second, trips.times_of(*expr)));
        }
        continue;
      }
      if (!ready) continue;
      const auto* evaluate = cost_evaluator_registry().find<CostFn>(call->target()->node_class());
      if (evaluate == nullptr) continue;
      for (const auto& [dtype, count] : (*evaluate)(*call, ctx).flops) {
        flops = checked_add(flops, checked_mul(count, trips.times_of(*expr)));
      }
    }
    if (!ready) continue;
    done[&function] = flops;
    stack.pop_back();
  }
  return done[&root];
}

}  // namespace

ProgramCost program_cost(const ModuleRef& module, const Function& function,
                         const DimSubstitution& extents) {
  ProgramCost cost;
  // What runs at these extents: prototypes are their variants.
  FunctionRef runs(&function);
  if (is_dispatched(function)) {
    runs = specialize_function(runs, static_extents(function, extents));
  }
  cost.flops = function_flops(module, *runs, extents);
  const auto add = [&](const TypeRef& type) {
    cost.boundary_bytes =
        checked_add(cost.boundary_bytes, tensor_bytes(substitute_dims(type, extents)));
  };
  for (const VarRef& param : function.params()) add(param->type());
  for (const TreeWeight& weight : tree_weights(*module, function)) add(weight.param->type());
  add(function.return_type());
  return cost;
}

}  // namespace tilefoundry
