#include "tilefoundry/ir/tir/stmt.h"

#include <array>

#include <fmt/format.h>

#include "tilefoundry/support/diagnostic.h"

namespace tilefoundry {

const StmtClass& stmt_class_of(StmtKind kind) {
  static const auto* classes = new std::array<StmtClass, 10>{
      StmtClass("Sequential"), StmtClass("LetStmt"),     StmtClass("For"),    StmtClass("While"),
      StmtClass("If"),         StmtClass("MeshScope"),   StmtClass("Return"), StmtClass("Evaluate"),
      StmtClass("Abort"),      StmtClass("DispatchCall")};
  return (*classes)[static_cast<std::size_t>(kind)];
}

namespace {

const StmtClass& builtin(StmtKind kind) { return stmt_class_of(kind); }

}  // namespace

Sequential::Sequential(std::vector<StmtRef> stmts, Metadata meta)
    : Stmt(StmtKind::sequential, builtin(StmtKind::sequential), std::move(meta)),
      stmts_(std::move(stmts)) {}
Ref<const Sequential> Sequential::make(std::vector<StmtRef> stmts, Metadata meta) {
  return Ref<const Sequential>(new Sequential(std::move(stmts), std::move(meta)));
}

LetStmt::LetStmt(VarRef var, ExprRef value, StmtRef body, Metadata meta)
    : Stmt(StmtKind::let, builtin(StmtKind::let), std::move(meta)),
      var_(std::move(var)),
      value_(std::move(value)),
      body_(std::move(body)) {}
Ref<const LetStmt> LetStmt::make(VarRef var, ExprRef value, StmtRef body, Metadata meta) {
  return Ref<const LetStmt>(
      new LetStmt(std::move(var), std::move(value), std::move(body), std::move(meta)));
}

For::For(VarRef var, Dim start, Dim stop, Dim step, StmtRef body, ForMode mode, Metadata meta)
    : Stmt(StmtKind::for_loop, builtin(StmtKind::for_loop), std::move(meta)),
      var_(std::move(var)),
      start_(std::move(start)),
      stop_(std::move(stop)),
      step_(std::move(step)),
      body_(std::move(body)),
      mode_(mode) {}
Ref<const For> For::make(VarRef var, Dim start, Dim stop, Dim step, StmtRef body, ForMode mode,
                         Metadata meta) {
  return Ref<const For>(new For(std::move(var), std::move(start), std::move(stop), std::move(step),
                                std::move(body), mode, std::move(meta)));
}
Ref<const For> For::with_body(StmtRef body) const {
  return make(var_, start_, stop_, step_, std::move(body), mode_, meta());
}

While::While(ExprRef cond, StmtRef body, Metadata meta)
    : Stmt(StmtKind::while_loop, builtin(StmtKind::while_loop), std::move(meta)),
      cond_(std::move(cond)),
      body_(std::move(body)) {}
Ref<const While> While::make(ExprRef cond, StmtRef body, Metadata meta) {
  return Ref<const While>(new While(std::move(cond), std::move(body), std::move(meta)));
}

If::If(ExprRef cond, StmtRef then_body, StmtRef else_body, Metadata meta)
    : Stmt(StmtKind::if_else, builtin(StmtKind::if_else), std::move(meta)),
      cond_(std::move(cond)),
      then_body_(std::move(then_body)),
      else_body_(std::move(else_body)) {}
Ref<const If> If::make(ExprRef cond, StmtRef then_body, StmtRef else_body, Metadata meta) {
  return Ref<const If>(
      new If(std::move(cond), std::move(then_body), std::move(else_body), std::move(meta)));
}

MeshScope::MeshScope(MeshRef mesh, std::string binding, StmtRef body, Metadata meta)
    : Stmt(StmtKind::mesh_scope, builtin(StmtKind::mesh_scope), std::move(meta)),
      mesh_(std::move(mesh)),
      binding_(std::move(binding)),
      body_(std::move(body)) {}
Ref<const MeshScope> MeshScope::make(MeshRef mesh, std::string binding, StmtRef body,
                                     Metadata meta) {
  return Ref<const MeshScope>(
      new MeshScope(std::move(mesh), std::move(binding), std::move(body), std::move(meta)));
}

Return::Return(Metadata meta)
    : Stmt(StmtKind::return_stmt, builtin(StmtKind::return_stmt), std::move(meta)) {}
Ref<const Return> Return::make(Metadata meta) {
  return Ref<const Return>(new Return(std::move(meta)));
}

Evaluate::Evaluate(OpRef op, Ref<const SymbolRef> callee, std::vector<ExprRef> args, Metadata meta)
    : Stmt(StmtKind::evaluate, builtin(StmtKind::evaluate), std::move(meta)),
      op_(std::move(op)),
      callee_(std::move(callee)),
      args_(std::move(args)) {}
Ref<const Evaluate> Evaluate::make(OpRef op, std::vector<ExprRef> args, Metadata meta) {
  if (!op->op_class().is_effect()) {
    throw VerifyError(Diagnostic{
        .code = "TF3040",
        .message =
            fmt::format("{} is a value op and cannot stand as a statement", op->op_class().name()),
        .span = meta.span,
        .hint = "bind its result to a name, or use an effect op that writes a destination"});
  }
  return Ref<const Evaluate>(
      new Evaluate(std::move(op), nullptr, std::move(args), std::move(meta)));
}
Ref<const Evaluate> Evaluate::call(Ref<const SymbolRef> callee, std::vector<ExprRef> args,
                                   Metadata meta) {
  return Ref<const Evaluate>(
      new Evaluate(nullptr, std::move(callee), std::move(args), std::move(meta)));
}

Abort::Abort(std::string message, Metadata meta)
    : Stmt(StmtKind::abort, builtin(StmtKind::abort), std::move(meta)),
      message_(std::move(message)) {}
Ref<const Abort> Abort::make(std::string message, Metadata meta) {
  return Ref<const Abort>(new Abort(std::move(message), std::move(meta)));
}

DispatchCall::DispatchCall(std::string callee_name, std::vector<ExprRef> subjects,
                           std::vector<PatternRef> case_patterns,
                           std::vector<Ref<const Evaluate>> case_calls, StmtRef fallback,
                           Metadata meta)
    : Stmt(StmtKind::dispatch, builtin(StmtKind::dispatch), std::move(meta)),
      callee_name_(std::move(callee_name)),
      subjects_(std::move(subjects)),
      case_patterns_(std::move(case_patterns)),
      case_calls_(std::move(case_calls)),
      fallback_(std::move(fallback)) {}
Ref<const DispatchCall> DispatchCall::make(std::string callee_name, std::vector<ExprRef> subjects,
                                           std::vector<PatternRef> case_patterns,
                                           std::vector<Ref<const Evaluate>> case_calls,
                                           StmtRef fallback, Metadata meta) {
  TF_CHECK(case_patterns.size() == case_calls.size(), "cases and calls differ in number");
  return Ref<const DispatchCall>(new DispatchCall(std::move(callee_name), std::move(subjects),
                                                  std::move(case_patterns), std::move(case_calls),
                                                  std::move(fallback), std::move(meta)));
}

UserStmt::UserStmt(const StmtClass& cls, std::vector<ExprRef> args, std::vector<StmtRef> children,
                   Metadata meta)
    : Stmt(StmtKind::user, cls, std::move(meta)),
      args_(std::move(args)),
      children_(std::move(children)) {}

namespace {

template <class T>
const T* cast_kind(const Stmt& stmt, StmtKind kind) noexcept {
  return stmt.kind() == kind ? static_cast<const T*>(&stmt) : nullptr;
}

}  // namespace

template <>
const Sequential* stmt_cast<Sequential>(const Stmt& stmt) noexcept {
  return cast_kind<Sequential>(stmt, StmtKind::sequential);
}
template <>
const LetStmt* stmt_cast<LetStmt>(const Stmt& stmt) noexcept {
  return cast_kind<LetStmt>(stmt, StmtKind::let);
}
template <>
const For* stmt_cast<For>(const Stmt& stmt) noexcept {
  return cast_kind<For>(stmt, StmtKind::for_loop);
}
template <>
const While* stmt_cast<While>(const Stmt& stmt) noexcept {
  return cast_kind<While>(stmt, StmtKind::while_loop);
}
template <>
const If* stmt_cast<If>(const Stmt& stmt) noexcept {
  return cast_kind<If>(stmt, StmtKind::if_else);
}
template <>
const MeshScope* stmt_cast<MeshScope>(const Stmt& stmt) noexcept {
  return cast_kind<MeshScope>(stmt, StmtKind::mesh_scope);
}
template <>
const Return* stmt_cast<Return>(const Stmt& stmt) noexcept {
  return cast_kind<Return>(stmt, StmtKind::return_stmt);
}
template <>
const Evaluate* stmt_cast<Evaluate>(const Stmt& stmt) noexcept {
  return cast_kind<Evaluate>(stmt, StmtKind::evaluate);
}
template <>
const Abort* stmt_cast<Abort>(const Stmt& stmt) noexcept {
  return cast_kind<Abort>(stmt, StmtKind::abort);
}
template <>
const DispatchCall* stmt_cast<DispatchCall>(const Stmt& stmt) noexcept {
  return cast_kind<DispatchCall>(stmt, StmtKind::dispatch);
}
template <>
const UserStmt* stmt_cast<UserStmt>(const Stmt& stmt) noexcept {
  return cast_kind<UserStmt>(stmt, StmtKind::user);
}

void for_each_stmt_expr(const Stmt& stmt, const std::function<void(const ExprRef&)>& visit) {
  if (const auto* let = stmt_cast<LetStmt>(stmt)) visit(let->value());
  if (const auto* loop = stmt_cast<While>(stmt)) visit(loop->cond());
  if (const auto* branch = stmt_cast<If>(stmt)) visit(branch->cond());
  if (const auto* evaluate = stmt_cast<Evaluate>(stmt)) {
    if (evaluate->callee()) visit(evaluate->callee());
    for (const ExprRef& arg : evaluate->args()) visit(arg);
  }
  if (const auto* dispatch = stmt_cast<DispatchCall>(stmt)) {
    for (const ExprRef& subject : dispatch->subjects()) visit(subject);
  }
  if (const auto* user = stmt_cast<UserStmt>(stmt)) {
    for (const ExprRef& arg : user->args()) visit(arg);
  }
}

void for_each_child_stmt(const Stmt& stmt, const std::function<void(const StmtRef&)>& visit) {
  if (const auto* block = stmt_cast<Sequential>(stmt)) {
    for (const StmtRef& child : block->stmts()) visit(child);
  }
  if (const auto* let = stmt_cast<LetStmt>(stmt)) visit(let->body());
  if (const auto* loop = stmt_cast<For>(stmt)) visit(loop->body());
  if (const auto* loop = stmt_cast<While>(stmt)) visit(loop->body());
  if (const auto* scope = stmt_cast<MeshScope>(stmt)) visit(scope->body());
  if (const auto* branch = stmt_cast<If>(stmt)) {
    visit(branch->then_body());
    if (branch->else_body()) visit(branch->else_body());
  }
  if (const auto* dispatch = stmt_cast<DispatchCall>(stmt)) {
    for (const Ref<const Evaluate>& call : dispatch->case_calls()) visit(call);
    visit(dispatch->fallback());
  }
  if (const auto* user = stmt_cast<UserStmt>(stmt)) {
    for (const StmtRef& child : user->children()) visit(child);
  }
}

}  // namespace tilefoundry
