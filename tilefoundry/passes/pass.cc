#include "tilefoundry/passes/pass.h"

#include <functional>

namespace tilefoundry {

const std::vector<std::string>& Pass::requires_passes() const {
  static const std::vector<std::string> none;
  return none;
}

const std::vector<std::string>& Pass::remarks() const {
  static const std::vector<std::string> none;
  return none;
}

namespace {

using MapFunction = std::function<CallableRef(const CallableRef&, const ModuleRef&)>;

ModuleRef map_functions(const ModuleRef& module, const MapFunction& map) {
  ModuleParts parts = module->parts();
  bool changed = false;
  for (ModuleRef& child : parts.children) {
    ModuleRef mapped = map_functions(child, map);
    changed = changed || mapped != child;
    child = std::move(mapped);
  }
  for (CallableRef& function : parts.functions) {
    CallableRef mapped = map(function, module);
    changed = changed || mapped != function;
    function = std::move(mapped);
  }
  return changed ? Module::make(std::move(parts)) : module;
}

}  // namespace

ModuleRef FunctionPass::run(const ModuleRef& module) {
  return map_functions(module, [this](const CallableRef& member, const ModuleRef& owner) {
    const Function* function = as_function(*member);
    return function != nullptr ? CallableRef(run_function(FunctionRef(function), owner)) : member;
  });
}

ModuleRef PrimFuncPass::run(const ModuleRef& module) {
  return map_functions(module, [this](const CallableRef& member, const ModuleRef& owner) {
    const PrimFunction* function = as_prim_function(*member);
    return function != nullptr ? CallableRef(run_prim_func(PrimFunctionRef(function), owner))
                               : member;
  });
}

}  // namespace tilefoundry
