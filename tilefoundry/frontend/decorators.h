// What the decorators of a definition say.
#pragma once

#include <optional>
#include <span>
#include <string>

#include "tilefoundry/frontend/evaluator.h"
#include "tilefoundry/frontend/func_body.h"

namespace tilefoundry {

struct Decoration {
  BuiltinKind kind = BuiltinKind::func;
  Span span;
  bool called = false;  // @func(...) rather than @func
  TargetRef target;
  std::optional<Topologies> topologies;  // nullopt: inherited
  std::optional<std::string> entry;
  std::size_t outputs = 0;  // of a prim_func: trailing parameters that are written
  FunctionRenaming renaming;
  // `@base.specialize(pattern)`: the prototype and what tells the variant apart.
  FunctionRef base;
  std::vector<PatternRef> patterns;
};

// Exactly one decorator of the language. Throws ParseError (TF2080 to TF2083) for anything else.
Decoration read_decoration(Sema& sema, Evaluator& evaluator,
                           std::span<const ExprSyntax* const> decorators);

}  // namespace tilefoundry
