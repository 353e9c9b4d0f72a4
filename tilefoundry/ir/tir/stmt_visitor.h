// Traversal and rewriting of statements. Knows no registry.
#pragma once

#include <vector>

#include "tilefoundry/ir/expr_visitor.h"
#include "tilefoundry/ir/tir/stmt.h"

namespace tilefoundry {

// `visit(stmt)` walks a statement and everything below it, in program order, without recursion.
// `generic_visit` queues the children of a statement: they are visited right after the current
// handler returns. A handler that must act after its children calls `visit(child)` itself.
class StmtVisitor {
 public:
  virtual ~StmtVisitor() = default;
  void visit(const StmtRef& stmt);

 protected:
  virtual void generic_visit(const Stmt& stmt);
  virtual void visit_Sequential(const Sequential& stmt) { generic_visit(stmt); }
  virtual void visit_LetStmt(const LetStmt& stmt) { generic_visit(stmt); }
  virtual void visit_For(const For& stmt) { generic_visit(stmt); }
  virtual void visit_While(const While& stmt) { generic_visit(stmt); }
  virtual void visit_If(const If& stmt) { generic_visit(stmt); }
  virtual void visit_MeshScope(const MeshScope& stmt) { generic_visit(stmt); }
  virtual void visit_Return(const Return& stmt) { generic_visit(stmt); }
  virtual void visit_Evaluate(const Evaluate& stmt) { generic_visit(stmt); }
  virtual void visit_Abort(const Abort& stmt) { generic_visit(stmt); }
  virtual void visit_DispatchCall(const DispatchCall& stmt) { generic_visit(stmt); }
  virtual void visit_UserStmt(const UserStmt& stmt) { generic_visit(stmt); }
  void queue_children(const Stmt& stmt);

 private:
  void dispatch(const Stmt& stmt);
  std::vector<StmtRef> queue_;
};

// Rewrites statements and the expressions in them. What does not change comes back as the same
// object. Chains of LetStmt and Sequential are walked without recursion: `rebuild_let` sees them
// after their parts are rewritten. A null result removes the statement.
class StmtExprMutator : public ExprMutator {
 public:
  StmtRef mutate(const StmtRef& stmt);

 protected:
  // Sees a binding on the way down, before the statements that it scopes over.
  virtual void enter_let(const LetStmt& stmt, const ExprRef& value) { (void)stmt, (void)value; }
  virtual StmtRef rebuild_let(const LetStmt& stmt, ExprRef value, StmtRef body);
  virtual StmtRef visit_For(const For& stmt);
  virtual StmtRef visit_While(const While& stmt);
  virtual StmtRef visit_If(const If& stmt);
  virtual StmtRef visit_MeshScope(const MeshScope& stmt);
  virtual StmtRef visit_Return(const Return& stmt) { return StmtRef(&stmt); }
  virtual StmtRef visit_Evaluate(const Evaluate& stmt);
  virtual StmtRef visit_Abort(const Abort& stmt) { return StmtRef(&stmt); }
  // The calls of the cases stay calls.
  virtual StmtRef visit_DispatchCall(const DispatchCall& stmt);
  virtual StmtRef visit_UserStmt(const UserStmt& stmt) { return StmtRef(&stmt); }

 private:
  StmtRef mutate_leaf(const StmtRef& stmt);
};

}  // namespace tilefoundry
