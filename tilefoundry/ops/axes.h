// Index arithmetic on axes.
#pragma once

#include <cstdint>

#include "tilefoundry/dims/dim.h"

namespace tilefoundry {

// A Python axis that is in range already.
inline std::size_t axis_at(std::int64_t axis, std::size_t rank) {
  return static_cast<std::size_t>(axis < 0 ? axis + static_cast<std::int64_t>(rank) : axis);
}
// Without one axis, and with `at` inserted as one.
inline Shape without_axis(Shape shape, std::size_t axis) {
  shape.erase(shape.begin() + static_cast<std::ptrdiff_t>(axis));
  return shape;
}
inline Shape with_axis(Shape shape, std::size_t axis, const Dim& at) {
  shape.insert(shape.begin() + static_cast<std::ptrdiff_t>(axis), at);
  return shape;
}

}  // namespace tilefoundry
