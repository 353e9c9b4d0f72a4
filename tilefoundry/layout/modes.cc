#include "tilefoundry/layout/modes.h"

#include <fmt/format.h>

#include "tilefoundry/support/diagnostic.h"

namespace tilefoundry {
namespace {

// Whether a <= b for every positive value of the symbols; nullopt when unknown.
std::optional<bool> at_most(const Dim& a, const Dim& b) {
  if (a == b) return true;
  if (a.is_static() && b.is_static()) return a.value() <= b.value();
  if (exact_quotient(b, a)) return true;
  if (exact_quotient(a, b)) return false;
  const DimBounds x = dim_bounds(a);
  const DimBounds y = dim_bounds(b);
  if (x.hi && y.lo && *x.hi <= *y.lo) return true;
  if (y.hi && x.lo && *y.hi < *x.lo) return false;
  return std::nullopt;
}

std::string plain_text(const Layout& layout) {
  return layout.strides() == nullptr
             ? fmt::format("Layout({})", layout.shape().text())
             : fmt::format("Layout({}, {})", layout.shape().text(), layout.strides()->text());
}

}  // namespace

std::vector<Mode> flat_modes(const Layout& layout) {
  if (layout.strides() == nullptr) {
    throw ValueError(
        Diagnostic{.code = "TF3016",
                   .message = fmt::format("the strides of a layout of shape {} are not decided",
                                          layout.shape().text()),
                   .hint = "give the strides: Layout(shape, strides)"});
  }
  const Shape strides = layout.strides()->flatten();
  std::vector<Mode> modes;
  for (std::size_t i = 0; i < strides.size(); ++i)
    modes.push_back({layout.domain()[i], strides[i]});
  return modes;
}

Ref<const Layout> layout_of_modes(const std::vector<Mode>& modes) {
  Shape shape;
  Shape strides;
  for (const Mode& mode : modes) {
    shape.push_back(mode.extent);
    strides.push_back(mode.stride);
  }
  return Layout::make(shape, strides);
}

std::string algebra_text(const AnyLayout& layout) {
  switch (layout.kind()) {
    case LayoutKind::plain: return plain_text(static_cast<const Layout&>(layout));
    case LayoutKind::shard: return algebra_text(*static_cast<const ShardLayout&>(layout).layout());
    case LayoutKind::composed: break;
  }
  const auto& composed = static_cast<const ComposedLayout&>(layout);
  return fmt::format(
      "ComposedLayout({}, {}, {})", composed.inner() ? algebra_text(*composed.inner()) : "None",
      composed.offset().text(), composed.outer() ? algebra_text(*composed.outer()) : "None");
}

std::optional<Dim> exact_quotient(const Dim& n, const Dim& d) {
  if (d.is(0)) return std::nullopt;
  if (!mod(n, d).is(0)) return std::nullopt;
  return floordiv(n, d);
}

std::vector<Mode> sorted_by_stride(const Layout& layout, const char* operation) {
  std::vector<Mode> sorted;
  for (const Mode& mode : flat_modes(layout)) {
    if (mode.extent.is(1) || mode.stride.is(0)) continue;
    if (mode.stride.is_static() && mode.stride.value() < 0) {
      refuse_algebra(
          operation,
          fmt::format("{} has the negative stride {}", algebra_text(layout), mode.stride.text()),
          "reverse the axis before");
    }
    auto place = sorted.end();
    while (place != sorted.begin()) {
      const Mode& before = *(place - 1);
      const auto order = at_most(before.stride, mode.stride);
      if (!order) {
        refuse_algebra(operation,
                       fmt::format("which of the strides {} and {} of {} is larger is not known",
                                   before.stride.text(), mode.stride.text(), algebra_text(layout)),
                       "bind the dimensions, or write strides that divide each other");
      }
      if (*order) break;
      --place;
    }
    sorted.insert(place, mode);
  }
  return sorted;
}

void refuse_algebra(const char* operation, const std::string& what, const std::string& hint) {
  throw ValueError(Diagnostic{
      .code = "TF3015", .message = fmt::format("{}: {}", operation, what), .hint = hint});
}

}  // namespace tilefoundry
