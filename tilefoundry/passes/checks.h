// Run-time checks in statements: what may end a call, and where it stands.
#pragma once

#include <vector>

#include "tilefoundry/ir/tir/block.h"

namespace tilefoundry {

// Whether an Evaluate may end the call: a check, or a call of a function.
bool may_end_call(const Evaluate& evaluate);

// Moves the checks that depend on nothing but dimensions and scalar parameters to the front, in
// their order, with the loads of those parameters: such a call fails before it writes anything.
Block hoist_checks(const Block& items, const std::vector<VarRef>& params);

}  // namespace tilefoundry
