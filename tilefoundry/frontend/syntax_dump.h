// A debugging text of a syntax tree.
#pragma once

#include <string>

#include "tilefoundry/frontend/syntax.h"

namespace tilefoundry {

// One line: nodes as `(Kind@begin-end part ...)` with byte ranges, lists in brackets, `-` for what
// is left out. Kinds and parts are named and ordered after Python's ast where both have them.
std::string dump_syntax(const SyntaxTree& tree);

}  // namespace tilefoundry
