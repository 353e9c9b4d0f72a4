#include "tilefoundry/ir/hir/dispatch.h"

#include <algorithm>
#include <unordered_set>

#include <fmt/format.h>

#include "tilefoundry/ir/module.h"
#include "tilefoundry/support/diagnostic.h"
#include "tilefoundry/support/text.h"

namespace tilefoundry {
namespace {

[[noreturn]] void refuse(const char* code, std::string message, const Span& span, std::string hint,
                         std::vector<DiagnosticNote> notes = {}) {
  throw VerifyError(Diagnostic{.code = code,
                               .message = std::move(message),
                               .span = span,
                               .notes = std::move(notes),
                               .hint = std::move(hint)});
}

std::string envelope_text(const DimVar& dim) { return fmt::format("[{}, {})", dim.lo, dim.hi); }

std::vector<std::string> dimension_names(const std::vector<VarRef>& params) {
  std::vector<std::string> names;
  for (const VarRef& param : params) {
    const TensorType* type = as_tensor(param->type());
    if (type == nullptr) continue;
    for (const Dim& extent : type->shape()) {
      const DimVar* var = extent.node() ? extent.node()->as_var() : nullptr;
      if (var == nullptr || std::count(names.begin(), names.end(), var->name) != 0) continue;
      names.push_back(var->name);
    }
  }
  return names;
}

std::string dimensions_hint(const Function& base) {
  const std::vector<std::string> names = dimension_names(base.params());
  if (names.empty()) return "give a parameter a DimVar as an extent";
  return fmt::format("the dimensions of its parameters are {}", join(names, ", "));
}

// A parameter of a variant is one of the base under any name.
void check_signature(const Function& base, const Function& variant, const Span& place) {
  const auto& wanted = base.params();
  const auto& given = variant.params();
  bool same = wanted.size() == given.size();
  std::string what =
      fmt::format("{}, the base has {}", counted(given.size(), "parameter"), wanted.size());
  for (std::size_t i = 0; same && i < wanted.size(); ++i) {
    same = wanted[i]->type() == given[i]->type() && wanted[i]->is_const() == given[i]->is_const() &&
           wanted[i]->name() == given[i]->name();
    if (!same) what = fmt::format("another parameter {} ({})", i, given[i]->name());
  }
  if (same) return;
  refuse("TF3425", fmt::format("a variant of {} has {}", base.name(), what), place,
         "a variant has exactly the base's parameters; its range is in the pattern alone",
         {{"the base is here", base.meta().span}});
}

void check_range(const Function& base, const DimVarRangePat& range, const Span& place) {
  if (range.lo() >= range.hi()) {
    refuse("TF3421", fmt::format("the range {} of a variant is empty", range.range_text()), place,
           "a range is half-open: DimVarRangePat(name, lo, hi) with lo < hi");
  }
  const auto axis = canonical_axis(base.params(), range.dim_var());
  if (!axis) {
    refuse("TF3422",
           fmt::format("no parameter of {} has the dimension {} as an extent", base.name(),
                       python_string_literal(range.dim_var())),
           place, dimensions_hint(base));
  }
  if (range.lo() < axis->dim.lo || range.hi() > axis->dim.hi) {
    refuse("TF3423",
           fmt::format("the range {} of a variant of {} leaves the range {} of {}",
                       range.range_text(), base.name(), envelope_text(axis->dim), axis->dim.name),
           place, fmt::format("stay inside {}", envelope_text(axis->dim)));
  }
}

void check_against(const Function& base, const DimVarRangePat& range, const Function& earlier,
                   const Span& place) {
  const DimVarRangePat* other = variant_range(earlier);
  if (other == nullptr) return;
  const std::vector<DiagnosticNote> notes{{"the earlier variant is here", earlier.meta().span}};
  if (other->dim_var() != range.dim_var()) {
    refuse("TF3422",
           fmt::format("{} is dispatched over {}, this variant is over {}", base.name(),
                       other->dim_var(), range.dim_var()),
           place, "all variants of a prototype are ranges of one dimension", notes);
  }
  if (range.hi() <= other->lo() || other->hi() <= range.lo()) return;
  const bool same = range.lo() == other->lo() && range.hi() == other->hi();
  refuse("TF3424",
         same ? fmt::format("{} has two variants for {} in {}", base.name(), range.dim_var(),
                            range.range_text())
              : fmt::format("the range {} of a variant of {} overlaps {}", range.range_text(),
                            base.name(), other->range_text()),
         place, fmt::format("the ranges so far are {}", ranges_text(base)), notes);
}

// Whether some function below `variant` is `base`.
bool reaches(const Function& variant, const Function& base) {
  std::unordered_set<const Function*> seen{&variant};
  std::vector<const Function*> pending{&variant};
  while (!pending.empty()) {
    const Function* function = pending.back();
    pending.pop_back();
    for (const ExprRef& expr : post_order(function->bodies())) {
      const auto* call = expr_cast<Call>(expr);
      const Function* callee = call != nullptr ? as_function(*call->target()) : nullptr;
      if (callee == nullptr) continue;
      if (callee == &base) return true;
      if (seen.insert(callee).second) pending.push_back(callee);
    }
  }
  return false;
}

}  // namespace

std::optional<CanonicalAxis> canonical_axis(const std::vector<VarRef>& params,
                                            const std::string& dim_name) {
  for (std::size_t i = 0; i < params.size(); ++i) {
    const TensorType* type = as_tensor(params[i]->type());
    if (type == nullptr) continue;
    for (std::size_t axis = 0; axis < type->rank(); ++axis) {
      const Dim& extent = type->shape()[axis];
      const DimVar* var = extent.node() ? extent.node()->as_var() : nullptr;
      if (var != nullptr && var->name == dim_name) return CanonicalAxis{*var, i, axis};
    }
  }
  return std::nullopt;
}

CanonicalAxis dispatch_axis(const Function& prototype) {
  for (const FunctionRef& variant : prototype.variants()) {
    const DimVarRangePat* range = variant_range(*variant);
    const auto axis =
        range != nullptr ? canonical_axis(prototype.params(), range->dim_var()) : std::nullopt;
    if (axis) return *axis;
  }
  TF_CHECK(false, "a prototype without a variant of a range");
}

const DimVarRangePat* variant_range(const Function& variant) noexcept {
  return variant.specializations().size() == 1 ? as_range(variant.specializations()[0]) : nullptr;
}

std::string ranges_text(const Function& prototype) {
  std::vector<std::string> parts;
  for (const FunctionRef& variant : prototype.variants()) {
    const DimVarRangePat* range = variant_range(*variant);
    parts.push_back(range != nullptr ? range->range_text() : variant->specializations()[0]->repr());
  }
  return join(parts, ", ");
}

void check_new_variant(const Function& base, const Function& variant, const Span& place) {
  if (base.sealed()) {
    refuse("TF3420", fmt::format("{} is part of a Module and takes no more variants", base.name()),
           place, "write every variant right below the base",
           {{"the base is here", base.meta().span}});
  }
  TF_CHECK(base.is_prototype() && variant.is_variant(), "not a prototype and a variant");
  check_signature(base, variant, place);
  const DimVarRangePat* range = variant_range(variant);
  if (range != nullptr) {
    check_range(base, *range, place);
    for (const FunctionRef& earlier : base.variants()) {
      check_against(base, *range, *earlier, place);
    }
  }
  if (reaches(variant, base)) {
    refuse("TF3426", fmt::format("a variant of {} calls {}", base.name(), base.name()), place,
           "recursion is refused; call another function");
  }
}

void check_partition(const Function& prototype, const Span& place) {
  if (prototype.variants().empty()) {
    refuse("TF3427", fmt::format("the prototype {} has no variants", prototype.name()), place,
           fmt::format("give it a body, or add @{}.specialize(DimVarRangePat(name, lo, hi))",
                       prototype.name()));
  }
  std::vector<const DimVarRangePat*> ranges;
  for (const FunctionRef& variant : prototype.variants()) {
    ranges.push_back(variant_range(*variant));
    if (ranges.back() == nullptr) return;
  }
  std::sort(ranges.begin(), ranges.end(),
            [](const DimVarRangePat* a, const DimVarRangePat* b) { return a->lo() < b->lo(); });
  const DimVar dim = dispatch_axis(prototype).dim;
  std::vector<std::string> gaps;
  std::int64_t next = dim.lo;
  const auto gap_before = [&](std::int64_t lo) {
    if (next < lo) gaps.push_back(fmt::format("[{}, {})", next, lo));
  };
  for (const DimVarRangePat* range : ranges) {
    gap_before(range->lo());
    next = range->hi();
  }
  gap_before(dim.hi);
  if (gaps.empty()) return;
  refuse("TF3428",
         fmt::format("no variant of {} has {} in {}", prototype.name(), dim.name, join(gaps, ", ")),
         place,
         fmt::format("{} is in {}, the variants' ranges are {}", dim.name, envelope_text(dim),
                     ranges_text(prototype)));
}

FunctionRef variant_for(const Function& prototype, std::int64_t extent) {
  for (const FunctionRef& variant : prototype.variants()) {
    const DimVarRangePat* range = variant_range(*variant);
    if (range != nullptr && range->holds(extent)) return variant;
  }
  return nullptr;
}

std::string synthesized_label(const Function& variant) {
  std::string text = variant.name();
  for (const PatternRef& pattern : variant.specializations()) {
    if (const DimVarRangePat* range = as_range(pattern)) {
      text += fmt::format("_{}_{}_{}", range->dim_var(), range->lo(), range->hi());
    } else {
      text += "_" + pattern->repr();
    }
  }
  std::string label;
  for (const char c : text) {
    const bool word = (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') ||
                      c == '_' || (c & 0x80) != 0;
    if (word) {
      label += c;
    } else if (c == '-') {
      label += 'm';
    } else if (!label.empty() && label.back() != '_') {
      label += '_';
    }
  }
  return label;
}

std::optional<ExtentRange> extent_range(const Dim& extent) {
  if (extent.is_static()) return ExtentRange{extent.value(), extent.value() + 1};
  const DimVar* var = extent.node()->as_var();
  if (var == nullptr) return std::nullopt;
  return ExtentRange{var->lo, var->hi};
}

std::vector<std::size_t> reachable_variants(const Function& prototype, const ExtentRange& range) {
  std::vector<std::size_t> reachable;
  for (std::size_t i = 0; i < prototype.variants().size(); ++i) {
    const DimVarRangePat* pattern = variant_range(*prototype.variants()[i]);
    if (pattern != nullptr && pattern->lo() < range.hi && range.lo < pattern->hi()) {
      reachable.push_back(i);
    }
  }
  return reachable;
}

}  // namespace tilefoundry
