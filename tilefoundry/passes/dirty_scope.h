// What a pass changed, and the typing and verification that follows (passes seed 6).
#pragma once

#include <optional>
#include <set>
#include <string>

#include "tilefoundry/ir/module.h"

namespace tilefoundry {

// Types the changed HIR functions again and verifies the changed prim functions of a tree; returns
// the tree with refreshed types, the very same object when none differed.
//
// Changed are functions with a new identity, the callers of a function whose signature, name or
// target changed or that is gone, and those named in `reported`. `whole_module` checks everything.
ModuleRef check_dirty_scope(const ModuleRef& before, const ModuleRef& after,
                            const std::optional<std::set<std::string>>& reported,
                            bool whole_module);

}  // namespace tilefoundry
