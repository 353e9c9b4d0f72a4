// A group of units as loops over blocks around the units, cut to one block.
#pragma once

#include "tilefoundry/passes/region_group.h"

namespace tilefoundry {

// `units` are those of the group, in order; `temporaries` are the allocations that move inside:
// each is touched in the group only. `names` gives the name of each block loop, by dimension of the
// group.
StmtRef rewrite_region(const RegionGroup& group, const std::vector<const RegionUnit*>& units,
                       const std::vector<VarRef>& temporaries,
                       const std::vector<std::string>& names, const ViewAxes& views);

}  // namespace tilefoundry
