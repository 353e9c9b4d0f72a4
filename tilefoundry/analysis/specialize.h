// Functions at stated extents (design 4.4).
#pragma once

#include <map>
#include <string>
#include <vector>

#include "tilefoundry/ir/hir/function.h"

namespace tilefoundry {

// Dimensions by name.
using DimExtents = std::map<std::string, std::int64_t>;

// The variant of a prototype that holds the extents; any other function is its own. Throws
// ValueError: TF3430 when the dimension that picks has no extent, TF3431 when no variant holds it.
FunctionRef variant_for(const FunctionRef& function, const DimExtents& dims);

// The function with these dimensions bound: parameters, types, layouts, meshes, attributes,
// execution scopes and the functions that it calls are restated at the extents; a prototype becomes
// the variant that holds them, in calls too. The result records its origin and the extents. The
// very same function when nothing is bound. Throws ValueError: TF3430, TF3431, TF3432 for an
// extent outside the range of its dimension; VerifyError when a type does not hold at the extents.
FunctionRef specialize_function(const FunctionRef& function, const DimExtents& dims);
// The same, with nothing left open: TF3433 names the dimensions that have no extent.
FunctionRef specialize_concretely(const FunctionRef& function, const DimExtents& dims);

// The dimensions of the function that `extents` makes static, by name.
DimExtents static_extents(const Function& function, const DimSubstitution& extents);

// The dimensions that the function, or one that it calls, still has; in order of first use.
std::vector<DimVar> residual_dims(const Function& function);
// No dimension is left and nothing is dispatched.
bool is_concrete(const Function& function);
// Whether the function, or one that it calls, is a prototype.
bool is_dispatched(const Function& function);

}  // namespace tilefoundry
