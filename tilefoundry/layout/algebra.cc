#include "tilefoundry/layout/algebra.h"

#include <algorithm>

#include <fmt/format.h>

#include "tilefoundry/layout/modes.h"

namespace tilefoundry {
namespace {

bool is_empty(const std::vector<Mode>& modes) {
  return std::any_of(modes.begin(), modes.end(),
                     [](const Mode& mode) { return mode.extent.is(0); });
}

// The fewest modes with the same function below the size, or, with the last mode kept, everywhere.
std::vector<Mode> merged(const std::vector<Mode>& modes, bool keep_last = false) {
  if (is_empty(modes)) return {{0, 1}};
  std::vector<Mode> out;
  for (const Mode& mode : modes) {
    if (mode.extent.is(1) && !(keep_last && &mode == &modes.back())) continue;
    if (!out.empty() && out.back().extent * out.back().stride == mode.stride) {
      out.back().extent = out.back().extent * mode.extent;
    } else {
      out.push_back(mode);
    }
  }
  if (out.empty()) out.push_back({1, 0});
  return out;
}

// Composes the strided runs of `b` with `a`. A run takes from each mode of `a` what it covers; the
// runs together must stay below the extent of every mode but the last, so that no sum carries into
// the next one.
class RunComposer {
 public:
  RunComposer(const Layout& a, const Layout& b)
      : a_(a), b_(b), modes_(merged(flat_modes(a), true)), last_index_(modes_.size(), Dim(0)) {}

  std::vector<Mode> compose(Mode run) {
    std::vector<Mode> out;
    std::size_t i = 0;
    for (; i + 1 < modes_.size() && !run.extent.is(1); ++i) take(i, run, out);
    if (!run.extent.is(1) || out.empty()) {
      out.push_back({run.extent, run.stride * modes_.back().stride});
    }
    return out;
  }

  void check_carries() const {
    for (std::size_t i = 0; i + 1 < modes_.size(); ++i) {
      const DimBounds past = dim_bounds(last_index_[i] - modes_[i].extent);
      if (past.hi && *past.hi < 0) continue;
      refuse(fmt::format("index {} of its modes leaves a mode of extent {}", last_index_[i].text(),
                         modes_[i].extent.text()));
    }
  }

 private:
  // Leaves in `run` what goes on in the modes after the i-th.
  void take(std::size_t i, Mode& run, std::vector<Mode>& out) {
    const Mode& mode = modes_[i];
    const Dim last = (run.extent - 1) * run.stride;
    const DimBounds past = dim_bounds(last - mode.extent);
    if (past.hi && *past.hi < 0) {
      add(i, run, out);
      run = {1, 1};
      return;
    }
    if (const auto skipped = exact_quotient(run.stride, mode.extent)) {
      run.stride = *skipped;
      return;
    }
    const auto inside = exact_quotient(mode.extent, run.stride);
    if (!inside) {
      refuse(fmt::format("stride {} and extent {} do not divide each other", run.stride.text(),
                         mode.extent.text()));
    }
    const auto rest = exact_quotient(run.extent, *inside);
    if (!rest) {
      refuse(fmt::format("extent {} is no multiple of {}", run.extent.text(), inside->text()));
    }
    add(i, {*inside, run.stride}, out);
    run = {*rest, 1};
  }

  void add(std::size_t i, const Mode& run, std::vector<Mode>& out) {
    last_index_[i] = last_index_[i] + (run.extent - 1) * run.stride;
    if (!run.extent.is(1)) out.push_back({run.extent, run.stride * modes_[i].stride});
  }

  [[noreturn]] void refuse(const std::string& why) const {
    refuse_algebra("composition",
                   fmt::format("{} after {}: {}", algebra_text(a_), algebra_text(b_), why),
                   "the modes of the second layout must fall on those of the first");
  }

  const Layout& a_;
  const Layout& b_;
  std::vector<Mode> modes_;
  std::vector<Dim> last_index_;
};

IntTuple collect(const std::vector<Mode>& modes, Dim Mode::* field) {
  if (modes.size() == 1) return modes.front().*field;
  std::vector<IntTuple> items;
  for (const Mode& mode : modes) items.emplace_back(mode.*field);
  return items;
}

struct Composed {
  IntTuple shape;
  IntTuple strides;
};

Composed compose(RunComposer& runs, const IntTuple& shape, const IntTuple& strides) {
  if (!shape.is_leaf()) {
    std::vector<IntTuple> shapes;
    std::vector<IntTuple> steps;
    for (std::size_t i = 0; i < shape.items().size(); ++i) {
      Composed mode = compose(runs, shape.items()[i], strides.items()[i]);
      shapes.push_back(std::move(mode.shape));
      steps.push_back(std::move(mode.strides));
    }
    return {shapes, steps};
  }
  if (strides.leaf().is(0) || shape.leaf().is(0)) return {shape, Dim(0)};
  const std::vector<Mode> modes = runs.compose({shape.leaf(), strides.leaf()});
  return {collect(modes, &Mode::extent), collect(modes, &Mode::stride)};
}

PlainLayoutRef tuple_of(const Layout& first, const Layout& second) {
  return Layout::make(IntTuple(std::vector<IntTuple>{first.shape(), second.shape()}),
                      IntTuple(std::vector<IntTuple>{*first.strides(), *second.strides()}));
}

}  // namespace

PlainLayoutRef coalesce(const Layout& layout) {
  return layout_of_modes(merged(flat_modes(layout)));
}

PlainLayoutRef composition(const Layout& a, const Layout& b) {
  flat_modes(b);
  if (is_empty(flat_modes(a))) return Layout::make(b.shape(), *b.strides());
  RunComposer runs(a, b);
  Composed result = compose(runs, b.shape(), *b.strides());
  runs.check_carries();
  return Layout::make(std::move(result.shape), std::move(result.strides));
}

PlainLayoutRef complement(const Layout& layout, const Dim& extent) {
  std::vector<Mode> gaps;
  Dim reached(1);
  for (const Mode& mode : sorted_by_stride(layout, "complement")) {
    const auto gap = exact_quotient(mode.stride, reached);
    if (!gap) {
      refuse_algebra("complement",
                     fmt::format("{}: stride {} is no multiple of {}, which the finer modes reach",
                                 algebra_text(layout), mode.stride.text(), reached.text()),
                     "the layout must be injective with strides that nest");
    }
    gaps.push_back({*gap, reached});
    reached = mode.extent * mode.stride;
  }
  gaps.push_back({ceildiv(extent, reached), reached});
  return layout_of_modes(merged(gaps));
}

PlainLayoutRef right_inverse(const Layout& layout) {
  struct Step {
    Mode mode;
    Dim index_stride;
  };
  // Index strides of the modes, found again after sorting by position.
  std::vector<Step> steps;
  Dim product(1);
  for (const Mode& mode : flat_modes(layout)) {
    if (!mode.extent.is(1)) steps.push_back({mode, product});
    product = product * mode.extent;
  }
  std::vector<Mode> out;
  Dim reached(1);
  for (bool grown = true; grown;) {
    grown = false;
    for (auto step = steps.begin(); step != steps.end(); ++step) {
      if (step->mode.stride != reached) continue;
      out.push_back({step->mode.extent, step->index_stride});
      reached = step->mode.extent * step->mode.stride;
      steps.erase(step);
      grown = true;
      break;
    }
  }
  return layout_of_modes(merged(out));
}

PlainLayoutRef left_inverse(const Layout& layout) {
  const std::vector<Mode> sorted = sorted_by_stride(layout, "left_inverse");
  for (const Mode& mode : flat_modes(layout)) {
    if (mode.stride.is(0) && !mode.extent.is(1)) {
      refuse_algebra("left_inverse",
                     fmt::format("{} sends several indices to one offset", algebra_text(layout)),
                     "only an injective layout has a left inverse");
    }
  }
  const PlainLayoutRef gaps =
      complement(layout, sorted.empty() ? Dim(1) : sorted.back().extent * sorted.back().stride);
  return right_inverse(*join_layouts({coalesce(layout), gaps}));
}

PlainLayoutRef logical_divide(const Layout& layout, const Layout& tiler) {
  return composition(layout, *tuple_of(tiler, *complement(tiler, layout.size())));
}

PlainLayoutRef logical_product(const Layout& layout, const Layout& tiler) {
  const PlainLayoutRef gaps = complement(layout, cosize(layout) * cosize(tiler));
  return tuple_of(layout, *composition(*gaps, tiler));
}

PlainLayoutRef join_layouts(const std::vector<PlainLayoutRef>& layouts) {
  std::vector<Mode> modes;
  for (const PlainLayoutRef& layout : layouts) {
    const std::vector<Mode> more = flat_modes(*layout);
    modes.insert(modes.end(), more.begin(), more.end());
  }
  return layout_of_modes(modes);
}

}  // namespace tilefoundry
