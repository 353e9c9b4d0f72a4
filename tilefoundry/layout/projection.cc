// Images of layouts and the way back from an offset to a coordinate.
#include <algorithm>
#include <unordered_set>

#include <fmt/format.h>

#include "tilefoundry/dims/dim_arithmetic.h"
#include "tilefoundry/layout/algebra.h"
#include "tilefoundry/layout/modes.h"
#include "tilefoundry/layout/projection.h"

namespace tilefoundry {
namespace {

constexpr std::int64_t kMostOffsets = std::int64_t{1} << 20;

// offset = base + sum(coord * stride), for a layout that is such a function.
struct Strided {
  Dim base;
  std::vector<Mode> modes;
};

[[noreturn]] void not_projectable(const AnyLayout& layout, const std::string& why) {
  throw NotProjectable(
      Diagnostic{.code = "TF3018",
                 .message = fmt::format("coordinates of {} do not come back from an offset: {}",
                                        algebra_text(layout), why),
                 .hint = "use strides of which each is a multiple of what the finer ones reach"});
}

std::optional<Strided> strided(const AnyLayout& layout) {
  if (layout.kind() == LayoutKind::shard) {
    return strided(*static_cast<const ShardLayout&>(layout).layout());
  }
  if (layout.kind() == LayoutKind::plain) {
    return Strided{0, flat_modes(static_cast<const Layout&>(layout))};
  }
  const auto& composed = static_cast<const ComposedLayout&>(layout);
  if (!composed.outer()) {
    auto inner = strided(*composed.inner());
    if (!inner || inner->modes.size() != 1) return std::nullopt;
    inner->base = inner->base + composed.offset() * inner->modes.front().stride;
    return inner;
  }
  auto outer = strided(*composed.outer());
  if (!outer) return std::nullopt;
  outer->base = outer->base + composed.offset();
  if (!composed.inner()) return outer;
  const auto inner = strided(*composed.inner());
  if (!inner || inner->modes.size() != 1) return std::nullopt;
  const Dim scale = inner->modes.front().stride;
  outer->base = inner->base + outer->base * scale;
  for (Mode& mode : outer->modes) mode.stride = mode.stride * scale;
  return outer;
}

// Whether every stride is a multiple of what the finer modes reach; modes of extent 1 do not count.
bool nests(const std::vector<Mode>& modes) {
  std::vector<Mode> open;
  for (const Mode& mode : modes) {
    if (mode.stride.is(0) && !mode.extent.is(1)) return false;
    if (!mode.extent.is(1)) open.push_back(mode);
  }
  while (!open.empty()) {
    // The finest of the rest divides all the others.
    const auto finest = std::find_if(open.begin(), open.end(), [&](const Mode& mode) {
      return std::all_of(open.begin(), open.end(), [&](const Mode& other) {
        return &mode == &other || exact_quotient(other.stride, mode.stride * mode.extent);
      });
    });
    if (finest == open.end()) return false;
    open.erase(finest);
  }
  return true;
}

Strided projectable(const AnyLayout& layout) {
  auto function = strided(layout);
  if (!function) not_projectable(layout, "it is not a strided function");
  if (!nests(function->modes)) not_projectable(layout, "its strides do not nest");
  return *function;
}

}  // namespace

std::optional<bool> is_injective(const Layout& layout) {
  std::vector<Mode> sorted;
  std::int64_t size = 1;
  bool is_static = true;
  for (const Mode& mode : flat_modes(layout)) {
    if (mode.extent.is(0)) return true;
    if (mode.extent.is(1)) continue;
    if (mode.stride.is(0)) return false;
    is_static = is_static && mode.extent.is_static() && mode.stride.is_static();
    sorted.push_back(mode);
  }
  if (nests(sorted)) return true;
  if (!is_static) return std::nullopt;
  for (Mode& mode : sorted) {
    mode.stride = std::abs(mode.stride.value());
    size = size > kMostOffsets ? size : size * std::min(mode.extent.value(), kMostOffsets);
  }
  std::sort(sorted.begin(), sorted.end(),
            [](const Mode& a, const Mode& b) { return a.stride.value() < b.stride.value(); });
  // Each stride beyond the reach of all the finer ones: no two sums meet.
  Dim reach(0);
  bool apart = true;
  for (const Mode& mode : sorted) {
    apart = apart && mode.stride.value() > reach.value();
    reach = reach + (mode.extent - 1) * mode.stride;
  }
  if (apart) return true;
  // More coordinates than offsets: two meet.
  if (dim_product(layout.domain()).value() > reach.value() + 1) return false;
  if (size > kMostOffsets) return std::nullopt;
  std::unordered_set<std::int64_t> seen{0};
  for (const Mode& mode : sorted) {
    std::unordered_set<std::int64_t> next;
    for (const std::int64_t offset : seen) {
      for (std::int64_t i = 0; i < mode.extent.value(); ++i) {
        if (!next.insert(offset + i * mode.stride.value()).second) return false;
      }
    }
    seen = std::move(next);
  }
  return true;
}

std::vector<std::int64_t> image(const AnyLayout& layout) {
  const Dim size = dim_product(layout.domain());
  if (!size.is_static() || size.value() > kMostOffsets) {
    throw ValueError(Diagnostic{
        .code = "TF3017",
        .message = fmt::format("the offsets of {} cannot be listed: it has {} of them",
                               algebra_text(layout), size.text()),
        .hint = fmt::format("list static layouts of at most {} elements", kMostOffsets)});
  }
  std::vector<std::int64_t> offsets;
  for (std::int64_t i = 0; i < size.value(); ++i) {
    offsets.push_back(offset_of_index(layout, i).value());
  }
  std::sort(offsets.begin(), offsets.end());
  offsets.erase(std::unique(offsets.begin(), offsets.end()), offsets.end());
  return offsets;
}

bool is_inverse_projectable(const AnyLayout& layout) {
  const auto function = strided(layout);
  return function && nests(function->modes);
}

Shape project(const AnyLayout& layout, const Dim& offset) {
  const Strided function = projectable(layout);
  Shape coord;
  for (const Mode& mode : function.modes) {
    coord.push_back(mode.extent.is(0) || mode.extent.is(1)
                        ? Dim(0)
                        : mod(floordiv(offset - function.base, mode.stride), mode.extent));
  }
  return coord;
}

bool contains(const AnyLayout& layout, std::int64_t offset) {
  const Shape coord = project(layout, offset);
  for (const Dim& extent : layout.domain()) {
    if (extent.is(0)) return false;
  }
  return offset_of_coord(layout, coord).is(offset);
}

}  // namespace tilefoundry
