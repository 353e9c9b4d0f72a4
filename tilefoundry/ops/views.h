// What the ops that look at memory in another way share: strides, windows, run-time checks.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "tilefoundry/ops/common.h"
#include "tilefoundry/passes/loop_nest.h"

namespace tilefoundry {

// Element strides of a buffer: its plain layout's, or C order without a layout. Nothing for another
// kind of layout.
std::optional<Shape> buffer_strides(const TensorType& type);
// Whether an element's offset is its row-major number.
bool is_c_contiguous(const TensorType& type);
// The layout of a view of `shape` with `strides`; null when it is C order.
LayoutRef view_layout(const Shape& shape, const Shape& strides);

// A window of a buffer. Its layout is stated unless it is C order.
struct Window {
  Shape starts;
  Shape sizes;
  AttrInts strides;
};
// Binds a view of the window; a copy where the buffer's layout is no plain one.
VarRef bind_window(LoweringContext& ctx, const VarRef& buffer, const Window& window,
                   const std::string& hint);
// A copy of a buffer in C order.
VarRef bind_copy(LoweringContext& ctx, const VarRef& buffer, const std::string& hint);
// Ends the call at run time with `message` unless 0 <= value; nothing where that is certain.
void require_nonnegative(LoweringContext& ctx, const Dim& value, const std::string& message);

// Refuses a value that is split over a mesh: `what` names the operand.
void refuse_sharded(const Call& call, const TensorType& type, const std::string& what,
                    const TypeInferContext& ctx);

}  // namespace tilefoundry
