#include "tilefoundry/ops/views.h"

#include <fmt/format.h>

#include "tilefoundry/passes/core_lowering.h"
#include "tilefoundry/support/diagnostic.h"

namespace tilefoundry {

std::optional<Shape> buffer_strides(const TensorType& type) {
  const LayoutRef& layout = type.layout();
  if (!layout) return c_order_strides(type.shape());
  if (layout->kind() != LayoutKind::plain || layout->domain() != type.shape()) return std::nullopt;
  const IntTuple* strides = static_cast<const Layout&>(*layout).strides();
  if (strides == nullptr) return std::nullopt;
  return strides->flatten();
}

LayoutRef view_layout(const Shape& shape, const Shape& strides) {
  const Shape wanted = c_order_strides(shape);
  for (std::size_t i = 0; i < shape.size(); ++i) {
    if (!shape[i].is(1) && !(strides[i] == wanted[i])) return Layout::make(shape, strides);
  }
  return nullptr;
}

bool is_c_contiguous(const TensorType& type) {
  const std::optional<Shape> strides = buffer_strides(type);
  return strides && !view_layout(type.shape(), *strides);
}

namespace {

const TensorType& buffer_tensor(const VarRef& buffer) {
  const TensorType* type = as_tensor(buffer->type());
  TF_CHECK(type != nullptr, "a buffer is not a tensor");
  return *type;
}

VarRef copy_window(LoweringContext& ctx, const VarRef& buffer, const Window& window,
                   const std::string& hint) {
  const TensorType& type = buffer_tensor(buffer);
  const VarRef result =
      ctx.alloc(TensorType::make(window.sizes, type.dtype(), nullptr, type.storage()), hint);
  ctx.emit(make_nest(window.sizes, [&](const Shape& iters) {
    Shape index;
    for (std::size_t i = 0; i < iters.size(); ++i) {
      index.push_back(window.starts[i] + iters[i] * Dim(window.strides[i]));
    }
    ScalarBuilder builder;
    builder.store(result, builder.load(buffer, index), iters);
    return builder.take();
  }));
  return result;
}

}  // namespace

VarRef bind_window(LoweringContext& ctx, const VarRef& buffer, const Window& window,
                   const std::string& hint) {
  const TensorType& type = buffer_tensor(buffer);
  std::optional<Shape> strides = buffer_strides(type);
  if (!strides) return copy_window(ctx, buffer, window, hint);
  for (std::size_t i = 0; i < strides->size(); ++i) {
    (*strides)[i] = (*strides)[i] * Dim(window.strides[i]);
  }
  ExprRef view =
      tensor_view(buffer, window.starts, window.sizes, view_layout(window.sizes, *strides));
  const VarRef result = ctx.fresh(view->type(), hint);
  ctx.emit_bind(result, std::move(view));
  return result;
}

VarRef bind_copy(LoweringContext& ctx, const VarRef& buffer, const std::string& hint) {
  const Shape& shape = buffer_tensor(buffer).shape();
  return copy_window(ctx, buffer, {Shape(shape.size(), Dim(0)), shape, AttrInts(shape.size(), 1)},
                     hint);
}

void require_nonnegative(LoweringContext& ctx, const Dim& value, const std::string& message) {
  const DimBounds bounds = dim_bounds(value);
  if (bounds.lo && *bounds.lo >= 0) return;
  const auto* core = dynamic_cast<const CoreLoweringContext*>(&ctx);
  if (core != nullptr && core->surely_nonnegative(value)) return;
  ctx.emit(If::make(scalar_binary(BinaryKind::cmp_lt, dim_value(value), dim_value(0)),
                    Abort::make(message), nullptr));
}

void refuse_sharded(const Call& call, const TensorType& type, const std::string& what,
                    const TypeInferContext& ctx) {
  if (!type.layout() || type.layout()->kind() != LayoutKind::shard) return;
  const auto& layout = static_cast<const ShardLayout&>(*type.layout());
  for (const ShardAttr& attr : layout.attrs()) {
    if (attr.kind == ShardKind::broadcast) continue;
    ctx.error(call, fmt::format("{} is sharded in a way that the result cannot carry", what),
              "reshard it to a replicated value first");
  }
}

}  // namespace tilefoundry
