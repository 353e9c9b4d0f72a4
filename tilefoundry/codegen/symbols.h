// The prim functions of a module tree and their symbols.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "tilefoundry/ir/module.h"

namespace tilefoundry {

// A symbol is the path of attribute names to a function: "f", "up.project".
struct ModuleFunction {
  std::string symbol;
  PrimFunctionRef function;
};

// In source order: a module's own functions, then those of its children.
std::vector<ModuleFunction> module_functions(const ModuleRef& module);
// By symbol, else by a function name that is the whole path itself; null on a miss.
PrimFunctionRef find_symbol(const ModuleRef& module, std::string_view symbol);
// The symbol of a function of the tree.
std::string symbol_of(const ModuleRef& module, const PrimFunction& function);

}  // namespace tilefoundry
