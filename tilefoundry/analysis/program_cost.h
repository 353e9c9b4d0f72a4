// The cost of a whole function at given extents: the sum over its calls, callees included.
#pragma once

#include <cstdint>

#include "tilefoundry/ir/module.h"

namespace tilefoundry {

struct ProgramCost {
  std::int64_t flops = 0;           // of every dtype
  std::int64_t boundary_bytes = 0;  // parameters, weights and results, each once
};

// `extents` gives a value to every dimension that occurs.
ProgramCost program_cost(const ModuleRef& module, const Function& function,
                         const DimSubstitution& extents);

}  // namespace tilefoundry
