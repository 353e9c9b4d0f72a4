// The layout algebra (design 2.5). A layout is read here as a function of one index: the index is
// split over the flat modes with the leftmost mode fastest, and the last mode is unbounded. Extents
// and strides may be symbolic; an operation whose answer depends on an unknown order or
// divisibility refuses by ValueError (TF3015) that names the values. Extents count as positive.
#pragma once

#include <optional>
#include <vector>

#include "tilefoundry/layout/layout.h"

namespace tilefoundry {

using PlainLayoutRef = Ref<const Layout>;

// (1, s0, s0*s1, ...) in the nesting of `shape`.
IntTuple prefix_products(const IntTuple& shape);
// Column-major layout of a shape.
PlainLayoutRef column_major(IntTuple shape);
// Row-major strides; nullopt when a product overflows int64.
std::optional<Shape> try_c_order_strides(const Shape& shape);

// The coordinate in `shape` of an index; every mode takes its remainder, so an index past the size
// wraps.
IntTuple idx2crd(const Dim& index, const IntTuple& shape);
// sum(coord * strides). A leaf coordinate stands for an index into the (nested) mode it meets; a
// coordinate of another structure throws ValueError (TF3010).
Dim crd2idx(const IntTuple& coord, const IntTuple& shape, const IntTuple& strides);
// Offset of an index / of a flat coordinate, through any member of the family but ShardLayout,
// whose own layout is used. Undecided strides throw ValueError (TF3016).
Dim offset_of_index(const AnyLayout& layout, const Dim& index);
Dim offset_of_coord(const AnyLayout& layout, const Shape& coord);
// One past the largest offset, for strides that are not negative.
Dim cosize(const Layout& layout);

// The same function with the fewest flat modes.
PlainLayoutRef coalesce(const Layout& layout);
// r with r(i) == a(b(i)) for every i below b's size, congruent with b up to splitting of its modes.
PlainLayoutRef composition(const Layout& a, const Layout& b);
// Ascending strides of what `layout` leaves out of [0, extent): (layout, complement) together is
// injective and reaches every offset below `extent`.
PlainLayoutRef complement(const Layout& layout, const Dim& extent);
// r with layout(r(i)) == i on the longest contiguous range from 0 that the layout reaches.
PlainLayoutRef right_inverse(const Layout& layout);
// r with r(layout(i)) == i below the layout's size; the layout is injective.
PlainLayoutRef left_inverse(const Layout& layout);
// (tile, rest): composition of `layout` with (tiler, complement of tiler in its size).
PlainLayoutRef logical_divide(const Layout& layout, const Layout& tiler);
// (layout, copies): `copies` repeats the layout at disjoint offsets in the order of `tiler`.
PlainLayoutRef logical_product(const Layout& layout, const Layout& tiler);
// Concatenates modes.
PlainLayoutRef join_layouts(const std::vector<PlainLayoutRef>& layouts);

// Whether no two coordinates share an offset; nullopt when the strides do not tell (symbolic, or
// overlapping ranges of more than 2^20 coordinates).
std::optional<bool> is_injective(const Layout& layout);

// The set of offsets of a static layout, ascending. More than 2^20 throw ValueError (TF3017).
std::vector<std::int64_t> image(const AnyLayout& layout);
// Whether coordinates come back from an offset by division and remainder: the modes' strides nest.
bool is_inverse_projectable(const AnyLayout& layout);
// The flat coordinate of an offset in the image, as dimension arithmetic. Throws NotProjectable
// when the strides do not nest.
Shape project(const AnyLayout& layout, const Dim& offset);
// Whether a static offset is in the image. Throws NotProjectable as `project` does.
bool contains(const AnyLayout& layout, std::int64_t offset);

}  // namespace tilefoundry
