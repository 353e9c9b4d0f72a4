// TIR statements: effects only. Immutable.
#pragma once

#include <functional>
#include <string>
#include <vector>

#include "tilefoundry/ir/expr.h"
#include "tilefoundry/ir/pattern.h"

namespace tilefoundry {

enum class StmtKind {
  sequential,
  let,
  for_loop,
  while_loop,
  if_else,
  mesh_scope,
  return_stmt,
  evaluate,
  abort,
  dispatch,
  user
};

class Stmt : public RefCounted {
 public:
  StmtKind kind() const noexcept { return kind_; }
  // The registry key: one descriptor per built-in kind, its own for a user statement.
  const StmtClass& stmt_class() const noexcept { return *class_; }
  const std::string& class_name() const noexcept { return class_->name(); }
  const Metadata& meta() const noexcept { return meta_; }
  const Span& span() const noexcept { return meta_.span; }

 protected:
  Stmt(StmtKind kind, const StmtClass& cls, Metadata meta)
      : kind_(kind), class_(&cls), meta_(std::move(meta)) {}

 private:
  StmtKind kind_;
  const StmtClass* class_;
  Metadata meta_;
};
using StmtRef = Ref<const Stmt>;

// The descriptor of a built-in kind; not for StmtKind::user.
const StmtClass& stmt_class_of(StmtKind kind);

class Sequential final : public Stmt {
 public:
  static Ref<const Sequential> make(std::vector<StmtRef> stmts, Metadata meta = {});
  const std::vector<StmtRef>& stmts() const noexcept { return stmts_; }

 private:
  Sequential(std::vector<StmtRef> stmts, Metadata meta);
  std::vector<StmtRef> stmts_;
};

// Binds `var` to `value` in `body`.
class LetStmt final : public Stmt {
 public:
  static Ref<const LetStmt> make(VarRef var, ExprRef value, StmtRef body, Metadata meta = {});
  const VarRef& var() const noexcept { return var_; }
  const ExprRef& value() const noexcept { return value_; }
  const StmtRef& body() const noexcept { return body_; }

 private:
  LetStmt(VarRef var, ExprRef value, StmtRef body, Metadata meta);
  VarRef var_;
  ExprRef value_;
  StmtRef body_;
};

// How a loop may run. A vectorized or parallel loop's trips are independent, except for
// accumulators (rank-0 `rmem` tensors) that its body updates by one associative operation.
enum class ForMode { serial, parallel, vectorized, unrolled };

// for var in range(start, stop, step); the variable is a rank-0 i64.
class For final : public Stmt {
 public:
  static Ref<const For> make(VarRef var, Dim start, Dim stop, Dim step, StmtRef body,
                             ForMode mode = ForMode::serial, Metadata meta = {});
  const VarRef& var() const noexcept { return var_; }
  const Dim& start() const noexcept { return start_; }
  const Dim& stop() const noexcept { return stop_; }
  const Dim& step() const noexcept { return step_; }
  const StmtRef& body() const noexcept { return body_; }
  ForMode mode() const noexcept { return mode_; }
  Ref<const For> with_body(StmtRef body) const;

 private:
  For(VarRef var, Dim start, Dim stop, Dim step, StmtRef body, ForMode mode, Metadata meta);
  VarRef var_;
  Dim start_;
  Dim stop_;
  Dim step_;
  StmtRef body_;
  ForMode mode_;
};

class While final : public Stmt {
 public:
  static Ref<const While> make(ExprRef cond, StmtRef body, Metadata meta = {});
  const ExprRef& cond() const noexcept { return cond_; }
  const StmtRef& body() const noexcept { return body_; }

 private:
  While(ExprRef cond, StmtRef body, Metadata meta);
  ExprRef cond_;
  StmtRef body_;
};

class If final : public Stmt {
 public:
  // `else_body` may be null.
  static Ref<const If> make(ExprRef cond, StmtRef then_body, StmtRef else_body, Metadata meta = {});
  const ExprRef& cond() const noexcept { return cond_; }
  const StmtRef& then_body() const noexcept { return then_body_; }
  const StmtRef& else_body() const noexcept { return else_body_; }

 private:
  If(ExprRef cond, StmtRef then_body, StmtRef else_body, Metadata meta);
  ExprRef cond_;
  StmtRef then_body_;
  StmtRef else_body_;
};

// with mesh as binding: body
class MeshScope final : public Stmt {
 public:
  static Ref<const MeshScope> make(MeshRef mesh, std::string binding, StmtRef body,
                                   Metadata meta = {});
  const MeshRef& mesh() const noexcept { return mesh_; }
  const std::string& binding() const noexcept { return binding_; }
  const StmtRef& body() const noexcept { return body_; }

 private:
  MeshScope(MeshRef mesh, std::string binding, StmtRef body, Metadata meta);
  MeshRef mesh_;
  std::string binding_;
  StmtRef body_;
};

class Return final : public Stmt {
 public:
  static Ref<const Return> make(Metadata meta = {});

 private:
  explicit Return(Metadata meta);
};

// An effect op, or a call of a prim function through a SymbolRef, in statement position.
class Evaluate final : public Stmt {
 public:
  // Throws VerifyError (TF3040) for an op that has a value form only.
  static Ref<const Evaluate> make(OpRef op, std::vector<ExprRef> args, Metadata meta = {});
  static Ref<const Evaluate> call(Ref<const SymbolRef> callee, std::vector<ExprRef> args,
                                  Metadata meta = {});

  // The op, or null for a call of a symbol.
  const OpRef& callable() const noexcept { return op_; }
  // The name under which a handler written for a `Call` reads the op.
  const OpRef& target() const noexcept { return op_; }
  // The callee symbol, or null.
  const Ref<const SymbolRef>& callee() const noexcept { return callee_; }
  const std::vector<ExprRef>& args() const noexcept { return args_; }
  template <class T>
  const T* op() const noexcept {
    return op_ ? op_cast<T>(*op_) : nullptr;
  }

 private:
  Evaluate(OpRef op, Ref<const SymbolRef> callee, std::vector<ExprRef> args, Metadata meta);
  OpRef op_;
  Ref<const SymbolRef> callee_;
  std::vector<ExprRef> args_;
};

// Ends the call with a message as an error status.
class Abort final : public Stmt {
 public:
  static Ref<const Abort> make(std::string message, Metadata meta = {});
  const std::string& message() const noexcept { return message_; }

 private:
  Abort(std::string message, Metadata meta);
  std::string message_;
};

// Runs the case whose pattern holds the subject, else the fallback: the call of a prototype.
class DispatchCall final : public Stmt {
 public:
  // As many calls as patterns.
  static Ref<const DispatchCall> make(std::string callee_name, std::vector<ExprRef> subjects,
                                      std::vector<PatternRef> case_patterns,
                                      std::vector<Ref<const Evaluate>> case_calls, StmtRef fallback,
                                      Metadata meta = {});
  const std::string& callee_name() const noexcept { return callee_name_; }
  const std::vector<ExprRef>& subjects() const noexcept { return subjects_; }
  const std::vector<PatternRef>& case_patterns() const noexcept { return case_patterns_; }
  const std::vector<Ref<const Evaluate>>& case_calls() const noexcept { return case_calls_; }
  const StmtRef& fallback() const noexcept { return fallback_; }

 private:
  DispatchCall(std::string callee_name, std::vector<ExprRef> subjects,
               std::vector<PatternRef> case_patterns, std::vector<Ref<const Evaluate>> case_calls,
               StmtRef fallback, Metadata meta);
  std::string callee_name_;
  std::vector<ExprRef> subjects_;
  std::vector<PatternRef> case_patterns_;
  std::vector<Ref<const Evaluate>> case_calls_;
  StmtRef fallback_;
};

// An `@intrinsic` statement: a class of its own, expression arguments, no nested statements by
// itself; a subclass may hold some.
class UserStmt : public Stmt {
 public:
  UserStmt(const StmtClass& cls, std::vector<ExprRef> args, std::vector<StmtRef> children = {},
           Metadata meta = {});
  const std::vector<ExprRef>& args() const noexcept { return args_; }
  const std::vector<StmtRef>& children() const noexcept { return children_; }

 private:
  std::vector<ExprRef> args_;
  std::vector<StmtRef> children_;
};

// The node as a T when its kind is T's, else null.
template <class T>
const T* stmt_cast(const Stmt& stmt) noexcept;
template <>
const Sequential* stmt_cast<Sequential>(const Stmt& stmt) noexcept;
template <>
const LetStmt* stmt_cast<LetStmt>(const Stmt& stmt) noexcept;
template <>
const For* stmt_cast<For>(const Stmt& stmt) noexcept;
template <>
const While* stmt_cast<While>(const Stmt& stmt) noexcept;
template <>
const If* stmt_cast<If>(const Stmt& stmt) noexcept;
template <>
const MeshScope* stmt_cast<MeshScope>(const Stmt& stmt) noexcept;
template <>
const Return* stmt_cast<Return>(const Stmt& stmt) noexcept;
template <>
const Evaluate* stmt_cast<Evaluate>(const Stmt& stmt) noexcept;
template <>
const Abort* stmt_cast<Abort>(const Stmt& stmt) noexcept;
template <>
const DispatchCall* stmt_cast<DispatchCall>(const Stmt& stmt) noexcept;
template <>
const UserStmt* stmt_cast<UserStmt>(const Stmt& stmt) noexcept;
template <class T>
const T* stmt_cast(const StmtRef& stmt) noexcept {
  return stmt ? stmt_cast<T>(*stmt) : nullptr;
}

// Expression fields of a statement itself, not of statements below it.
void for_each_stmt_expr(const Stmt& stmt, const std::function<void(const ExprRef&)>& visit);
// Statements directly below, in order.
void for_each_child_stmt(const Stmt& stmt, const std::function<void(const StmtRef&)>& visit);

}  // namespace tilefoundry
