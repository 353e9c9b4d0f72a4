// Prototypes: which dimension picks a variant, and whether the variants cover its range.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "tilefoundry/ir/hir/function.h"

namespace tilefoundry {

// Where the extent of a dimension is read: the first parameter in order and its first axis whose
// extent is the bare DimVar.
struct CanonicalAxis {
  DimVar dim;
  std::size_t param = 0;
  std::size_t axis = 0;
};
// Nothing when no parameter has a DimVar of that name as a bare extent.
std::optional<CanonicalAxis> canonical_axis(const std::vector<VarRef>& params,
                                            const std::string& dim_name);

// The axis that picks the variant. Needs at least one variant whose pattern is a range.
CanonicalAxis dispatch_axis(const Function& prototype);
// The only pattern of a variant as a range; null for a pattern class from outside.
const DimVarRangePat* variant_range(const Function& variant) noexcept;
// "[1, 4), [4, 8)", in the order of the variants.
std::string ranges_text(const Function& prototype);

// The rules of Function::add_variant.
void check_new_variant(const Function& base, const Function& variant, const Span& place);
// Every extent of the envelope has exactly one variant. Throws VerifyError: TF3427 without
// variants, TF3428 for a gap. Variants of patterns from outside are not judged.
void check_partition(const Function& prototype, const Span& place);

// The variant that holds `extent`; null when none does.
FunctionRef variant_for(const Function& prototype, std::int64_t extent);

// A Python identifier for a variant without a usable label, from its patterns: "f_S_1_4".
std::string synthesized_label(const Function& variant);

// A dimension at a call: a static extent k counts as [k, k + 1), a DimVar as its range; nothing
// for any other form.
struct ExtentRange {
  std::int64_t lo = 0;
  std::int64_t hi = 0;
};
std::optional<ExtentRange> extent_range(const Dim& extent);
// The positions of the variants whose range meets [lo, hi), in order.
std::vector<std::size_t> reachable_variants(const Function& prototype, const ExtentRange& range);

}  // namespace tilefoundry
