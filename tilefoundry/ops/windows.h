// Where windows lie: coordinates as dimensions, and the checks of them.
#pragma once

#include <optional>
#include <string>

#include "tilefoundry/ops/common.h"
#include "tilefoundry/passes/lowering_abi.h"

namespace tilefoundry {

// A rank-0 tensor of i32 or i64.
bool is_scalar_integer(const TypeRef& type);
// Whether a dimension is below 0 whatever its variables are.
bool surely_negative(const Dim& dim);

// A coordinate that is dimension arithmetic over literals and scalar variables; nothing when an op
// computes it.
std::optional<Dim> coordinate_dim(const ExprRef& coordinate);
// The elements of a tuple of coordinates; nothing when any of them is not known as a dimension.
std::optional<Shape> coordinate_dims(const ExprRef& tuple);

// A window [start, start + size) of an axis.
struct AxisRange {
  Dim start;
  Dim size;
  Dim extent;
  std::size_t axis;
};
// "the window of update from {} of size {} lies outside axis 1 of extent {}", for T.require.
std::string range_message(const std::string& what, std::size_t axis);
// Whether no values of the dimensions put the window inside its axis.
bool surely_outside(const AxisRange& range);
// Ends the call at run time with a message of `values` unless 0 <= value <= most; nothing where
// that is certain.
void require_between(LoweringContext& ctx, const Dim& value, const Dim& most, const Shape& values,
                     std::string message);
// Ends the call at run time unless the window lies inside its axis; nothing where that is certain.
// `what` names the window.
void require_inside(LoweringContext& ctx, const AxisRange& range, const std::string& what);

// What ops that replace a window of dst share: one storage of arguments, and the
// type of the result, which is dst's; the layout of a window of something else is not kept.
void check_one_storage(const Call& call, const std::vector<std::size_t>& arguments,
                       TypeInferContext& ctx);
TypeRef written_type(const TensorType& dst);
// Stores source[0:sizes] at `starts` of a buffer, through a view of that window.
void emit_window_store(LoweringContext& ctx, const VarRef& buffer, const Shape& starts,
                       const VarRef& source, const Shape& sizes);

// A scalar operand as a dimension. One that a buffer holds is loaded once, into a name.
Dim bind_scalar(LoweringContext& ctx, const ExprRef& scalar, const std::string& hint);

}  // namespace tilefoundry
