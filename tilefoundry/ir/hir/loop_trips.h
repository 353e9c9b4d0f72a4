// How often the nodes of a body run.
#pragma once

#include <unordered_map>

#include "tilefoundry/ir/hir/grid_region.h"

namespace tilefoundry {

struct LoopTrips {
  // Trips of each loop; of an inner one whose bounds move, those at the middle of the outer.
  std::unordered_map<const Expr*, std::int64_t> trips;
  // Of nodes in loops: the product of the trips around them. Others run once.
  std::unordered_map<const Expr*, std::int64_t> times;
  // The middle values of the loops' variables.
  std::unordered_map<const Var*, std::int64_t> middle;

  std::int64_t times_of(const Expr& expr) const;
  // `extents`, and the middle values for the variables of loops.
  DimSubstitution substitution(const DimSubstitution& extents) const;
};

// For everything below `body`, dimensions given by `extents`. A loop whose trips they leave open
// counts once. Products saturate.
LoopTrips count_trips(const ExprRef& body, const DimSubstitution& extents);

}  // namespace tilefoundry
