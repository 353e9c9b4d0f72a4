// Shard layouts against logical shapes (design 2.7): canonical form, local extents, and the
// row-major correspondence between a tensor's shape and a layout's domain.
#pragma once

#include <cstddef>
#include <optional>
#include <vector>

#include "tilefoundry/layout/layout.h"

namespace tilefoundry {

// Entries [first_from, last_from) of one shape and [first_to, last_to) of another that hold the
// same elements in row-major order.
struct ShapeGroup {
  std::size_t first_from;
  std::size_t last_from;
  std::size_t first_to;
  std::size_t last_to;
  friend bool operator==(const ShapeGroup&, const ShapeGroup&) = default;
};

// The finest groups, in order; nullopt when the element counts differ or do not compare.
std::optional<std::vector<ShapeGroup>> regroup(const Shape& from, const Shape& to);

// Factors every split axis of `shape` so that each bound position has exactly the extent of its
// mesh axis: splitting 12 over 4 gives (4 bound, 3 free). Several mesh axes that split one axis
// bind in mesh order, outermost first. `attrs` are in mesh order and count axes of `shape`; strides
// are C-order over the factored shape. Throws ValueError (TF3110) for an extent that does not
// divide, naming mesh axis and extent.
Ref<const ShardLayout> canonical_shard_layout(const Shape& shape, const MeshRef& mesh,
                                              const std::vector<ShardAttr>& attrs);

// The extents that one participant holds, over the layout's domain: a bound position is divided by
// the mesh extents bound to it, also where the position is not factored. Throws ValueError
// (TF3110).
Shape shard_layout_local_shape(const ShardLayout& layout);

// The extents that one participant holds of a tensor of `shape`, which the layout's domain lines up
// with row-major. Throws ValueError (TF3111) when a group of several axes is split so that no box
// of them is what a participant holds.
Shape local_logical_shape(const Shape& shape, const ShardLayout& layout);

// The axis of `shape` that a domain position belongs to; nullopt when it spans several.
std::optional<std::size_t> logical_axis_of(const Shape& shape, const ShardLayout& layout,
                                           std::size_t position);

}  // namespace tilefoundry
