// Prototypes and calls of them in TIR (passes seed 7.1, "Dispatch lowering").
#pragma once

#include <string>
#include <vector>

#include "tilefoundry/ir/module.h"

namespace tilefoundry {

// The symbol of a variant: "f$S$1_4". Throws PassError (TF4423) for a pattern class from outside.
std::string variant_symbol(const Function& variant);
// The output parameters' types for a result: one plain buffer per tensor.
std::vector<TypeRef> output_types(const TypeRef& result);
// What every variant of a prototype of `owner` takes: parameters, weights of the tree, outputs.
Ref<const CallableType> variant_type(const Module& owner, const Function& prototype);

// Throws PassError at `place` when there is nothing to lower: TF4420 without variants, TF4423.
void check_lowerable(const Function& prototype, const Span& place);

// The entry under the plain name: one DispatchCall over all variants.
PrimFunctionRef lower_prototype(const Module& owner, const Function& prototype);

// The cases of a call whose argument has the extent `extent` where the prototype is dispatched.
// Throws PassError at `place`: TF4421 when the extent is neither a number nor a DimVar, TF4422 when
// it reaches no variant.
std::vector<std::size_t> reachable_cases(const Function& prototype, const Dim& extent,
                                         const Span& place);

// `symbol_prefix` is the way from the caller to the prototype's Module ("up.").
struct DispatchSite {
  const Function* prototype = nullptr;
  std::string symbol_prefix;
  Ref<const CallableType> type;  // of every variant
  Span place;
};
StmtRef dispatch_call(const DispatchSite& site, const std::vector<std::size_t>& cases,
                      ExprRef subject, const std::vector<ExprRef>& args);

}  // namespace tilefoundry
