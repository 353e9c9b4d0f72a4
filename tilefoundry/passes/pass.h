// Passes: the unit that the compiler schedules over a Module (passes seed 2, 3).
#pragma once

#include <optional>
#include <set>
#include <string>
#include <vector>

#include "tilefoundry/ir/module.h"

namespace tilefoundry {

// A pure function from Module to Module: never changes its input, returns the same object when
// nothing changed, fails by a named exception, depends on no global state.
class Pass {
 public:
  virtual ~Pass() = default;
  // Stable name in pipelines, dumps and logs.
  virtual const std::string& name() const = 0;
  // Names of passes that stand earlier in the same manager.
  virtual const std::vector<std::string>& requires_passes() const;
  virtual ModuleRef run(const ModuleRef& module) = 0;
  // Functions (by name) that the last run changed beyond those with a new identity; nullopt: the
  // pass does not say. Only consulted for passes over whole modules.
  virtual std::optional<std::set<std::string>> changed_functions() const { return std::nullopt; }
  // What the last run has to say to the reader of its result: one line each.
  virtual const std::vector<std::string>& remarks() const;
  // Whether `run` maps each function by itself, so that identity tells what changed.
  virtual bool is_function_local() const { return false; }
};

class ModulePass : public Pass {};

// Visits each HIR function of the module and of its children.
class FunctionPass : public Pass {
 public:
  virtual FunctionRef run_function(const FunctionRef& function, const ModuleRef& module) = 0;
  ModuleRef run(const ModuleRef& module) override;
  bool is_function_local() const override { return true; }
};

// Visits each prim function of the module and of its children.
class PrimFuncPass : public Pass {
 public:
  virtual PrimFunctionRef run_prim_func(const PrimFunctionRef& function,
                                        const ModuleRef& module) = 0;
  ModuleRef run(const ModuleRef& module) override;
  bool is_function_local() const override { return true; }
};

}  // namespace tilefoundry
