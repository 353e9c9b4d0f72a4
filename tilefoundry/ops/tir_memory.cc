#include "tilefoundry/ops/tir_memory.h"

#include <fmt/format.h>

#include "tilefoundry/ir/tir/ops.h"
#include "tilefoundry/ops/tile.h"
#include "tilefoundry/ops/views.h"

namespace tilefoundry {
namespace {

// What a library keeps room for.
constexpr std::int64_t kMostProfileSites = std::int64_t{1} << 20;

TypeRef infer_alloc(const Call& call, const AllocTensor& op, TypeInferContext& ctx) {
  const TensorType* type = as_tensor(op.tensor_type);
  if (type == nullptr) {
    ctx.error(call, "tensor_type is not a tensor type", "allocate each field on its own");
  }
  if (type->storage() == StorageKind::umat) {
    ctx.error(call, "a buffer needs a storage that is decided, not umat",
              "name gmem, smem, rmem or host in the tensor type");
  }
  return op.tensor_type;
}

void check_coordinates(const Call& call, const TensorType& memory, TypeInferContext& ctx) {
  const std::size_t count = call.args().size() - 1;
  if (count != 0 && count != memory.rank()) {
    ctx.error(
        call,
        fmt::format("{} coordinates for a buffer of shape {}", count, shape_text(memory.shape())),
        "give one start per axis of the buffer, or none");
  }
  for (std::size_t i = 1; i <= count; ++i) {
    const TensorType& type = operand_type(call, i, ctx);
    if (type.rank() == 0 && type.dtype().is_integer()) continue;
    ctx.error(call, fmt::format("the start of axis {} is not an integer scalar", i - 1));
  }
}

// The strides of a window are those of its memory.
void check_window(const Call& call, const TensorType& memory, const Shape& shape,
                  TypeInferContext& ctx) {
  for (std::size_t axis = 0; axis < shape.size(); ++axis) {
    Dim start = 0;
    if (call.args().size() > 1) {
      const auto* value = expr_cast<DimValue>(call.args()[axis + 1]);
      if (value == nullptr) continue;
      start = value->dim();
    }
    const DimBounds before = dim_bounds(start);
    const DimBounds room = dim_bounds(memory.shape()[axis] - start - shape[axis]);
    if ((!before.hi || *before.hi >= 0) && (!room.hi || *room.hi >= 0)) continue;
    ctx.error(call,
              fmt::format("the window from {} of size {} lies outside axis {} of extent {}",
                          start.text(), shape[axis].text(), axis, memory.shape()[axis].text()));
  }
}

LayoutRef inherited_layout(const Call& call, const TensorType& memory, const Shape& shape,
                           TypeInferContext& ctx) {
  const bool whole = call.args().size() == 1;
  if (whole && is_c_contiguous(memory) && dim_product(shape) == dim_product(memory.shape())) {
    return shape == memory.shape() ? memory.layout() : nullptr;
  }
  const std::optional<Shape> strides = buffer_strides(memory);
  if (!strides && shape == memory.shape()) return memory.layout();
  if (!strides || shape.size() != memory.rank()) {
    ctx.error(call,
              fmt::format("a view of shape {} of a buffer of shape {} has no strides",
                          shape_text(shape), shape_text(memory.shape())),
              "state the layout of the view");
  }
  check_window(call, memory, shape, ctx);
  return view_layout(shape, *strides);
}

TypeRef infer_view(const Call& call, const TensorView& op, TypeInferContext& ctx) {
  const TensorType& memory = operand_type(call, 0, ctx);
  check_coordinates(call, memory, ctx);
  const Shape shape = op.shape.value_or(memory.shape());
  LayoutRef layout;
  if (op.layout && *op.layout) {
    layout = *op.layout;
    if (layout->kind() != LayoutKind::shard && layout->domain().size() != shape.size()) {
      ctx.error(call, fmt::format("the layout has {} axes, the view of shape {} has {}",
                                  layout->domain().size(), shape_text(shape), shape.size()));
    }
  } else {
    layout = inherited_layout(call, memory, shape, ctx);
  }
  return TensorType::make(shape, memory.dtype(), std::move(layout), memory.storage());
}

template <class T>
TypeRef infer_operand_type(const Call& call, const T&, TypeInferContext& ctx) {
  operand_type(call, 0, ctx);
  return ctx.type_of(call.args()[0]);
}

const TensorType& effect_operand(const Evaluate& stmt, std::size_t argument, VerifyContext& ctx) {
  const std::string name = stmt.callable()->op_class().input_name(argument);
  const TypeRef type = ctx.type_of(stmt.args()[argument]);
  const TensorType* tensor = as_tensor(type);
  if (tensor == nullptr) ctx.error(stmt, fmt::format("{} must be a tensor", name));
  return *tensor;
}

void check_arity(const Evaluate& stmt, std::size_t wanted, VerifyContext& ctx) {
  if (stmt.args().size() == wanted) return;
  ctx.error(stmt, fmt::format("takes {} arguments, got {}", wanted, stmt.args().size()));
}

void check_destination(const Evaluate& stmt, std::size_t argument, VerifyContext& ctx) {
  const ExprKind kind = stmt.args()[argument]->kind();
  if (kind == ExprKind::var || kind == ExprKind::call) return;
  ctx.error(stmt, fmt::format("{} is a {} and cannot be written",
                              stmt.callable()->op_class().input_name(argument),
                              stmt.args()[argument]->class_name()));
}

void verify_copy(const Evaluate& stmt, const Copy&, VerifyContext& ctx) {
  check_arity(stmt, 2, ctx);
  check_destination(stmt, 1, ctx);
  const TensorType& src = effect_operand(stmt, 0, ctx);
  const TensorType& dst = effect_operand(stmt, 1, ctx);
  if (src.shape() != dst.shape()) {
    ctx.error(stmt,
              fmt::format("src has shape {}, dst has shape {}", shape_text(src.shape()),
                          shape_text(dst.shape())),
              "a copy does not broadcast");
  }
  if (src.dtype() != dst.dtype()) {
    ctx.error(
        stmt,
        fmt::format("src has dtype {}, dst has dtype {}", src.dtype().name(), dst.dtype().name()),
        "convert with T.cast(src, dst)");
  }
}

void verify_fill(const Evaluate& stmt, const Fill&, VerifyContext& ctx) {
  check_arity(stmt, 2, ctx);
  check_destination(stmt, 0, ctx);
  const TensorType& tensor = effect_operand(stmt, 0, ctx);
  const TensorType& value = effect_operand(stmt, 1, ctx);
  if (value.rank() != 0) {
    ctx.error(stmt, fmt::format("value has shape {}, wanted a scalar", shape_text(value.shape())));
  }
  if (value.dtype() != tensor.dtype()) {
    ctx.error(stmt, fmt::format("value has dtype {}, the tensor {}", value.dtype().name(),
                                tensor.dtype().name()));
  }
}

void verify_profile_mark(const Evaluate& stmt, const ProfileMark& op, VerifyContext& ctx) {
  check_arity(stmt, 0, ctx);
  if (op.site >= 0 && op.site < op.sites && op.sites <= kMostProfileSites) return;
  ctx.error(stmt, fmt::format("has the site {} of {}", op.site, op.sites),
            fmt::format("sites count from 0 and are at most {}", kMostProfileSites));
}

constexpr std::int64_t kShortRow = 64;

// A copy between contiguous buffers with short rows, as one loop over all elements; else null.
StmtRef expand_flat(const VarRef& from, const VarRef& to) {
  const TensorType& type = *as_tensor(to->type());
  if (type.rank() < 2 || !is_c_contiguous(type) || !is_c_contiguous(*as_tensor(from->type()))) {
    return nullptr;
  }
  const Dim& row = type.shape().back();
  if (!row.is_static() || row.value() >= kShortRow) return nullptr;
  const Shape shape{dim_product(type.shape())};
  Block block;
  std::vector<VarRef> flat;
  for (const VarRef& buffer : {from, to}) {
    ExprRef view = tensor_view(buffer, {}, shape);
    flat.push_back(Var::make(buffer->name(), view->type()));
    block.push_back(BlockItem::let(flat.back(), std::move(view)));
  }
  block.push_back(BlockItem::of(make_nest(shape, [&](const Shape& at) {
    ScalarBuilder builder;
    builder.store(flat[1], builder.load(flat[0], at), at);
    return builder.take();
  })));
  return make_block(block);
}

// The nest that stores the other operand's elements in `target`. Operands without a name stay.
StmtRef expand(const Evaluate& stmt, std::size_t target) {
  const auto* to = expr_cast<Var>(stmt.args()[target]);
  const ExprRef& value = stmt.args()[1 - target];
  const auto* from = expr_cast<Var>(value);
  const auto* constant = expr_cast<Constant>(value);
  if (to == nullptr || (from == nullptr && constant == nullptr)) return StmtRef(&stmt);
  if (constant != nullptr && constant->tensor_type().rank() != 0) return StmtRef(&stmt);
  if (from != nullptr && target == 1) {
    if (StmtRef flat = expand_flat(VarRef(from), VarRef(to))) return flat;
  }
  return make_nest(as_tensor(to->type())->shape(), [&](const Shape& at) {
    ScalarBuilder builder;
    ExprRef element =
        constant != nullptr
            ? Constant::make(scalar_type(constant->tensor_type().dtype()), constant->bytes())
            : builder.load(VarRef(from), target == 1 ? at : Shape());
    builder.store(VarRef(to), std::move(element), at);
    return builder.take();
  });
}

}  // namespace

void register_tir_memory() {
  register_typeinfer<AllocTensor>(infer_alloc);
  register_typeinfer<TensorView>(infer_view);
  register_typeinfer<PtrOf>(infer_operand_type<PtrOf>);
  register_typeinfer<MemorySpan>(infer_operand_type<MemorySpan>);
  register_verify_op<Copy>(verify_copy);
  register_verify_op<Fill>(verify_fill);
  register_tile_expansion<Copy>([](const Evaluate& stmt, const Copy&) { return expand(stmt, 1); });
  register_tile_expansion<Fill>([](const Evaluate& stmt, const Fill&) { return expand(stmt, 0); });
  register_verify_op<ProfileMark>(verify_profile_mark);
}

}  // namespace tilefoundry
