// How a lowering handler refuses a program.
#pragma once

#include <string>

#include "tilefoundry/ir/expr.h"

namespace tilefoundry {

// Throws PassError at the place of the call. `code` is TF4xxx; `hint` says what to write instead.
[[noreturn]] void lowering_error(const Call& call, std::string code, const std::string& message,
                                 std::string hint);

}  // namespace tilefoundry
