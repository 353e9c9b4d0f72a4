#include "tilefoundry/registry/cost.h"

#include <fmt/format.h>

#include "tilefoundry/dims/dim_arithmetic.h"
#include "tilefoundry/support/diagnostic.h"

namespace tilefoundry {

std::int64_t Cost::bytes() const {
  std::int64_t total = 0;
  for (const TrafficBytes& entry : traffic) total = checked_add(total, entry.total_bytes());
  return total;
}

namespace {

// The local type of a leaf; sharded leaves wait for the sharding service.
void require_concrete(const CostContext& ctx, const Expr& node, const TypeRef& type) {
  for_each_leaf(type, [&](const TensorType& leaf) {
    for (const Dim& extent : leaf.shape()) {
      if (extent.is_static()) continue;
      ctx.error(node,
                fmt::format("its cost needs the extent {} of shape {}", extent.text(),
                            shape_text(leaf.shape())),
                "bind the dimension to a size first");
    }
  });
}

}  // namespace

TypeRef CostContext::local_type_of(const ExprRef& expr) {
  const auto it = selected_types.find(expr.get());
  const TypeRef type = it != selected_types.end() ? it->second : type_of(expr);
  require_concrete(*this, *expr, type);
  return type;
}

TypeRef CostContext::local_output_type(const Call& call) {
  const TypeRef type = selected_output_type ? selected_output_type : type_of(ExprRef(&call));
  require_concrete(*this, call, type);
  return type;
}

std::int64_t CostContext::local_numel(const ExprRef& expr) { return numel(local_type_of(expr)); }
std::int64_t CostContext::local_bytes(const ExprRef& expr) {
  return tensor_bytes(local_type_of(expr));
}
std::int64_t CostContext::local_output_numel(const Call& call) {
  return numel(local_output_type(call));
}
std::int64_t CostContext::local_output_bytes(const Call& call) {
  return tensor_bytes(local_output_type(call));
}

AnalysisRegistry& cost_evaluator_registry() {
  static auto* registry = new AnalysisRegistry("cost_evaluator", RegistryKeys::ops);
  return *registry;
}

Cost CostEvaluator::visit_Call(const Call& call) {
  const NodeClass& cls = call.target()->node_class();
  const auto* handler = registry_.find<CostFn>(cls);
  if (handler == nullptr) {
    ctx_.error(call, fmt::format("no cost evaluator is registered for {} (at {})", cls.name(),
                                 call.span().location()));
  }
  Cost cost = (*handler)(call, ctx_);
  const std::size_t wanted = call.args().size() + 1;
  if (cost.traffic.size() != wanted) {
    ctx_.error(call, fmt::format("the cost evaluator of {} reports {} traffic entries; a call with "
                                 "{} arguments needs {}",
                                 cls.name(), cost.traffic.size(), call.args().size(), wanted));
  }
  return cost;
}

Cost pointwise_cost(const Call& call, CostContext& ctx, std::int64_t per_element, DType dtype) {
  Cost cost;
  for (const ExprRef& arg : call.args()) cost.traffic.push_back({ctx.local_bytes(arg), 0});
  cost.traffic.push_back({0, ctx.local_output_bytes(call)});
  const std::int64_t work = checked_mul(per_element, ctx.local_output_numel(call));
  if (work != 0) {
    if (dtype.is_float()) {
      cost.flops[dtype] = work;
    } else {
      cost.service[dtype.is_bool() ? "predicate" : "integer"] = work;
    }
  }
  return cost;
}

Cost view_cost(const Call& call) {
  Cost cost;
  cost.traffic.resize(call.args().size() + 1);
  return cost;
}

}  // namespace tilefoundry
