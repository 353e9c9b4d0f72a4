// Decorated functions and classes, where they stand.
#pragma once

#include <vector>

#include "tilefoundry/frontend/decorators.h"

namespace tilefoundry {

// The block that holds a definition: a file, or the class of a Module.
struct DefinitionSite {
  Scope* scope = nullptr;
  // The members so far of the class; null in a file.
  const std::vector<ModuleRef>* children = nullptr;
  // The levels in force; null when none are declared.
  const Topologies* topologies = nullptr;
  // The block's statements, for calls of prim functions further down.
  SyntaxBlock block;
  // The prim functions so far, in order.
  std::vector<PrimFunctionRef>* prim_functions = nullptr;
};

// What a definition binds its name to: a Function, a PrimFunction, a Module, or a host object for
// a plain one. Poisoned after errors, which are reported.
Value define_function(Sema& sema, const FunctionSyntax& syntax, const DefinitionSite& site);
// A function below `@base.specialize(...)`, attached to its prototype. The variant, or the base
// when both have one name.
Value define_variant(Sema& sema, const FunctionSyntax& syntax, const DefinitionSite& site,
                     const Decoration& decoration);
Value define_class(Sema& sema, const ClassSyntax& syntax, const DefinitionSite& site);

// A Module named after a function that holds it as its entry, below the bare functions that it
// calls.
ModuleRef wrap_function(const CallableRef& function, TargetRef target,
                        std::optional<Topologies> topologies);

// Announces the definitions of a block, so that a use above one can be told from an unknown name.
void announce_definitions(Sema& sema, SyntaxBlock body, Scope& scope);

}  // namespace tilefoundry
