#include "tilefoundry/ir/tir/stmt_visitor.h"

#include <algorithm>

namespace tilefoundry {

void StmtVisitor::visit(const StmtRef& stmt) {
  const std::size_t base = queue_.size();
  struct Restore {
    std::vector<StmtRef>& queue;
    std::size_t size;
    ~Restore() { queue.resize(size); }
  } restore{queue_, base};
  queue_.push_back(stmt);
  while (queue_.size() > base) {
    const StmtRef next = std::move(queue_.back());
    queue_.pop_back();
    const auto first = static_cast<std::ptrdiff_t>(queue_.size());
    dispatch(*next);
    std::reverse(queue_.begin() + first, queue_.end());
  }
}

void StmtVisitor::queue_children(const Stmt& stmt) {
  for_each_child_stmt(stmt, [&](const StmtRef& child) { queue_.push_back(child); });
}

void StmtVisitor::generic_visit(const Stmt& stmt) { queue_children(stmt); }

void StmtVisitor::dispatch(const Stmt& stmt) {
  switch (stmt.kind()) {
    case StmtKind::sequential: return visit_Sequential(static_cast<const Sequential&>(stmt));
    case StmtKind::let: return visit_LetStmt(static_cast<const LetStmt&>(stmt));
    case StmtKind::for_loop: return visit_For(static_cast<const For&>(stmt));
    case StmtKind::while_loop: return visit_While(static_cast<const While&>(stmt));
    case StmtKind::if_else: return visit_If(static_cast<const If&>(stmt));
    case StmtKind::mesh_scope: return visit_MeshScope(static_cast<const MeshScope&>(stmt));
    case StmtKind::return_stmt: return visit_Return(static_cast<const Return&>(stmt));
    case StmtKind::evaluate: return visit_Evaluate(static_cast<const Evaluate&>(stmt));
    case StmtKind::abort: return visit_Abort(static_cast<const Abort&>(stmt));
    case StmtKind::dispatch: return visit_DispatchCall(static_cast<const DispatchCall&>(stmt));
    case StmtKind::user: return visit_UserStmt(static_cast<const UserStmt&>(stmt));
  }
}

namespace {

// One LetStmt or Sequential on the way down, with what became of its parts.
struct SpineFrame {
  StmtRef stmt;
  ExprRef value;                // of a LetStmt
  std::vector<StmtRef> before;  // of a Sequential: all but the last child
  bool changed = false;
};

StmtRef rebuild_sequential(const SpineFrame& frame, const StmtRef& last, const StmtRef& old_last) {
  if (!frame.changed && last == old_last) return frame.stmt;
  std::vector<StmtRef> stmts = frame.before;
  if (last) stmts.push_back(last);
  return Sequential::make(std::move(stmts), frame.stmt->meta());
}

}  // namespace

StmtRef StmtExprMutator::mutate(const StmtRef& root) {
  std::vector<SpineFrame> spine;
  StmtRef current = root;
  while (true) {
    if (const auto* let = stmt_cast<LetStmt>(current)) {
      spine.push_back({current, ExprMutator::visit(let->value()), {}, false});
      enter_let(*let, spine.back().value);
      current = let->body();
      continue;
    }
    const auto* block = stmt_cast<Sequential>(current);
    if (block == nullptr || block->stmts().empty()) break;
    SpineFrame frame{current, nullptr, {}, false};
    for (std::size_t i = 0; i + 1 < block->stmts().size(); ++i) {
      StmtRef child = mutate(block->stmts()[i]);
      frame.changed = frame.changed || child != block->stmts()[i];
      if (child) frame.before.push_back(std::move(child));
    }
    StmtRef last = block->stmts().back();
    spine.push_back(std::move(frame));
    current = std::move(last);
  }
  StmtRef old = current;
  StmtRef result = mutate_leaf(current);
  while (!spine.empty()) {
    const SpineFrame frame = std::move(spine.back());
    spine.pop_back();
    if (const auto* let = stmt_cast<LetStmt>(frame.stmt)) {
      if (!result) result = Sequential::make({});
      result = rebuild_let(*let, frame.value, std::move(result));
    } else {
      result = rebuild_sequential(frame, result, old);
    }
    old = frame.stmt;
  }
  return result;
}

StmtRef StmtExprMutator::mutate_leaf(const StmtRef& stmt) {
  switch (stmt->kind()) {
    case StmtKind::sequential:
    case StmtKind::let: return stmt;
    case StmtKind::for_loop: return visit_For(static_cast<const For&>(*stmt));
    case StmtKind::while_loop: return visit_While(static_cast<const While&>(*stmt));
    case StmtKind::if_else: return visit_If(static_cast<const If&>(*stmt));
    case StmtKind::mesh_scope: return visit_MeshScope(static_cast<const MeshScope&>(*stmt));
    case StmtKind::return_stmt: return visit_Return(static_cast<const Return&>(*stmt));
    case StmtKind::evaluate: return visit_Evaluate(static_cast<const Evaluate&>(*stmt));
    case StmtKind::abort: return visit_Abort(static_cast<const Abort&>(*stmt));
    case StmtKind::dispatch: return visit_DispatchCall(static_cast<const DispatchCall&>(*stmt));
    case StmtKind::user: return visit_UserStmt(static_cast<const UserStmt&>(*stmt));
  }
  return stmt;
}

StmtRef StmtExprMutator::rebuild_let(const LetStmt& stmt, ExprRef value, StmtRef body) {
  if (value == stmt.value() && body == stmt.body()) return StmtRef(&stmt);
  return LetStmt::make(stmt.var(), std::move(value), std::move(body), stmt.meta());
}

StmtRef StmtExprMutator::visit_For(const For& stmt) {
  StmtRef body = mutate(stmt.body());
  if (!body) return nullptr;
  return body == stmt.body() ? StmtRef(&stmt) : StmtRef(stmt.with_body(std::move(body)));
}

StmtRef StmtExprMutator::visit_While(const While& stmt) {
  ExprRef cond = ExprMutator::visit(stmt.cond());
  StmtRef body = mutate(stmt.body());
  if (cond == stmt.cond() && body == stmt.body()) return StmtRef(&stmt);
  if (!body) body = Sequential::make({});
  return While::make(std::move(cond), std::move(body), stmt.meta());
}

StmtRef StmtExprMutator::visit_If(const If& stmt) {
  ExprRef cond = ExprMutator::visit(stmt.cond());
  StmtRef then_body = mutate(stmt.then_body());
  StmtRef else_body = stmt.else_body() ? mutate(stmt.else_body()) : nullptr;
  if (cond == stmt.cond() && then_body == stmt.then_body() && else_body == stmt.else_body()) {
    return StmtRef(&stmt);
  }
  if (!then_body) then_body = Sequential::make({});
  return If::make(std::move(cond), std::move(then_body), std::move(else_body), stmt.meta());
}

StmtRef StmtExprMutator::visit_MeshScope(const MeshScope& stmt) {
  StmtRef body = mutate(stmt.body());
  if (!body) return nullptr;
  if (body == stmt.body()) return StmtRef(&stmt);
  return MeshScope::make(stmt.mesh(), stmt.binding(), std::move(body), stmt.meta());
}

StmtRef StmtExprMutator::visit_Evaluate(const Evaluate& stmt) {
  bool changed = false;
  std::vector<ExprRef> args = rewrite_all(stmt.args(), changed);
  if (!changed) return StmtRef(&stmt);
  if (stmt.callee()) return Evaluate::call(stmt.callee(), std::move(args), stmt.meta());
  return Evaluate::make(stmt.callable(), std::move(args), stmt.meta());
}

StmtRef StmtExprMutator::visit_DispatchCall(const DispatchCall& stmt) {
  bool changed = false;
  std::vector<ExprRef> subjects = rewrite_all(stmt.subjects(), changed);
  std::vector<Ref<const Evaluate>> calls;
  for (const Ref<const Evaluate>& call : stmt.case_calls()) {
    const StmtRef rewritten = visit_Evaluate(*call);
    const auto* evaluate = stmt_cast<Evaluate>(rewritten);
    calls.emplace_back(evaluate != nullptr ? evaluate : call.get());
    changed = changed || calls.back() != call;
  }
  StmtRef fallback = mutate(stmt.fallback());
  if (!fallback) fallback = Sequential::make({});
  if (!changed && fallback == stmt.fallback()) return StmtRef(&stmt);
  return DispatchCall::make(stmt.callee_name(), std::move(subjects), stmt.case_patterns(),
                            std::move(calls), std::move(fallback), stmt.meta());
}

}  // namespace tilefoundry
