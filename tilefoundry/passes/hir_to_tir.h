// Replaces every HIR function by a prim function (passes seed 7.1).
#pragma once

#include "tilefoundry/passes/pass.h"

namespace tilefoundry {

// Results become trailing parameters: (inputs..., weights of the tree below..., outputs...). A
// weight that a call of a child's entry leaves out is appended under its tree path ("up.weight").
// Symbols are paths relative to the module that holds the caller: "helper", "up.forward".
// A prototype gives one function per variant ("f$S$1_4") and, behind them, the dispatching entry.
// Refuses an op without a registered lowering by PassError (TF4101), naming it.
class HirToTirPass final : public ModulePass {
 public:
  const std::string& name() const override;
  ModuleRef run(const ModuleRef& module) override;
};

}  // namespace tilefoundry
