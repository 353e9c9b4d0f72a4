#include "tilefoundry/codegen/symbols.h"

namespace tilefoundry {

std::vector<ModuleFunction> module_functions(const ModuleRef& module) {
  std::vector<ModuleFunction> out;
  std::vector<std::pair<ModuleRef, std::string>> pending{{module, ""}};
  while (!pending.empty()) {
    const auto [owner, prefix] = std::move(pending.back());
    pending.pop_back();
    if (!owner) continue;
    for (const CallableRef& callable : owner->functions()) {
      const PrimFunction* function = as_prim_function(*callable);
      if (function == nullptr) continue;
      const bool whole = function->name().rfind(prefix, 0) == 0;
      out.push_back(
          {whole ? function->name() : prefix + function->name(), PrimFunctionRef(function)});
    }
    for (auto it = owner->children().rbegin(); it != owner->children().rend(); ++it) {
      pending.emplace_back(*it, prefix + (*it)->name() + ".");
    }
  }
  return out;
}

PrimFunctionRef find_symbol(const ModuleRef& module, std::string_view symbol) {
  for (const ModuleFunction& entry : module_functions(module)) {
    if (entry.symbol == symbol) return entry.function;
  }
  return nullptr;
}

std::string symbol_of(const ModuleRef& module, const PrimFunction& function) {
  for (const ModuleFunction& entry : module_functions(module)) {
    if (entry.function.get() == &function) return entry.symbol;
  }
  return function.name();
}

}  // namespace tilefoundry
