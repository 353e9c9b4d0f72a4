// Indices, coordinates and offsets.
#include <fmt/format.h>

#include "tilefoundry/dims/dim_arithmetic.h"
#include "tilefoundry/layout/algebra.h"
#include "tilefoundry/layout/modes.h"
#include "tilefoundry/support/diagnostic.h"

namespace tilefoundry {
namespace {

IntTuple prefix_from(const IntTuple& shape, Dim& product) {
  if (shape.is_leaf()) {
    const Dim stride = product;
    product = product * shape.leaf();
    return stride;
  }
  std::vector<IntTuple> items;
  for (const IntTuple& item : shape.items()) items.push_back(prefix_from(item, product));
  return items;
}

[[noreturn]] void refuse_structure(const IntTuple& coord, const IntTuple& shape) {
  throw ValueError(
      Diagnostic{.code = "TF3010",
                 .message = fmt::format("coordinate {} does not have the structure of shape {}",
                                        coord.text(), shape.text()),
                 .hint = "a coordinate has one entry per mode, nested as the shape is"});
}

// Splits an index over flat extents, the first one fastest.
Shape split_index(const Dim& index, const Shape& extents) {
  Shape coord;
  Dim product(1);
  for (const Dim& extent : extents) {
    coord.push_back(extent.is(0) ? Dim(0) : mod(floordiv(index, product), extent));
    if (!extent.is(0)) product = product * extent;
  }
  return coord;
}

IntTuple shaped(const Shape& leaves, const IntTuple& shape, std::size_t& next) {
  if (shape.is_leaf()) return leaves[next++];
  std::vector<IntTuple> items;
  for (const IntTuple& item : shape.items()) items.push_back(shaped(leaves, item, next));
  return items;
}

const Layout& plain(const AnyLayout& layout) { return static_cast<const Layout&>(layout); }

}  // namespace

IntTuple prefix_products(const IntTuple& shape) {
  Dim product(1);
  return prefix_from(shape, product);
}

PlainLayoutRef column_major(IntTuple shape) {
  IntTuple strides = prefix_products(shape);
  return Layout::make(std::move(shape), std::move(strides));
}

std::optional<Shape> try_c_order_strides(const Shape& shape) {
  try {
    return c_order_strides(shape);
  } catch (const ValueError&) {
    return std::nullopt;
  }
}

IntTuple idx2crd(const Dim& index, const IntTuple& shape) {
  std::size_t next = 0;
  return shaped(split_index(index, shape.flatten()), shape, next);
}

Dim crd2idx(const IntTuple& coord, const IntTuple& shape, const IntTuple& strides) {
  if (!shape.congruent(strides)) refuse_structure(strides, shape);
  if (coord.is_leaf()) {
    if (shape.is_leaf()) return coord.leaf() * strides.leaf();
    const Shape split = split_index(coord.leaf(), shape.flatten());
    const Shape steps = strides.flatten();
    Dim offset(0);
    for (std::size_t i = 0; i < split.size(); ++i) offset = offset + split[i] * steps[i];
    return offset;
  }
  if (shape.is_leaf() || shape.items().size() != coord.items().size()) {
    refuse_structure(coord, shape);
  }
  Dim offset(0);
  for (std::size_t i = 0; i < coord.items().size(); ++i) {
    offset = offset + crd2idx(coord.items()[i], shape.items()[i], strides.items()[i]);
  }
  return offset;
}

Dim offset_of_coord(const AnyLayout& layout, const Shape& coord) {
  if (layout.kind() == LayoutKind::shard) {
    return offset_of_coord(*static_cast<const ShardLayout&>(layout).layout(), coord);
  }
  if (coord.size() != layout.domain().size()) {
    refuse_structure(IntTuple::flat(coord), IntTuple::flat(layout.domain()));
  }
  if (layout.kind() == LayoutKind::plain) {
    Dim offset(0);
    const std::vector<Mode> modes = flat_modes(plain(layout));
    for (std::size_t i = 0; i < modes.size(); ++i) offset = offset + coord[i] * modes[i].stride;
    return offset;
  }
  const auto& composed = static_cast<const ComposedLayout&>(layout);
  if (!composed.outer()) {
    // The offset moves along the inner layout's index.
    const Dim index = crd2idx(IntTuple::flat(coord), IntTuple::flat(layout.domain()),
                              prefix_products(IntTuple::flat(layout.domain())));
    return offset_of_index(*composed.inner(), composed.offset() + index);
  }
  const Dim moved = composed.offset() + offset_of_coord(*composed.outer(), coord);
  return composed.inner() ? offset_of_index(*composed.inner(), moved) : moved;
}

Dim offset_of_index(const AnyLayout& layout, const Dim& index) {
  if (layout.kind() == LayoutKind::shard) {
    return offset_of_index(*static_cast<const ShardLayout&>(layout).layout(), index);
  }
  if (layout.kind() == LayoutKind::plain && layout.domain().size() == 1) {
    return index * flat_modes(plain(layout)).front().stride;
  }
  const Shape& domain = layout.domain();
  Shape coord = split_index(index, domain);
  if (!domain.empty()) {
    // The last mode is unbounded.
    Dim before(1);
    for (std::size_t i = 0; i + 1 < domain.size(); ++i) {
      before = before * (domain[i].is(0) ? Dim(1) : domain[i]);
    }
    coord.back() = floordiv(index, before);
  }
  return offset_of_coord(layout, coord);
}

Dim cosize(const Layout& layout) {
  Dim last(0);
  for (const Mode& mode : flat_modes(layout)) {
    if (mode.extent.is(0)) return 0;
    last = last + (mode.extent - 1) * mode.stride;
  }
  return last + 1;
}

}  // namespace tilefoundry
