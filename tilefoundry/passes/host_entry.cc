#include "tilefoundry/passes/host_entry.h"

#include <fmt/format.h>

#include "tilefoundry/support/diagnostic.h"

namespace tilefoundry {

ModuleRef insert_default_host_entry(const ModuleRef& module) {
  const CallableRef entry = module->entry_function();
  const PrimFunction* function = entry ? as_prim_function(*entry) : nullptr;
  if (function == nullptr) {
    throw PassError(Diagnostic{
        .code = "TF4201",
        .message = fmt::format("Module {} has no lowered entry function", module->name()),
        .span = module->meta().span,
        .hint = "declare one with @module(entry=\"...\") and lower the module first"});
  }
  const TargetRef& target = function->target() ? function->target() : module->target();
  if (target && target->name() != "cpu") {
    throw PassError(Diagnostic{
        .code = "TF4202",
        .message =
            fmt::format("the entry {} of Module {} runs on {}, and no host entry can be made "
                        "for it",
                        function->name(), module->name(), target->repr()),
        .span = function->meta().span});
  }
  return module;
}

}  // namespace tilefoundry
