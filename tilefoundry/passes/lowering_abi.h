// What a lowering handler may use: five functions (passes seed 7.1). The lowering of a
// target-owned op includes this header and nothing else of passes/.
#pragma once

#include <string>

#include "tilefoundry/ir/expr.h"
#include "tilefoundry/ir/tir/stmt.h"
#include "tilefoundry/registry/analysis_registry.h"

namespace tilefoundry {

class LoweringContext {
 public:
  virtual ~LoweringContext() = default;
  // Lowers a nested expression; a shared one once. The Var names a buffer (or a tuple of buffers).
  virtual VarRef lower(const ExprRef& expr) = 0;
  // A new name; binds nothing.
  virtual VarRef fresh(const TypeRef& type, const std::string& hint) = 0;
  // A new name bound to a new AllocTensor; for a TupleType one buffer per field.
  virtual VarRef alloc(const TypeRef& type, const std::string& hint) = 0;
  // Appends a statement.
  virtual void emit(StmtRef stmt) = 0;
  // Appends the binding `var = value`.
  virtual void emit_bind(VarRef var, ExprRef value) = 0;
};

// `target` is the dispatched op; the result names the call's value in later statements.
using HirLoweringFn = VarRef(LoweringContext&, const Callable& target, const Call& call);
AnalysisRegistry& hir_lowering_registry();

template <class T, class Handler>
void register_hir_lowering(Handler handler,
                           std::source_location place = std::source_location::current()) {
  hir_lowering_registry().add<HirLoweringFn>(
      T::op_class(),
      [handler](LoweringContext& ctx, const Callable& target, const Call& call) -> VarRef {
        return handler(ctx, *op_cast<T>(target), call);
      },
      place);
}

}  // namespace tilefoundry
