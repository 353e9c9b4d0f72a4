// Calls of HIR functions: elaboration under the argument types (design 4.3), and the handlers of
// the function class in the op-keyed registries.
#pragma once

#include <map>
#include <utility>
#include <vector>

#include "tilefoundry/registry/typeinfer.h"

namespace tilefoundry {

// The memo of elaborated callees of one Module under construction: equal argument types of one
// callee share one instance. Keyed by the callee object, never structurally.
class FunctionInstances {
 public:
  // The function that a call of `callee` with arguments of these types runs: the callee itself when
  // they are its parameters' types, else a typed copy that records it as its origin. `arg_types`
  // has one type per parameter, or per input when the weights are left out. `call` is named in
  // errors: arity, dtype and logical shape must match; a parameter with a ShardLayout must match
  // exactly; recursion is refused.
  FunctionRef instance(TypeInferContext& ctx, const FunctionRef& callee,
                       const std::vector<TypeRef>& arg_types, const Expr& call);

 private:
  friend class Elaboration;
  using Key = std::pair<const Function*, std::vector<TypeRef>>;
  struct Less {
    bool operator()(const Key& a, const Key& b) const;
  };
  struct Entry {
    FunctionRef callee;  // keeps the key alive
    FunctionRef result;  // null while it is being made
  };
  std::map<Key, Entry, Less> entries_;
};

// One elaboration with a memo of its own.
FunctionRef elaborate(TypeInferContext& ctx, const FunctionRef& callee,
                      const std::vector<TypeRef>& arg_types, const Expr& call);

void register_function_call();

}  // namespace tilefoundry
