// Groups of units that run block by block, the dimensions that all of them are cut along, and the
// model that says whether a group and which block sizes pay (docs/region-tiling.md).
#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <unordered_map>
#include <vector>

#include "tilefoundry/passes/region_units.h"

namespace tilefoundry {

// What block sizes follow from.
struct BlockFacts {
  int threads = 2;
  std::int64_t l2_bytes = 1 << 20;
};

// A dimension that every leaf of a group has.
struct GroupDim {
  Dim extent;
  std::vector<std::size_t> leaf_dims;        // for each leaf, the one of its dimensions that it is
  std::unordered_map<const Var*, int> axes;  // of the roots that the group writes
  int tail = 2;                              // 0: columns, 1: rows, 2: a batch
  std::int64_t block = 0;                    // 0: not cut
};

struct RegionGroup {
  std::vector<std::size_t> units;  // in the order in which they run
  std::vector<const Leaf*> leaves;
  std::vector<GroupDim> dims;
  std::unordered_map<const Var*, bool> roots;  // touched, and whether written
  double cost = -1;  // of the best way to run it, in ns; negative: not estimated yet
  bool cut = false;  // that way is block by block
  bool has_seed = false;
};

// The common dimensions of leaves; empty with `why` when there is none.
std::vector<GroupDim> common_dims(const std::vector<const Leaf*>& leaves, std::string& why);

// Chooses the block sizes of the group's dimensions and sets `cost` and `cut`. `is_private` holds
// the buffers that nothing outside the group touches.
void choose_blocks(RegionGroup& group, const std::unordered_map<const Var*, bool>& is_private,
                   const BlockFacts& facts);

}  // namespace tilefoundry
