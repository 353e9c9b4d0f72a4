#include "tilefoundry/ops/windows.h"

#include <fmt/format.h>

#include "tilefoundry/ir/tir/ops.h"
#include "tilefoundry/ops/require.h"
#include "tilefoundry/ops/views.h"

namespace tilefoundry {

bool is_scalar_integer(const TypeRef& type) {
  const TensorType* tensor = as_tensor(type);
  return tensor != nullptr && tensor->rank() == 0 && tensor->dtype().is_integer();
}

bool surely_negative(const Dim& dim) {
  const DimBounds bounds = dim_bounds(dim);
  return bounds.hi && *bounds.hi < 0;
}

std::optional<Dim> coordinate_dim(const ExprRef& coordinate) {
  if (const auto* value = expr_cast<DimValue>(coordinate)) return value->dim();
  if (const auto* var = expr_cast<Var>(coordinate)) {
    if (is_scalar_integer(var->type())) return var->dim();
  }
  if (const auto* constant = expr_cast<Constant>(coordinate)) {
    if (is_scalar_integer(constant->type())) return Dim(constant->int_at(0));
  }
  return std::nullopt;
}

std::optional<Shape> coordinate_dims(const ExprRef& tuple) {
  const auto* node = expr_cast<Tuple>(tuple);
  if (node == nullptr) return std::nullopt;
  Shape dims;
  for (const ExprRef& element : node->elements()) {
    std::optional<Dim> dim = coordinate_dim(element);
    if (!dim) return std::nullopt;
    dims.push_back(*std::move(dim));
  }
  return dims;
}

std::string range_message(const std::string& what, std::size_t axis) {
  return fmt::format("the window of {} from {{}} of size {{}} lies outside axis {} of extent {{}}",
                     what, axis);
}

bool surely_outside(const AxisRange& range) {
  return surely_negative(range.start) || surely_negative(range.extent - range.size - range.start);
}

namespace {

bool surely_nonnegative(const Dim& dim) {
  const DimBounds bounds = dim_bounds(dim);
  return bounds.lo && *bounds.lo >= 0;
}

}  // namespace

void require_between(LoweringContext& ctx, const Dim& value, const Dim& most, const Shape& values,
                     std::string message) {
  const bool low = !surely_nonnegative(value);
  const bool high = !surely_nonnegative(most - value);
  ExprRef condition;
  if (low) condition = scalar_binary(BinaryKind::cmp_le, dim_value(0), dim_value(value));
  if (high) {
    // No difference with the value, which may be any number.
    ExprRef fits = scalar_binary(BinaryKind::cmp_le, dim_value(value), dim_value(most));
    condition = low ? scalar_binary(BinaryKind::logical_and, condition, fits) : fits;
  }
  if (!condition) return;
  std::vector<ExprRef> operands;
  for (const Dim& dim : values) operands.push_back(dim_value(dim));
  ctx.emit(require(condition, std::move(operands), std::move(message)));
}

void require_inside(LoweringContext& ctx, const AxisRange& range, const std::string& what) {
  require_between(ctx, range.start, range.extent - range.size,
                  {range.start, range.size, range.extent}, range_message(what, range.axis));
}

void check_one_storage(const Call& call, const std::vector<std::size_t>& arguments,
                       TypeInferContext& ctx) {
  const std::size_t first = arguments.front();
  const StorageKind wanted = operand_type(call, first, ctx).storage();
  for (const std::size_t i : arguments) {
    const StorageKind storage = operand_type(call, i, ctx).storage();
    if (storage == wanted || storage == StorageKind::umat || wanted == StorageKind::umat) continue;
    ctx.error(call,
              fmt::format("{} is in {} and {} in {}; operands must share one storage",
                          operand_name(call, first), storage_name(wanted), operand_name(call, i),
                          storage_name(storage)),
              "move one operand first with `reshard(..., storage=...)`");
  }
}

TypeRef written_type(const TensorType& dst) {
  const bool composed = dst.layout() && dst.layout()->kind() == LayoutKind::composed;
  return TensorType::make(dst.shape(), dst.dtype(), composed ? nullptr : dst.layout(),
                          dst.storage());
}

void emit_window_store(LoweringContext& ctx, const VarRef& buffer, const Shape& starts,
                       const VarRef& source, const Shape& sizes) {
  const VarRef window = bind_window(ctx, buffer, {starts, sizes, AttrInts(sizes.size(), 1)},
                                    buffer->name() + "_window");
  ctx.emit(make_nest(sizes, [&](const Shape& at) {
    ScalarBuilder builder;
    builder.store(window, builder.load(source, at), at);
    return builder.take();
  }));
}

Dim bind_scalar(LoweringContext& ctx, const ExprRef& scalar, const std::string& hint) {
  if (const auto* value = expr_cast<DimValue>(scalar)) return value->dim();
  if (const auto* constant = expr_cast<Constant>(scalar)) return Dim(constant->int_at(0));
  const VarRef buffer = ctx.lower(scalar);
  const VarRef name = ctx.fresh(scalar_type(as_tensor(buffer->type())->dtype()), hint);
  ctx.emit_bind(name, load(buffer, {}));
  return name->dim();
}

}  // namespace tilefoundry
