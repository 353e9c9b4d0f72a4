// Layouts: functions from coordinates to offsets (the CuTe algebra), and how a layout is bound to a
// mesh of machine participants. All values are interned: equal means same pointer.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "tilefoundry/layout/int_tuple.h"
#include "tilefoundry/layout/mesh.h"
#include "tilefoundry/support/interner.h"

namespace tilefoundry {

enum class LayoutKind { plain, composed, shard };

// One member of the layout family: Layout, ComposedLayout or ShardLayout.
class AnyLayout : public Interned<AnyLayout> {
 public:
  LayoutKind kind() const noexcept { return kind_; }
  // The domain's extents, flat.
  virtual const Shape& domain() const = 0;
  // Replaces every dimension; returns the same object when nothing changes.
  virtual Ref<const AnyLayout> with_dims(const std::function<Dim(const Dim&)>& replace) const = 0;

  virtual std::size_t structural_hash() const = 0;
  virtual bool structural_equal(const AnyLayout& other) const = 0;

 protected:
  explicit AnyLayout(LayoutKind kind) : kind_(kind) {}

 private:
  LayoutKind kind_;
};
using LayoutRef = Ref<const AnyLayout>;

// offset(coord) = sum(coord[i] * strides[i]). Strides may be undecided (`strides() == nullptr`),
// which is not the same as the rank-0 layout.
class Layout final : public AnyLayout {
 public:
  // Throws ValueError (TF3010) when shape and strides are not congruent.
  static Ref<const Layout> make(IntTuple shape, std::optional<IntTuple> strides);
  // Flat convenience.
  static Ref<const Layout> make(const Shape& shape, const Shape& strides);

  const IntTuple& shape() const noexcept { return shape_; }
  const IntTuple* strides() const noexcept { return strides_ ? &*strides_ : nullptr; }
  const Shape& domain() const override { return flat_shape_; }
  Dim size() const;

  LayoutRef with_dims(const std::function<Dim(const Dim&)>& replace) const override;
  std::size_t structural_hash() const override;
  bool structural_equal(const AnyLayout& other) const override;

 private:
  Layout(IntTuple shape, std::optional<IntTuple> strides);
  IntTuple shape_;
  std::optional<IntTuple> strides_;
  Shape flat_shape_;
};

// inner(offset + outer(coord)); a missing part is the identity. The domain is outer's, else
// inner's.
class ComposedLayout final : public AnyLayout {
 public:
  // Throws ValueError (TF3011) when both parts are missing.
  static Ref<const ComposedLayout> make(LayoutRef inner, Dim offset, LayoutRef outer);

  const LayoutRef& inner() const noexcept { return inner_; }
  const Dim& offset() const noexcept { return offset_; }
  const LayoutRef& outer() const noexcept { return outer_; }
  const Shape& domain() const override { return outer_ ? outer_->domain() : inner_->domain(); }

  LayoutRef with_dims(const std::function<Dim(const Dim&)>& replace) const override;
  std::size_t structural_hash() const override;
  bool structural_equal(const AnyLayout& other) const override;

 private:
  ComposedLayout(LayoutRef inner, Dim offset, LayoutRef outer);
  LayoutRef inner_;
  Dim offset_;
  LayoutRef outer_;
};

enum class ShardKind { split, broadcast, partial, dynamic };

// What one mesh axis does to a value.
struct ShardAttr {
  ShardKind kind = ShardKind::broadcast;
  int axis = 0;           // split: the layout-domain position
  std::string reduction;  // partial: "sum", "max" or "min"
  friend bool operator==(const ShardAttr&, const ShardAttr&) = default;
};

// A layout domain bound to a mesh, one attribute per mesh axis.
class ShardLayout final : public AnyLayout {
 public:
  // Missing attributes are Broadcast. Throws ValueError (TF3012) for a split axis out of range, too
  // many attributes or an unknown reduction.
  static Ref<const ShardLayout> make(LayoutRef layout, std::vector<ShardAttr> attrs,
                                     Ref<const Mesh> mesh);

  const LayoutRef& layout() const noexcept { return layout_; }
  const std::vector<ShardAttr>& attrs() const noexcept { return attrs_; }
  const Ref<const Mesh>& mesh() const noexcept { return mesh_; }
  const Shape& domain() const override { return layout_->domain(); }

  LayoutRef with_dims(const std::function<Dim(const Dim&)>& replace) const override;
  std::size_t structural_hash() const override;
  bool structural_equal(const AnyLayout& other) const override;

 private:
  ShardLayout(LayoutRef layout, std::vector<ShardAttr> attrs, Ref<const Mesh> mesh);
  LayoutRef layout_;
  std::vector<ShardAttr> attrs_;
  Ref<const Mesh> mesh_;
};

// Row-major strides; symbolic extents allowed.
Shape c_order_strides(const Shape& shape);

}  // namespace tilefoundry
