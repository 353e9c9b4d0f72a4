#include "tilefoundry/passes/hir_to_tir.h"

#include "tilefoundry/passes/lower_dispatch.h"
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
  std::vector<CallableRef> lowered;
  for (const CallableRef& member : module->functions()) {
    const Function* function = as_function(*member);
    if (function == nullptr) {
      lowered.push_back(member);
      continue;
    }
    changed = true;
    // Calls are resolved against the HIR tree, whose functions are the callees.
    if (!function->is_prototype()) {
      lowered.push_back(Lowerer(*module, *function).run());
      continue;
    }
    PrimFunctionRef entry = lower_prototype(*module, *function);
    for (const FunctionRef& variant : function->variants()) {
      lowered.push_back(Lowerer(*module, *variant, function).run());
    }
    lowered.push_back(std::move(entry));
  }
  parts.functions = std::move(lowered);
  return changed ? Module::make(std::move(parts)) : module;
}

}  // namespace

ModuleRef HirToTirPass::run(const ModuleRef& module) { return lower_tree(module); }

}  // namespace tilefoundry
