#include "tilefoundry/ops/common.h"

#include <algorithm>

#include <fmt/format.h>

#include "tilefoundry/support/diagnostic.h"

namespace tilefoundry {

Fail fail_at(const TypeInferContext& ctx, const Expr& node) {
  return [&ctx, &node](const std::string& message, const std::string& hint) {
    ctx.error(node, message, hint);
  };
}

std::string operand_name(const Call& call, std::size_t argument) {
  return static_cast<const Op&>(*call.target()).op_class().input_name(argument);
}

const TensorType& operand_type(const Call& call, std::size_t argument, TypeInferContext& ctx) {
  return ctx.tensor_type_of(call.args()[argument], call, operand_name(call, argument));
}

DType operand_dtype(const Call& call, std::size_t argument, TypeInferContext& ctx) {
  return operand_type(call, argument, ctx).dtype();
}

std::vector<const TensorType*> tensor_types(const Call& call, const std::vector<TypeRef>& types,
                                            const TypeInferContext& ctx) {
  std::vector<const TensorType*> out;
  for (std::size_t i = 0; i < types.size(); ++i) {
    out.push_back(as_tensor(types[i]));
    if (out.back() != nullptr) continue;
    ctx.error(call, fmt::format("{} must be a tensor", operand_name(call, i)),
              "take a field of the tuple first");
  }
  return out;
}

std::size_t normalize_axis(std::int64_t axis, std::size_t rank, const Fail& fail) {
  const auto limit = static_cast<std::int64_t>(rank);
  if (axis < -limit || axis >= limit) {
    fail(fmt::format("axis {} is out of range for rank {}", axis, rank),
         rank == 0 ? "a scalar has no axes"
                   : fmt::format("use an axis from {} to {}", -limit, limit - 1));
  }
  return static_cast<std::size_t>(axis < 0 ? axis + limit : axis);
}

namespace {

std::string extent_hint(const Dim& a, const Dim& b) {
  if (a.is_static() && b.is_static()) return "extents must be equal, or one of them 1";
  return "extents must be the same dimension, or one of them 1: declare both with one DimVar";
}

}  // namespace

Shape broadcast_shape(const std::vector<NamedShape>& operands, const Fail& fail) {
  std::size_t rank = 0;
  for (const NamedShape& operand : operands) rank = std::max(rank, operand.shape->size());
  Shape result(rank, Dim(1));
  std::vector<const NamedShape*> source(rank, nullptr);
  for (const NamedShape& operand : operands) {
    const std::size_t shift = rank - operand.shape->size();
    for (std::size_t axis = shift; axis < rank; ++axis) {
      const Dim& extent = (*operand.shape)[axis - shift];
      if (extent.is(1) || extent == result[axis]) continue;
      if (source[axis] != nullptr) {
        fail(fmt::format("{} of shape {} and {} of shape {} do not broadcast: axis {} has the "
                         "extents {} and {}",
                         source[axis]->name, shape_text(*source[axis]->shape), operand.name,
                         shape_text(*operand.shape),
                         static_cast<std::int64_t>(axis) - static_cast<std::int64_t>(rank),
                         result[axis].text(), extent.text()),
             extent_hint(result[axis], extent));
      }
      result[axis] = extent;
      source[axis] = &operand;
    }
  }
  return result;
}

Shape broadcast_index(const Shape& operand, const Shape& result, const Shape& at) {
  const std::size_t shift = result.size() - operand.size();
  Shape index;
  for (std::size_t axis = 0; axis < operand.size(); ++axis) {
    const bool repeated = operand[axis].is(1) && !result[axis + shift].is(1);
    index.push_back(repeated ? Dim(0) : at[axis + shift]);
  }
  return index;
}

Shape iteration_variables(std::size_t rank) {
  Shape out;
  for (std::size_t k = 0; k < rank; ++k) out.push_back(iter(k));
  return out;
}

AccessRelationResult broadcast_relation(const Call& call, const std::vector<TypeRef>& types,
                                        const TypeInferContext& ctx) {
  const std::vector<const TensorType*> tensors = tensor_types(call, types, ctx);
  const OpClass& cls = static_cast<const Op&>(*call.target()).op_class();
  std::vector<NamedShape> shapes;
  for (std::size_t i = 0; i < tensors.size(); ++i) {
    shapes.push_back({cls.inputs()[i].name, &tensors[i]->shape()});
  }
  Shape extents = broadcast_shape(shapes, fail_at(ctx, call));
  const Shape at = iteration_variables(extents.size());
  std::vector<BoundaryAccess> accesses;
  for (const TensorType* tensor : tensors) {
    accesses.push_back(BoundaryAccess::of(broadcast_index(tensor->shape(), extents, at)));
  }
  accesses.push_back(BoundaryAccess::of(at));
  return {std::move(extents), std::move(accesses)};
}

namespace {

AccessRelationResult relation_of(const Call& call, TypeInferContext& ctx) {
  std::vector<TypeRef> types;
  for (const ExprRef& arg : call.args()) types.push_back(ctx.type_of(arg));
  std::optional<AccessRelationResult> relation = build_relation(call, types, ctx);
  if (!relation) ctx.error(call, "no forward relation is registered, which its typing needs");
  return *std::move(relation);
}

}  // namespace

AccessRelations relation_boundaries(const Call& call, TypeInferContext& ctx) {
  return classify(relation_of(call, ctx), call.args().size());
}

Shape result_shape(const Call& call, TypeInferContext& ctx) {
  return boundary_shape(relation_of(call, ctx), call.args().size());
}

StorageKind merge_storage(const Call& call, TypeInferContext& ctx) {
  StorageKind merged = StorageKind::umat;
  std::size_t source = 0;
  for (std::size_t i = 0; i < call.args().size(); ++i) {
    const StorageKind storage = operand_type(call, i, ctx).storage();
    if (storage == StorageKind::umat || storage == merged) continue;
    if (merged != StorageKind::umat) {
      ctx.error(call,
                fmt::format("{} is in {} and {} in {}; operands must share one storage",
                            operand_name(call, source), storage_name(merged), operand_name(call, i),
                            storage_name(storage)),
                "move one operand first with `reshard(..., storage=...)`");
    }
    merged = storage;
    source = i;
  }
  return merged;
}

std::string dtype_or_f32(DType x) {
  return x == DType(DType::f32) ? "f32" : fmt::format("{} or f32", x.name());
}

std::string cast_hint(const std::string& name, DType dtype) {
  return fmt::format("cast it first: cast({}, dtype=\"{}\")", name, dtype.name());
}

DType common_dtype(const Call& call, std::size_t first, TypeInferContext& ctx) {
  const DType wanted = operand_dtype(call, first, ctx);
  for (std::size_t i = first + 1; i < call.args().size(); ++i) {
    const DType dtype = operand_dtype(call, i, ctx);
    if (dtype == wanted) continue;
    const std::string name = operand_name(call, i);
    ctx.error(call,
              fmt::format("{} has dtype {} and {} has dtype {}; operands must have one dtype",
                          operand_name(call, first), wanted.name(), name, dtype.name()),
              fmt::format("cast one operand: cast({}, dtype=\"{}\")", name, wanted.name()));
  }
  return wanted;
}

namespace {

LayoutRef shared_layout(const Call& call, const Shape& shape, TypeInferContext& ctx) {
  LayoutRef shared;
  bool first = true;
  for (std::size_t i = 0; i < call.args().size(); ++i) {
    const TensorType& type = operand_type(call, i, ctx);
    if (type.rank() == 0 && type.storage() == StorageKind::umat) continue;
    if (type.shape() != shape || (!first && type.layout() != shared)) return nullptr;
    shared = type.layout();
    first = false;
  }
  return shared && shared->kind() == LayoutKind::shard ? shared : nullptr;
}

}  // namespace

TypeRef pointwise_type(const Call& call, DType dtype, TypeInferContext& ctx) {
  Shape shape = result_shape(call, ctx);
  LayoutRef layout = shared_layout(call, shape, ctx);
  return TensorType::make(std::move(shape), dtype, std::move(layout), merge_storage(call, ctx));
}

void add_service(Cost& cost, const char* kind, std::int64_t count) {
  if (count != 0) cost.service[kind] += count;
}

}  // namespace tilefoundry
