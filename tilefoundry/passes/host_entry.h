// A host-callable entry for a lowered module (passes seed 7.3).
#pragma once

#include "tilefoundry/ir/module.h"

namespace tilefoundry {

// A CPU entry passes through as the same object. Refuses a Module without an entry (TF4201) and one
// whose entry runs on no target that a host can call (TF4202).
ModuleRef insert_default_host_entry(const ModuleRef& module);

}  // namespace tilefoundry
