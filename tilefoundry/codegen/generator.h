// From a lowered Module to sources.
#pragma once

#include <string>
#include <vector>

#include "tilefoundry/codegen/targets.h"
#include "tilefoundry/ir/module.h"

namespace tilefoundry {

struct LinkableFunction {
  std::string name;    // the symbol in the module
  std::string source;  // its text within the module's source
};

// Everything that one compiler run needs.
struct LinkableModule {
  TargetRef target;
  std::string language;  // the extension of its source file: "cc", "cu"
  std::string source;
  std::vector<LinkableFunction> functions;  // callees before callers
  std::string entry;                        // the entry's name
  std::string symbol;                       // the exported symbol, "tf_f"
  std::string abi_json;
  std::vector<std::string> flags;  // for the compiler, besides the standard ones
};

// Functions of a module tree by target, in source order; a function without a target has the
// module's. CodegenError TF5104 when two CUDA targets differ, TF5105 for a function that is not
// lowered.
struct TargetGroup {
  TargetRef target;
  std::vector<PrimFunctionRef> functions;
};
std::vector<TargetGroup> group_by_target(const ModuleRef& module);

// Emits the functions of one target value.
class CodeGenerator {
 public:
  // RegistryError TF9010 when no target of that name emits code.
  explicit CodeGenerator(TargetRef target);
  const CodegenTarget& target() const noexcept { return target_; }
  LinkableModule generate(const ModuleRef& module,
                          const std::vector<PrimFunctionRef>& functions) const;

 private:
  TargetRef value_;
  const CodegenTarget& target_;
};

// The source of a lowered Module whose functions have one target. CodegenError TF5103 without an
// entry, TF5107 for a mixture that needs a host and a device unit.
LinkableModule generate(const ModuleRef& lowered);

}  // namespace tilefoundry
