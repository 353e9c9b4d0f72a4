#include "tilefoundry/codegen/generator.h"

#include <fmt/format.h>

#include "tilefoundry/codegen/symbols.h"
#include "tilefoundry/support/diagnostic.h"
#include "tilefoundry/target/cpu_target.h"

namespace tilefoundry {
namespace {

void refuse_hir(const ModuleRef& root) {
  std::vector<ModuleRef> pending{root};
  while (!pending.empty()) {
    const ModuleRef module = std::move(pending.back());
    pending.pop_back();
    for (const CallableRef& callable : module->functions()) {
      const Function* function = as_function(*callable);
      if (function == nullptr) continue;
      throw CodegenError(
          Diagnostic{.code = "TF5105",
                     .message = fmt::format("the function {} is not lowered", function->name()),
                     .span = function->meta().span,
                     .hint = "run the pass hir_to_tir first"});
    }
    pending.insert(pending.end(), module->children().begin(), module->children().end());
  }
}

}  // namespace

std::vector<TargetGroup> group_by_target(const ModuleRef& module) {
  refuse_hir(module);
  const TargetRef fallback = module->target() ? module->target() : default_target();
  std::vector<TargetGroup> groups;
  for (const ModuleFunction& entry : module_functions(module)) {
    const TargetRef target = entry.function->target() ? entry.function->target() : fallback;
    TargetGroup* group = nullptr;
    for (TargetGroup& known : groups) {
      if (same_target(known.target, target)) group = &known;
    }
    if (group == nullptr) {
      for (const TargetGroup& known : groups) {
        if (known.target->name() != target->name() || target->name() != "cuda") continue;
        throw CodegenError(
            Diagnostic{.code = "TF5104",
                       .message = fmt::format("the module {} has functions for {} and for {}",
                                              module->name(), known.target->repr(), target->repr()),
                       .span = entry.function->meta().span,
                       .hint = "one module is built for one GPU architecture"});
      }
      groups.push_back({target, {}});
      group = &groups.back();
    }
    group->functions.push_back(entry.function);
  }
  return groups;
}

CodeGenerator::CodeGenerator(TargetRef target)
    : value_(std::move(target)), target_(codegen_target(value_->name())) {}

LinkableModule CodeGenerator::generate(const ModuleRef& module,
                                       const std::vector<PrimFunctionRef>& functions) const {
  return target_.generate(module, value_, functions);
}

LinkableModule generate(const ModuleRef& lowered) {
  const std::vector<TargetGroup> groups = group_by_target(lowered);
  const CallableRef entry = lowered->entry_function();
  if (!entry || groups.empty()) {
    throw CodegenError(
        Diagnostic{.code = "TF5103",
                   .message = fmt::format("the module {} has no entry to build", lowered->name()),
                   .span = lowered->meta().span,
                   .hint = "declare one with entry=\"...\""});
  }
  if (groups.size() > 1) {
    throw CodegenError(Diagnostic{
        .code = "TF5107",
        .message = fmt::format("the module {} has functions for {} and for {}; code for several "
                               "targets in one module is not generated yet",
                               lowered->name(), groups[0].target->repr(), groups[1].target->repr()),
        .span = lowered->meta().span,
        .hint = "build one module for each target"});
  }
  return CodeGenerator(groups[0].target).generate(lowered, groups[0].functions);
}

}  // namespace tilefoundry
