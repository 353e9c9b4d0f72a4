// What is known about dimensions inside of loops.
#pragma once

#include <optional>
#include <vector>

#include "tilefoundry/ir/hir/grid_region.h"

namespace tilefoundry {

// The values that the variable of a loop takes in its body: lo <= var <= hi. The ends may read the
// variables of outer loops.
struct LoopBound {
  VarRef var;
  Dim lo;
  Dim hi;
};
LoopBound loop_bound(const VarRef& var, const Dim& start, const Dim& extent, const Dim& step);

// The loops around a place, outermost first.
using LoopBounds = std::vector<LoopBound>;

// Whether 0 <= dim is certain. False means unknown.
bool surely_nonnegative(const Dim& dim, const LoopBounds& loops);
// A dimension that is never below `dim` and reads none of the loops' variables; the smallest that
// is found. Nothing when there is none.
std::optional<Dim> greatest(const Dim& dim, const LoopBounds& loops);

}  // namespace tilefoundry
