#include "tilefoundry/passes/hir_to_tir.h"

#include "tilefoundry/passes/lowerer.h"

namespace tilefoundry {

const std::string& HirToTirPass::name() const {
  static const std::string text = "hir_to_tir";
  return text;
}

namespace {

ModuleRef lower_tree(const ModuleRef& module) {
  ModuleParts parts = module->parts();
  bool changed = false;
  for (ModuleRef& child : parts.children) {
    ModuleRef lowered = lower_tree(child);
    changed = changed || lowered != child;
    child = std::move(lowered);
  }
  for (CallableRef& member : parts.functions) {
    const Function* function = as_function(*member);
    if (function == nullptr) continue;
    // Calls are resolved against the HIR tree, whose functions are the callees.
    member = Lowerer(*module, *function).run();
    changed = true;
  }
  return changed ? Module::make(std::move(parts)) : module;
}

}  // namespace

ModuleRef HirToTirPass::run(const ModuleRef& module) { return lower_tree(module); }

}  // namespace tilefoundry
