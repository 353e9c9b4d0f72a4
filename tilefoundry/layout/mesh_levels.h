// How a mesh lies over the levels of a machine (design 2.6).
#pragma once

#include <cstddef>
#include <optional>
#include <utility>
#include <vector>

#include "tilefoundry/layout/layout.h"

namespace tilefoundry {

// Half-open range of mesh axes.
struct AxisRange {
  std::size_t first;
  std::size_t last;
  friend bool operator==(const AxisRange&, const AxisRange&) = default;
};

// The axes of each level, levels in order: a level takes axes, left to right, until their product
// is exactly its size; axes of extent 1 that are left over go to the last level. An axis that
// straddles two levels, and axes left over, throw ValueError (TF3019).
std::vector<AxisRange> mesh_level_axes(const Mesh& mesh);
// One level's own layout: its axes, with strides divided by the sizes of the levels below. Throws
// ValueError (TF3019) when a stride is no multiple.
Ref<const Layout> mesh_level_layout(const Mesh& mesh, std::size_t level);

// The mesh of two nested scopes: one mesh naming the levels of both, outer first.
MeshRef nest_meshes(const Mesh& outer, const Mesh& inner);

// One entry of `mesh[...]`: a position, which drops the axis, or the half-open range [start, stop).
struct MeshSlice {
  std::int64_t start;
  std::optional<std::int64_t> stop;
};
// Keeps the topologies; the layout becomes ComposedLayout(None, first participant, kept axes).
// Missing entries keep their axes; ranges out of the axis, and empty ones, throw ValueError
// (TF3019). Every axis dropped leaves one axis of extent 1.
MeshRef slice_mesh(const Mesh& mesh, const std::vector<MeshSlice>& entries);

// Whether the positions that the layout states are distinct and exist on the machine: the layout is
// injective and stays below the product of the topology sizes. False when that is not known.
bool states_consistent_positions(const Mesh& mesh);

}  // namespace tilefoundry
