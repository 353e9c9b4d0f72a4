// The rules that a Module holds from its construction on.
#pragma once

#include "tilefoundry/ir/module.h"

namespace tilefoundry {

// Throws VerifyError: TF3050 duplicate or missing name, TF3051 unknown entry, TF3052 a target
// declared below the root, TF3053 one DimVar name with two ranges.
void check_module_parts(const ModuleParts& parts);

}  // namespace tilefoundry
