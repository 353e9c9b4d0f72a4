#include "tilefoundry/layout/layout.h"

#include <algorithm>
#include <utility>

#include <fmt/format.h>

#include "tilefoundry/support/diagnostic.h"
#include "tilefoundry/support/hash.h"

namespace tilefoundry {
namespace {

[[noreturn]] void refuse(const char* code, std::string message) {
  throw ValueError(Diagnostic{.code = code, .message = std::move(message)});
}

}  // namespace

Layout::Layout(IntTuple shape, std::optional<IntTuple> strides)
    : AnyLayout(LayoutKind::plain),
      shape_(std::move(shape)),
      strides_(std::move(strides)),
      flat_shape_(shape_.flatten()) {}

Ref<const Layout> Layout::make(IntTuple shape, std::optional<IntTuple> strides) {
  if (strides && !shape.congruent(*strides)) {
    refuse("TF3010", fmt::format("layout shape {} and strides {} do not have the same structure",
                                 shape.text(), strides->text()));
  }
  for (const Dim& extent : shape.flatten()) {
    if (extent.is_static() && extent.value() < 0) {
      refuse("TF3010", fmt::format("layout shape {} has a negative extent", shape.text()));
    }
  }
  return static_ref_cast<Layout>(intern(new Layout(std::move(shape), std::move(strides))));
}

Ref<const Layout> Layout::make(const Shape& shape, const Shape& strides) {
  return make(IntTuple::flat(shape), IntTuple::flat(strides));
}

Dim Layout::size() const { return dim_product(flat_shape_); }

LayoutRef Layout::with_dims(const std::function<Dim(const Dim&)>& replace) const {
  std::optional<IntTuple> strides;
  if (strides_) strides = strides_->map(replace);
  return make(shape_.map(replace), std::move(strides));
}

std::size_t Layout::structural_hash() const {
  return hash_values(1, shape_.hash(), strides_ ? strides_->hash() : 0);
}

bool Layout::structural_equal(const AnyLayout& other) const {
  if (other.kind() != LayoutKind::plain) return false;
  const auto& layout = static_cast<const Layout&>(other);
  return shape_ == layout.shape_ && strides_ == layout.strides_;
}

ComposedLayout::ComposedLayout(LayoutRef inner, Dim offset, LayoutRef outer)
    : AnyLayout(LayoutKind::composed),
      inner_(std::move(inner)),
      offset_(std::move(offset)),
      outer_(std::move(outer)) {}

Ref<const ComposedLayout> ComposedLayout::make(LayoutRef inner, Dim offset, LayoutRef outer) {
  if (!inner && !outer) refuse("TF3011", "a ComposedLayout needs an inner or an outer layout");
  return static_ref_cast<ComposedLayout>(
      intern(new ComposedLayout(std::move(inner), std::move(offset), std::move(outer))));
}

LayoutRef ComposedLayout::with_dims(const std::function<Dim(const Dim&)>& replace) const {
  return make(inner_ ? inner_->with_dims(replace) : nullptr, replace(offset_),
              outer_ ? outer_->with_dims(replace) : nullptr);
}

std::size_t ComposedLayout::structural_hash() const {
  return hash_values(2, inner_, offset_, outer_);
}

bool ComposedLayout::structural_equal(const AnyLayout& other) const {
  if (other.kind() != LayoutKind::composed) return false;
  const auto& layout = static_cast<const ComposedLayout&>(other);
  return inner_ == layout.inner_ && offset_ == layout.offset_ && outer_ == layout.outer_;
}

ShardLayout::ShardLayout(LayoutRef layout, std::vector<ShardAttr> attrs, Ref<const Mesh> mesh)
    : AnyLayout(LayoutKind::shard),
      layout_(std::move(layout)),
      attrs_(std::move(attrs)),
      mesh_(std::move(mesh)) {}

Ref<const ShardLayout> ShardLayout::make(LayoutRef layout, std::vector<ShardAttr> attrs,
                                         Ref<const Mesh> mesh) {
  if (!layout || !mesh) refuse("TF3012", "a ShardLayout needs a layout and a mesh");
  if (attrs.size() > mesh->rank()) {
    refuse("TF3012", fmt::format("a ShardLayout over {} mesh axes got {} attributes", mesh->rank(),
                                 attrs.size()));
  }
  attrs.resize(mesh->rank());
  const auto rank = static_cast<int>(layout->domain().size());
  for (const ShardAttr& attr : attrs) {
    if (attr.kind == ShardKind::split && (attr.axis < 0 || attr.axis >= rank)) {
      refuse("TF3012", fmt::format("Split({}) is outside a layout of rank {}", attr.axis, rank));
    }
    const bool known =
        attr.reduction == "sum" || attr.reduction == "max" || attr.reduction == "min";
    if (attr.kind == ShardKind::partial && !known) {
      refuse("TF3012", fmt::format("Partial(\"{}\") is not a reduction; use \"sum\", \"max\" or "
                                   "\"min\"",
                                   attr.reduction));
    }
  }
  return static_ref_cast<ShardLayout>(
      intern(new ShardLayout(std::move(layout), std::move(attrs), std::move(mesh))));
}

LayoutRef ShardLayout::with_dims(const std::function<Dim(const Dim&)>& replace) const {
  return make(layout_->with_dims(replace), attrs_, mesh_->with_dims(replace));
}

std::size_t ShardLayout::structural_hash() const {
  std::size_t seed = hash_values(3, layout_, mesh_);
  for (const ShardAttr& attr : attrs_) {
    seed = hash_mix(seed, hash_values(static_cast<int>(attr.kind), attr.axis, attr.reduction));
  }
  return seed;
}

bool ShardLayout::structural_equal(const AnyLayout& other) const {
  if (other.kind() != LayoutKind::shard) return false;
  const auto& layout = static_cast<const ShardLayout&>(other);
  return layout_ == layout.layout_ && attrs_ == layout.attrs_ && mesh_ == layout.mesh_;
}

Shape c_order_strides(const Shape& shape) {
  Shape strides(shape.size(), Dim(1));
  for (std::size_t i = shape.size(); i-- > 1;) strides[i - 1] = strides[i] * shape[i];
  return strides;
}

}  // namespace tilefoundry
