#include "tilefoundry/types/type.h"

#include <utility>

#include <fmt/format.h>

#include "tilefoundry/dims/dim_arithmetic.h"
#include "tilefoundry/support/diagnostic.h"
#include "tilefoundry/support/hash.h"

namespace tilefoundry {

TensorType::TensorType(Shape shape, DType dtype, LayoutRef layout, StorageKind storage)
    : Type(TypeKind::tensor),
      shape_(std::move(shape)),
      dtype_(dtype),
      layout_(std::move(layout)),
      storage_(storage) {}

TensorTypeRef TensorType::make(Shape shape, DType dtype, LayoutRef layout, StorageKind storage) {
  for (const Dim& extent : shape) {
    if (extent.is_static() && extent.value() < 0) {
      throw ValueError(Diagnostic{.code = "TF3022",
                                  .message = fmt::format("shape {} has the negative extent {}",
                                                         shape_text(shape), extent.value())});
    }
  }
  return static_ref_cast<TensorType>(
      intern(new TensorType(std::move(shape), dtype, std::move(layout), storage)));
}

TensorTypeRef TensorType::umat_scalar(DType dtype) { return umat_tensor({}, dtype); }

TensorTypeRef TensorType::umat_tensor(Shape shape, DType dtype) {
  return make(std::move(shape), dtype, nullptr, StorageKind::umat);
}

TensorTypeRef TensorType::with_shape(Shape shape) const {
  return make(std::move(shape), dtype_, layout_, storage_);
}
TensorTypeRef TensorType::with_dtype(DType dtype) const {
  return make(shape_, dtype, layout_, storage_);
}
TensorTypeRef TensorType::with_storage(StorageKind storage) const {
  return make(shape_, dtype_, layout_, storage);
}
TensorTypeRef TensorType::with_layout(LayoutRef layout) const {
  return make(shape_, dtype_, std::move(layout), storage_);
}

std::size_t TensorType::structural_hash() const {
  return hash_mix(hash_shape(shape_), hash_values(dtype_, layout_, static_cast<int>(storage_)));
}

bool TensorType::structural_equal(const Type& other) const {
  if (other.kind() != TypeKind::tensor) return false;
  const auto& type = static_cast<const TensorType&>(other);
  return shape_ == type.shape_ && dtype_ == type.dtype_ && layout_ == type.layout_ &&
         storage_ == type.storage_;
}

TupleType::TupleType(std::vector<TypeRef> fields)
    : Type(TypeKind::tuple), fields_(std::move(fields)) {}

Ref<const TupleType> TupleType::make(std::vector<TypeRef> fields) {
  return static_ref_cast<TupleType>(intern(new TupleType(std::move(fields))));
}

std::size_t TupleType::structural_hash() const { return hash_range(2, fields_); }

bool TupleType::structural_equal(const Type& other) const {
  return other.kind() == TypeKind::tuple && fields_ == static_cast<const TupleType&>(other).fields_;
}

Ref<const UnitType> UnitType::make() { return static_ref_cast<UnitType>(intern(new UnitType())); }

CallableType::CallableType(TypeRef return_type, std::vector<TypeRef> parameters)
    : Type(TypeKind::callable),
      return_type_(std::move(return_type)),
      parameters_(std::move(parameters)) {}

Ref<const CallableType> CallableType::make(TypeRef return_type, std::vector<TypeRef> parameters) {
  return static_ref_cast<CallableType>(
      intern(new CallableType(std::move(return_type), std::move(parameters))));
}

std::size_t CallableType::structural_hash() const {
  return hash_range(hash_values(3, return_type_), parameters_);
}

bool CallableType::structural_equal(const Type& other) const {
  if (other.kind() != TypeKind::callable) return false;
  const auto& type = static_cast<const CallableType&>(other);
  return return_type_ == type.return_type_ && parameters_ == type.parameters_;
}

const TensorType* as_tensor(const TypeRef& type) noexcept {
  return type && type->kind() == TypeKind::tensor ? static_cast<const TensorType*>(type.get())
                                                  : nullptr;
}

const TupleType* as_tuple(const TypeRef& type) noexcept {
  return type && type->kind() == TypeKind::tuple ? static_cast<const TupleType*>(type.get())
                                                 : nullptr;
}

void for_each_leaf(const TypeRef& type, const std::function<void(const TensorType&)>& visit) {
  if (const TensorType* tensor = as_tensor(type)) {
    visit(*tensor);
  } else if (const TupleType* tuple = as_tuple(type)) {
    for (const TypeRef& field : tuple->fields()) for_each_leaf(field, visit);
  }
}

namespace {

std::int64_t leaf_numel(const TensorType& tensor) {
  // A zero extent makes the count 0 whatever the others are.
  std::int64_t count = 1;
  bool empty = false;
  for (const Dim& extent : tensor.shape()) {
    if (!extent.is_static()) {
      throw ValueError(Diagnostic{
          .code = "TF3023",
          .message = fmt::format("the element count of shape {} is not known: {} is symbolic",
                                 shape_text(tensor.shape()), extent.text())});
    }
    empty = empty || extent.value() == 0;
  }
  if (empty) return 0;
  for (const Dim& extent : tensor.shape()) count = checked_mul(count, extent.value());
  return count;
}

}  // namespace

std::int64_t numel(const TypeRef& type) {
  std::int64_t total = 0;
  for_each_leaf(type,
                [&](const TensorType& leaf) { total = checked_add(total, leaf_numel(leaf)); });
  return total;
}

std::int64_t tensor_bytes(const TypeRef& type) {
  std::int64_t total = 0;
  for_each_leaf(type, [&](const TensorType& leaf) {
    const std::int64_t bits =
        checked_mul(leaf_numel(leaf), leaf.dtype().is_bool() ? 8 : leaf.dtype().bits());
    total = checked_add(total, bits / 8 + (bits % 8 != 0 ? 1 : 0));
  });
  return total;
}

TypeRef substitute_dims(const TypeRef& type, const DimSubstitution& replace) {
  const auto on_dim = [&](const Dim& dim) { return substitute(dim, replace); };
  if (const TensorType* tensor = as_tensor(type)) {
    Shape shape;
    for (const Dim& extent : tensor->shape()) shape.push_back(on_dim(extent));
    LayoutRef layout = tensor->layout() ? tensor->layout()->with_dims(on_dim) : nullptr;
    return TensorType::make(std::move(shape), tensor->dtype(), std::move(layout),
                            tensor->storage());
  }
  if (const TupleType* tuple = as_tuple(type)) {
    std::vector<TypeRef> fields;
    for (const TypeRef& field : tuple->fields()) fields.push_back(substitute_dims(field, replace));
    return TupleType::make(std::move(fields));
  }
  return type;
}

}  // namespace tilefoundry
