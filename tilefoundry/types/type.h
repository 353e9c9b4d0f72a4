// The type family (design 2.4). Types are interned: equal means same pointer.
#pragma once

#include <cstdint>
#include <functional>
#include <string>
#include <vector>

#include "tilefoundry/dims/dim.h"
#include "tilefoundry/layout/layout.h"
#include "tilefoundry/types/dtype.h"
#include "tilefoundry/types/storage.h"

namespace tilefoundry {

enum class TypeKind { tensor, tuple, unit, callable };

class Type : public Interned<Type> {
 public:
  TypeKind kind() const noexcept { return kind_; }
  virtual std::size_t structural_hash() const = 0;
  virtual bool structural_equal(const Type& other) const = 0;

 protected:
  explicit Type(TypeKind kind) : kind_(kind) {}

 private:
  TypeKind kind_;
};
using TypeRef = Ref<const Type>;

// Rank 0 is a scalar; there is no other scalar type.
class TensorType final : public Type {
 public:
  // Throws ValueError (TF3022) for a negative static extent.
  static Ref<const TensorType> make(Shape shape, DType dtype, LayoutRef layout = nullptr,
                                    StorageKind storage = StorageKind::gmem);
  // The only spellings of values whose residency is open.
  static Ref<const TensorType> umat_scalar(DType dtype);
  static Ref<const TensorType> umat_tensor(Shape shape, DType dtype);

  const Shape& shape() const noexcept { return shape_; }
  std::size_t rank() const noexcept { return shape_.size(); }
  DType dtype() const noexcept { return dtype_; }
  const LayoutRef& layout() const noexcept { return layout_; }
  StorageKind storage() const noexcept { return storage_; }

  Ref<const TensorType> with_shape(Shape shape) const;
  Ref<const TensorType> with_dtype(DType dtype) const;
  Ref<const TensorType> with_storage(StorageKind storage) const;
  Ref<const TensorType> with_layout(LayoutRef layout) const;

  std::size_t structural_hash() const override;
  bool structural_equal(const Type& other) const override;

 private:
  TensorType(Shape shape, DType dtype, LayoutRef layout, StorageKind storage);
  Shape shape_;
  DType dtype_;
  LayoutRef layout_;
  StorageKind storage_;
};
using TensorTypeRef = Ref<const TensorType>;

class TupleType final : public Type {
 public:
  static Ref<const TupleType> make(std::vector<TypeRef> fields);
  const std::vector<TypeRef>& fields() const noexcept { return fields_; }
  std::size_t structural_hash() const override;
  bool structural_equal(const Type& other) const override;

 private:
  explicit TupleType(std::vector<TypeRef> fields);
  std::vector<TypeRef> fields_;
};

class UnitType final : public Type {
 public:
  static Ref<const UnitType> make();
  std::size_t structural_hash() const override { return 7; }
  bool structural_equal(const Type& other) const override { return other.kind() == TypeKind::unit; }

 private:
  UnitType() : Type(TypeKind::unit) {}
};

class CallableType final : public Type {
 public:
  static Ref<const CallableType> make(TypeRef return_type, std::vector<TypeRef> parameters);
  const TypeRef& return_type() const noexcept { return return_type_; }
  const std::vector<TypeRef>& parameters() const noexcept { return parameters_; }
  std::size_t structural_hash() const override;
  bool structural_equal(const Type& other) const override;

 private:
  CallableType(TypeRef return_type, std::vector<TypeRef> parameters);
  TypeRef return_type_;
  std::vector<TypeRef> parameters_;
};

// The type as a tensor type, or null.
const TensorType* as_tensor(const TypeRef& type) noexcept;
const TupleType* as_tuple(const TypeRef& type) noexcept;

// Sums over tensor leaves. Symbolic extents throw ValueError (TF3023); int64 overflow TF3001;
// sub-byte leaves round up to whole bytes.
std::int64_t numel(const TypeRef& type);
std::int64_t tensor_bytes(const TypeRef& type);

// Calls `visit` for every tensor leaf, in order.
void for_each_leaf(const TypeRef& type, const std::function<void(const TensorType&)>& visit);

// Replaces every dimension of shapes and layouts; the same object when nothing changes.
TypeRef substitute_dims(const TypeRef& type, const DimSubstitution& replace);

}  // namespace tilefoundry
