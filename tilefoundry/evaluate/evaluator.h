// The reference interpreter of HIR: written for correctness, the oracle for everything that
// generates code (design 5.5). Shares nothing with generated code.
#pragma once

#include <map>
#include <string>
#include <vector>

#include "tilefoundry/evaluate/host_tensor.h"
#include "tilefoundry/ir/module.h"
#include "tilefoundry/registry/analysis_registry.h"

namespace tilefoundry {

class EvaluateContext {
 public:
  explicit EvaluateContext(ModuleRef module) : module(std::move(module)) {}

  ModuleRef module;
  // DimVar name (and run-time scalars by identity) to extent.
  std::map<std::string, std::int64_t> dims;

  // The value of a dimension under the bindings; CallError (TF6011) for an unbound one.
  std::int64_t extent(const Dim& dim) const;
  std::vector<std::int64_t> extents(const Shape& shape) const;
  // A tensor of zeros of a call's result type.
  HostTensor zeros_like(const TypeRef& type) const;
  // Runs a function of the module tree on values; `weights` by tree path below its owner.
  HostValue call(const Function& function, const std::vector<HostValue>& args);
  [[noreturn]] void error(const Call& call, const std::string& message) const;

  // Weights that calls of child entries leave out, by tree path.
  std::map<std::string, HostTensor> weights;
  std::string path_prefix;  // of the module whose function runs, "" or "up."
  const Module* owner = nullptr;
};

// Values of the arguments in, value of the result out.
using EvaluateFn = HostValue(const Call&, const std::vector<HostValue>&, EvaluateContext&);
AnalysisRegistry& evaluator_registry();

template <class T, class Handler>
void register_evaluator(Handler handler,
                        std::source_location place = std::source_location::current()) {
  evaluator_registry().add<EvaluateFn>(
      T::op_class(),
      [handler](const Call& call, const std::vector<HostValue>& args, EvaluateContext& ctx)
          -> HostValue { return handler(call, *call.op<T>(), args, ctx); },
      place);
}

// Evaluates an HIR function of `module` (its entry by default). Inputs: the function's own
// parameters in order, then the tree weights (`tree_weights`). Checks count, dtype, rank and
// extents; binds DimVars, which must agree and lie in their ranges; CallError (TF601x) otherwise.
// Several results come back as a tuple value.
HostValue evaluate(const ModuleRef& module, const Function& function,
                   const std::vector<HostTensor>& inputs);

}  // namespace tilefoundry
