#include "tilefoundry/layout/mesh_levels.h"

#include <fmt/format.h>

#include "tilefoundry/layout/algebra.h"
#include "tilefoundry/layout/modes.h"
#include "tilefoundry/support/diagnostic.h"

namespace tilefoundry {
namespace {

[[noreturn]] void refuse(std::string message, std::string hint) {
  throw ValueError(
      Diagnostic{.code = "TF3019", .message = std::move(message), .hint = std::move(hint)});
}

// offset + sum(coord * stride) of a mesh's layout.
struct Positions {
  Dim offset;
  std::vector<Mode> axes;
};

Positions positions_of(const Mesh& mesh) {
  if (mesh.layout()->kind() == LayoutKind::plain) {
    return {0, flat_modes(static_cast<const Layout&>(*mesh.layout()))};
  }
  if (mesh.layout()->kind() == LayoutKind::composed) {
    const auto& composed = static_cast<const ComposedLayout&>(*mesh.layout());
    if (!composed.inner() && composed.outer()->kind() == LayoutKind::plain) {
      return {composed.offset(), flat_modes(static_cast<const Layout&>(*composed.outer()))};
    }
  }
  refuse(fmt::format("a mesh over {} does not state positions", algebra_text(*mesh.layout())),
         "use a Layout, or a slice of a mesh that has one");
}

std::string axis_text(const Mesh& mesh, std::size_t axis) {
  return mesh.names().empty() ? fmt::format("{}", axis) : mesh.names()[axis];
}

}  // namespace

std::vector<AxisRange> mesh_level_axes(const Mesh& mesh) {
  const Shape& extents = mesh.layout()->domain();
  std::vector<AxisRange> levels;
  std::size_t axis = 0;
  for (const Ref<const Topology>& level : mesh.topologies()) {
    const std::size_t first = axis;
    Dim product(1);
    while (product != level->size()) {
      if (axis == extents.size() || !exact_quotient(level->size(), product * extents[axis])) {
        refuse(fmt::format("the axes of a mesh over {} do not fall on its levels: level \"{}\" of "
                           "size {} gets {} from its axes{}",
                           IntTuple::flat(extents).text(), level->name(), level->size().text(),
                           product.text(),
                           axis == extents.size()
                               ? std::string()
                               : fmt::format(" and axis {} of extent {} would pass it",
                                             axis_text(mesh, axis), extents[axis].text())),
               "split the axis where the level ends");
      }
      product = product * extents[axis++];
    }
    levels.push_back({first, axis});
  }
  while (axis < extents.size() && extents[axis].is(1)) ++axis;
  levels.back().last = axis;
  if (axis != extents.size()) {
    refuse(fmt::format("axis {} of extent {} lies on no level of the mesh", axis_text(mesh, axis),
                       extents[axis].text()),
           "the extents multiply to the sizes of the topologies");
  }
  return levels;
}

Ref<const Layout> mesh_level_layout(const Mesh& mesh, std::size_t level) {
  const AxisRange range = mesh_level_axes(mesh)[level];
  Dim below(1);
  for (std::size_t i = level + 1; i < mesh.topologies().size(); ++i) {
    below = below * mesh.topologies()[i]->size();
  }
  const Positions positions = positions_of(mesh);
  std::vector<Mode> axes(positions.axes.begin() + static_cast<std::ptrdiff_t>(range.first),
                         positions.axes.begin() + static_cast<std::ptrdiff_t>(range.last));
  for (Mode& axis : axes) {
    if (axis.extent.is(1)) {
      axis.stride = 0;
      continue;
    }
    const auto stride = exact_quotient(axis.stride, below);
    if (!stride) {
      refuse(fmt::format("stride {} of a mesh axis at level \"{}\" is no multiple of the {} units "
                         "below it",
                         axis.stride.text(), mesh.topologies()[level]->name(), below.text()),
             "axes of an outer level step over whole units");
    }
    axis.stride = *stride;
  }
  return layout_of_modes(axes);
}

MeshRef nest_meshes(const Mesh& outer, const Mesh& inner) {
  const Positions a = positions_of(outer);
  const Positions b = positions_of(inner);
  Dim below(1);
  for (const auto& level : inner.topologies()) below = below * level->size();
  Topologies topologies = outer.topologies();
  topologies.insert(topologies.end(), inner.topologies().begin(), inner.topologies().end());
  std::vector<Mode> axes;
  for (const Mode& axis : a.axes) axes.push_back({axis.extent, axis.stride * below});
  axes.insert(axes.end(), b.axes.begin(), b.axes.end());
  std::vector<std::string> names;
  if (!outer.names().empty() && !inner.names().empty()) {
    names = outer.names();
    names.insert(names.end(), inner.names().begin(), inner.names().end());
  }
  const Dim offset = a.offset * below + b.offset;
  LayoutRef layout = layout_of_modes(axes);
  if (!offset.is(0)) layout = ComposedLayout::make(nullptr, offset, layout);
  return Mesh::make(std::move(topologies), std::move(layout), std::move(names));
}

MeshRef slice_mesh(const Mesh& mesh, const std::vector<MeshSlice>& entries) {
  const Positions positions = positions_of(mesh);
  if (entries.size() > positions.axes.size()) {
    refuse(fmt::format("a mesh of {} axes got {} indices", positions.axes.size(), entries.size()),
           "give at most one index per axis");
  }
  Dim offset = positions.offset;
  std::vector<Mode> kept;
  std::vector<std::string> names;
  for (std::size_t i = 0; i < positions.axes.size(); ++i) {
    const Mode& axis = positions.axes[i];
    const bool whole = i >= entries.size();
    const Dim start = whole ? Dim(0) : Dim(entries[i].start);
    const Dim stop = whole ? axis.extent : (entries[i].stop ? Dim(*entries[i].stop) : start + 1);
    const DimBounds past = dim_bounds(stop - axis.extent);
    const bool inside = start.value() >= 0 && past.hi && *past.hi <= 0;
    if (!whole && (!inside || stop.value() <= start.value())) {
      refuse(fmt::format("positions {}:{} are not within axis {} of extent {}", start.text(),
                         stop.text(), axis_text(mesh, i), axis.extent.text()),
             "a slice of a mesh keeps at least one participant and stays within its axis");
    }
    offset = offset + start * axis.stride;
    if (!whole && !entries[i].stop) continue;
    kept.push_back({stop - start, axis.stride});
    if (!mesh.names().empty()) names.push_back(mesh.names()[i]);
  }
  if (kept.empty()) {
    kept.push_back({1, 0});
    if (!mesh.names().empty()) names.push_back(mesh.names().back());
  }
  return Mesh::make(mesh.topologies(), ComposedLayout::make(nullptr, offset, layout_of_modes(kept)),
                    std::move(names));
}

bool states_consistent_positions(const Mesh& mesh) {
  const Positions positions = positions_of(mesh);
  const auto axes = layout_of_modes(positions.axes);
  if (is_injective(*axes) != true) return false;
  Dim units(1);
  for (const auto& level : mesh.topologies()) units = units * level->size();
  for (const Mode& axis : positions.axes) {
    if (!axis.extent.is(1) && (!dim_bounds(axis.stride).lo || *dim_bounds(axis.stride).lo < 0)) {
      return false;
    }
  }
  const DimBounds first = dim_bounds(positions.offset);
  const DimBounds past = dim_bounds(positions.offset + cosize(*axes) - units);
  return first.lo && *first.lo >= 0 && past.hi && *past.hi <= 0;
}

}  // namespace tilefoundry
