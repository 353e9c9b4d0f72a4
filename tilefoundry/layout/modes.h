// A layout as a flat list of modes, and the questions about dimensions that its algebra asks.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "tilefoundry/layout/layout.h"

namespace tilefoundry {

struct Mode {
  Dim extent;
  Dim stride;
  friend bool operator==(const Mode&, const Mode&) = default;
};

// Throws ValueError (TF3016) for a layout whose strides are not decided.
std::vector<Mode> flat_modes(const Layout& layout);
Ref<const Layout> layout_of_modes(const std::vector<Mode>& modes);
// Constructor text of a plain or composed layout, "Layout((4, 8), (8, 1))"; of a ShardLayout, that
// of its layout.
std::string algebra_text(const AnyLayout& layout);

// n / d when d divides n for every value of the symbols; nullopt when that is not known.
std::optional<Dim> exact_quotient(const Dim& n, const Dim& d);
// Ascending by stride, without modes of extent 1 and of stride 0. Strides whose order is not known
// throw ValueError (TF3015), negative ones too.
std::vector<Mode> sorted_by_stride(const Layout& layout, const char* operation);

[[noreturn]] void refuse_algebra(const char* operation, const std::string& what,
                                 const std::string& hint);

}  // namespace tilefoundry
