// `tile_regions`: groups of statements that share dimensions become parallel loops over blocks.
#pragma once

#include <cstdint>
#include <map>
#include <memory>
#include <string>

#include "tilefoundry/passes/pass.h"
#include "tilefoundry/passes/region_group.h"

namespace tilefoundry {

struct RegionOptions {
  BlockFacts facts;
  std::map<std::string, std::int64_t> blocks;  // sizes asked for, by the name of a block loop
};

// Throws PassError TF4470 for a name in `blocks` that no block loop of the module has, TF4471 for a
// size below 1.
std::shared_ptr<Pass> make_tile_regions(RegionOptions options);

}  // namespace tilefoundry
