#include "tilefoundry/ir/hir/loop_trips.h"

#include <algorithm>

namespace tilefoundry {

std::int64_t LoopTrips::times_of(const Expr& expr) const {
  const auto it = times.find(&expr);
  return it == times.end() ? 1 : it->second;
}

DimSubstitution LoopTrips::substitution(const DimSubstitution& extents) const {
  return [extents, values = middle](const Ref<const DimNode>& node) {
    if (node->as_var() == nullptr) {
      const auto it = values.find(dynamic_cast<const Var*>(node->as_atom()));
      if (it != values.end()) return Dim(it->second);
    }
    return extents(node);
  };
}

namespace {

// Recurses on the nesting of loops.
void count_region(const std::vector<ExprRef>& nodes, std::int64_t around,
                  const DimSubstitution& extents, LoopTrips& out) {
  for (const ExprRef& node : nodes) {
    if (around != 1) out.times[node.get()] = around;
    const auto* loop = expr_cast<GridRegionExpr>(node);
    if (loop == nullptr) continue;
    const auto value = [&](const Dim& dim) { return substitute(dim, out.substitution(extents)); };
    const Dim start = value(loop->start());
    const Dim step = value(loop->step());
    const Dim extent = value(loop->extent());
    std::int64_t trips = 1;
    if (start.is_static() && extent.is_static() && step.is_static() && step.value() > 0) {
      const Dim count = dim_max(0, ceildiv(extent - start, step));
      trips = count.value();
      out.middle[loop->induction_var().get()] = start.value() + trips / 2 * step.value();
    } else if (start.is_static()) {
      out.middle[loop->induction_var().get()] = start.value();
    }
    out.trips[loop] = trips;
    std::int64_t inside = 0;
    if (__builtin_mul_overflow(around, trips, &inside)) inside = INT64_MAX;
    count_region(loop->body(), inside, extents, out);
  }
}

}  // namespace

LoopTrips count_trips(const ExprRef& body, const DimSubstitution& extents) {
  LoopTrips out;
  count_region(region_order({body}), 1, extents, out);
  return out;
}

}  // namespace tilefoundry
