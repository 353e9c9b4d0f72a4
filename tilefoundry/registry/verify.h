// Verification of TIR: context, registry, visitor (visitor-registry seed 5).
#pragma once

#include <unordered_map>
#include <vector>

#include "tilefoundry/ir/tir/stmt_visitor.h"
#include "tilefoundry/registry/typeinfer.h"

namespace tilefoundry {

class VerifyContext : public TypeInferContext {
 public:
  using TypeInferContext::TypeInferContext;
  std::vector<MeshRef> mesh_stack;  // enclosing scopes, outermost first
  // Every Var bound so far by a statement, or by the function (null) whose parameter it is.
  std::unordered_map<const Var*, const Stmt*> bound_vars;
  PrimFunctionRef function;  // being verified; null for statements on their own
};

// A rule for a statement class, or for an effect op class: then it gets the Evaluate. A rule for
// `PrimFunction::function_class()` gets every statement, before the statement's own rule.
using VerifyFn = void(const Stmt&, VerifyContext&);
AnalysisRegistry& verify_stmt_registry();

class VerifyVisitor : public StmtVisitor {
 public:
  explicit VerifyVisitor(VerifyContext& ctx,
                         const AnalysisRegistry& registry = verify_stmt_registry())
      : ctx_(ctx), registry_(registry) {}

 protected:
  // The rule of the class first, if there is one; then always the statements below.
  void generic_visit(const Stmt& stmt) override;
  void visit_MeshScope(const MeshScope& stmt) override;

 private:
  void apply_rule(const Stmt& stmt);
  VerifyContext& ctx_;
  const AnalysisRegistry& registry_;
};

// Every TIR rule on one function: parameters, statements, embedded expression types, and the
// callees of symbols among the functions of `module` (may be null). Throws VerifyError. Returns the
// function with refreshed expression types; the very same object when none differs.
PrimFunctionRef verify_prim_function(const PrimFunctionRef& function, const ModuleRef& module);
// Every prim function of a module tree.
void verify_module(const ModuleRef& module);

template <class T, class Handler>
void register_verify_op(Handler handler,
                        std::source_location place = std::source_location::current()) {
  verify_stmt_registry().add<VerifyFn>(
      T::op_class(),
      [handler](const Stmt& stmt, VerifyContext& ctx) {
        const auto& evaluate = static_cast<const Evaluate&>(stmt);
        handler(evaluate, *evaluate.op<T>(), ctx);
      },
      place);
}

}  // namespace tilefoundry
