#include "tilefoundry/layout/sharding.h"

#include <algorithm>

#include <fmt/format.h>

#include "tilefoundry/layout/modes.h"
#include "tilefoundry/support/diagnostic.h"

namespace tilefoundry {
namespace {

std::string mesh_axis_text(const Mesh& mesh, std::size_t axis) {
  if (!mesh.names().empty()) {
    return fmt::format("{}.{}", mesh.topologies().front()->name(), mesh.names()[axis]);
  }
  return fmt::format("axis {} of the mesh over \"{}\"", axis, mesh.topologies().front()->name());
}

[[noreturn]] void refuse_division(const Dim& extent, const Mesh& mesh, std::size_t axis,
                                  const Dim& parts) {
  throw ValueError(Diagnostic{
      .code = "TF3110",
      .message = fmt::format("extent {} cannot be split over {} of extent {}: it does not divide",
                             extent.text(), mesh_axis_text(mesh, axis), parts.text()),
      .hint = "pad the axis, or split an axis that the mesh extent divides"});
}

// How many participants share each position of the domain.
std::vector<Dim> position_parts(const ShardLayout& layout) {
  std::vector<Dim> parts(layout.domain().size(), Dim(1));
  for (std::size_t m = 0; m < layout.attrs().size(); ++m) {
    const ShardAttr& attr = layout.attrs()[m];
    if (attr.kind != ShardKind::split) continue;
    Dim& part = parts[static_cast<std::size_t>(attr.axis)];
    part = part * layout.mesh()->layout()->domain()[m];
  }
  return parts;
}

// How the elements of one shape are spread over `parts` participants when the first of `axes` is
// split: leading extents are used up until the parts are.
std::optional<Shape> divide_leading(const Shape& shape, std::size_t first, std::size_t last,
                                    Dim parts) {
  Shape local(shape.begin() + static_cast<std::ptrdiff_t>(first),
              shape.begin() + static_cast<std::ptrdiff_t>(last));
  for (Dim& extent : local) {
    if (parts.is(1)) break;
    if (const auto rest = exact_quotient(extent, parts)) {
      extent = *rest;
      parts = 1;
    } else if (const auto more = exact_quotient(parts, extent)) {
      parts = *more;
      extent = 1;
    } else {
      return std::nullopt;
    }
  }
  return parts.is(1) ? std::optional(local) : std::nullopt;
}

}  // namespace

std::optional<std::vector<ShapeGroup>> regroup(const Shape& from, const Shape& to) {
  std::vector<ShapeGroup> groups;
  std::size_t i = 0;
  std::size_t j = 0;
  while (i < from.size() || j < to.size()) {
    ShapeGroup group{i, i, j, j};
    Dim a(1);
    Dim b(1);
    const auto take_from = [&] { a = a * from[group.last_from++]; };
    const auto take_to = [&] { b = b * to[group.last_to++]; };
    if (i < from.size()) take_from();
    if (j < to.size()) take_to();
    while (a != b) {
      // The side that divides the other grows; when neither is known to, the one with entries.
      const bool grow_to =
          group.last_to < to.size() && (exact_quotient(a, b) || group.last_from == from.size());
      if (grow_to) {
        take_to();
      } else if (group.last_from < from.size()) {
        take_from();
      } else {
        return std::nullopt;
      }
    }
    i = group.last_from;
    j = group.last_to;
    groups.push_back(group);
  }
  return groups;
}

Ref<const ShardLayout> canonical_shard_layout(const Shape& shape, const MeshRef& mesh,
                                              const std::vector<ShardAttr>& attrs) {
  const Shape& extents = mesh->layout()->domain();
  Shape domain;
  std::vector<ShardAttr> bound = attrs;
  bound.resize(extents.size());
  for (std::size_t axis = 0; axis < shape.size(); ++axis) {
    Dim free = shape[axis];
    bool split = false;
    for (std::size_t m = 0; m < bound.size() && m < attrs.size(); ++m) {
      if (attrs[m].kind != ShardKind::split || attrs[m].axis != static_cast<int>(axis)) continue;
      const auto rest = exact_quotient(free, extents[m]);
      if (!rest) refuse_division(free, *mesh, m, extents[m]);
      bound[m].axis = static_cast<int>(domain.size());
      domain.push_back(extents[m]);
      free = *rest;
      split = true;
    }
    if (!split || !free.is(1)) domain.push_back(free);
  }
  for (std::size_t m = 0; m < attrs.size(); ++m) {
    const bool fits = attrs[m].axis >= 0 && attrs[m].axis < static_cast<int>(shape.size());
    if (attrs[m].kind == ShardKind::split && !fits) {
      throw ValueError(Diagnostic{
          .code = "TF3012",
          .message = fmt::format("S({}) splits an axis that shape {} does not have", attrs[m].axis,
                                 shape_text(shape)),
          .hint = fmt::format("axes are 0 to {}", shape.empty() ? 0 : shape.size() - 1)});
    }
  }
  const Shape strides = c_order_strides(domain);
  return ShardLayout::make(Layout::make(domain, strides), std::move(bound), mesh);
}

Shape shard_layout_local_shape(const ShardLayout& layout) {
  Shape local = layout.domain();
  const Shape& extents = layout.mesh()->layout()->domain();
  for (std::size_t m = 0; m < layout.attrs().size(); ++m) {
    const ShardAttr& attr = layout.attrs()[m];
    if (attr.kind != ShardKind::split) continue;
    Dim& extent = local[static_cast<std::size_t>(attr.axis)];
    const auto rest = exact_quotient(extent, extents[m]);
    if (!rest) refuse_division(extent, *layout.mesh(), m, extents[m]);
    extent = *rest;
  }
  return local;
}

Shape local_logical_shape(const Shape& shape, const ShardLayout& layout) {
  const Shape local = shard_layout_local_shape(layout);
  const auto groups = regroup(shape, layout.domain());
  if (!groups) {
    throw ValueError(
        Diagnostic{.code = "TF3111",
                   .message = fmt::format("a layout over {} does not hold the elements of shape {}",
                                          shape_text(layout.domain()), shape_text(shape)),
                   .hint = "their element counts must agree"});
  }
  const std::vector<Dim> shares = position_parts(layout);
  Shape result;
  for (const ShapeGroup& group : *groups) {
    // Participants hold one run of the group's elements when only its leading positions are split.
    Dim parts(1);
    bool leading = true;
    bool one_run = true;
    for (std::size_t p = group.first_to; p < group.last_to; ++p) {
      one_run = one_run && (leading || shares[p].is(1));
      parts = parts * shares[p];
      leading = leading && local[p].is(1);
    }
    std::optional<Shape> box;
    if (group.last_from == group.first_from + 1) {
      Dim extent(1);
      for (std::size_t p = group.first_to; p < group.last_to; ++p) extent = extent * local[p];
      box = Shape{extent};
    } else if (parts.is(1)) {
      box = Shape(shape.begin() + static_cast<std::ptrdiff_t>(group.first_from),
                  shape.begin() + static_cast<std::ptrdiff_t>(group.last_from));
    } else if (one_run) {
      box = divide_leading(shape, group.first_from, group.last_from, parts);
    }
    if (!box) {
      throw ValueError(Diagnostic{
          .code = "TF3111",
          .message = fmt::format("what one participant holds of shape {} under a layout over {} is "
                                 "not a box of its axes",
                                 shape_text(shape), shape_text(layout.domain())),
          .hint = "split the outermost of the axes that the layout joins"});
    }
    result.insert(result.end(), box->begin(), box->end());
  }
  return result;
}

std::optional<std::size_t> logical_axis_of(const Shape& shape, const ShardLayout& layout,
                                           std::size_t position) {
  const auto groups = regroup(shape, layout.domain());
  if (!groups) return std::nullopt;
  for (const ShapeGroup& group : *groups) {
    if (position < group.first_to || position >= group.last_to) continue;
    if (group.last_from != group.first_from + 1) return std::nullopt;
    return group.first_from;
  }
  return std::nullopt;
}

}  // namespace tilefoundry
