// Which units of a block a mesh names, and the barrier that lets exactly those meet (design 5.1).
#pragma once

#include <cstdint>
#include <string>
#include <variant>

#include "tilefoundry/layout/mesh.h"

namespace tilefoundry {

inline constexpr std::int64_t kWarpSize = 32;

enum class BarrierKind {
  grid,        // every cta of the grid
  block,       // every thread of a block of several warps
  warp,        // a block that is one warp
  lanes,       // lanes inside one warp, under a predicate
  warp_range,  // several whole warps, a named barrier under a predicate
};

struct Barrier {
  BarrierKind kind;
  std::int64_t first = 0;       // thread (or cta) position of the first participant
  std::int64_t count = 0;       // participants
  std::uint32_t lane_mask = 0;  // lanes: bit i is lane i of the warp that holds `first`
  friend bool operator==(const Barrier&, const Barrier&) = default;
};

// The barrier of the participants that a static mesh over one level names, "thread" or "cta".
// Throws VerifyError (TF3112): participants that are no contiguous interval, part of several warps
// without being whole ones, part of a grid, another level, symbolic sizes.
Barrier classify_barrier(const Mesh& mesh);

}  // namespace tilefoundry
