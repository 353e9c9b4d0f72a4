// A prim-function pass that is a plain function, with its name and what it requires.
#pragma once

#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "tilefoundry/passes/pass.h"

namespace tilefoundry {

// The function rewrites a body and returns the very same statement when nothing changes.
using BodyRewrite = std::function<StmtRef(const PrimFunction&)>;

std::shared_ptr<Pass> make_body_pass(std::string name, BodyRewrite rewrite);

}  // namespace tilefoundry
