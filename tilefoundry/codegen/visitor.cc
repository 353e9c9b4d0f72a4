#include "tilefoundry/codegen/visitor.h"

#include <fmt/format.h>

#include <algorithm>

#include "tilefoundry/support/diagnostic.h"

namespace tilefoundry {

CodegenVisitor::CodegenVisitor(CodegenContext& ctx, const CodegenTarget& target)
    : ctx_(ctx), target_(target), outer_(ctx.visitor_) {
  ctx_.visitor_ = this;
}

CodegenVisitor::~CodegenVisitor() { ctx_.visitor_ = outer_; }

void CodegenVisitor::no_handler(const OpClass& cls, const Span& span) const {
  throw CodegenError(Diagnostic{
      .code = "TF5101",
      .message = fmt::format("the op {} has no code generation for the target {}", cls.name(),
                             target_.name),
      .span = span,
      .hint = fmt::format("register an emission handler for it with register_codegen_{}, or run "
                          "a pass that expands it first",
                          target_.name)});
}

void CodegenVisitor::emit_stmt(const StmtRef& root) {
  const std::size_t base = queue_.size();
  struct Restore {
    std::vector<StmtRef>& queue;
    std::size_t size;
    ~Restore() { queue.resize(size); }
  } restore{queue_, base};
  queue_.push_back(root);
  while (queue_.size() > base) {
    const StmtRef next = std::move(queue_.back());
    queue_.pop_back();
    if (!next) continue;
    const auto first = static_cast<std::ptrdiff_t>(queue_.size());
    dispatch(*next);
    std::reverse(queue_.begin() + first, queue_.end());
  }
}

void CodegenVisitor::dispatch(const Stmt& stmt) {
  ctx_.begin_stmt(stmt);
  const AnalysisRegistry& registry = *target_.registry;
  const auto* evaluate = stmt_cast<Evaluate>(stmt);
  const OpClass* op =
      evaluate && evaluate->callable() ? &evaluate->callable()->op_class() : nullptr;
  if (op != nullptr) {
    if (const auto* handler = registry.find<StmtEmissionFn>(*op)) return (*handler)(stmt, ctx_);
  }
  if (const auto* handler = registry.find<StmtEmissionFn>(stmt.stmt_class())) {
    return (*handler)(stmt, ctx_);
  }
  if (op != nullptr) no_handler(*op, stmt.span());
  target_.default_emission(stmt, ctx_);
}

std::string CodegenVisitor::emit_expr(const ExprRef& root) {
  if (fragments_ != nullptr) {
    const auto it = fragments_->find(root.get());
    if (it != fragments_->end()) return it->second;
  }
  // A query of a handler for something that is not an operand starts a walk of its own.
  std::unordered_map<const Expr*, std::string> fragments;
  struct Restore {
    std::unordered_map<const Expr*, std::string>*& slot;
    std::unordered_map<const Expr*, std::string>* outer;
    ~Restore() { slot = outer; }
  } restore{fragments_, fragments_};
  fragments_ = &fragments;
  std::vector<std::pair<const Expr*, bool>> stack{{root.get(), false}};
  while (!stack.empty()) {
    const auto [expr, expanded] = stack.back();
    if (fragments.count(expr) != 0) {
      stack.pop_back();
    } else if (expanded) {
      stack.pop_back();
      fragments.emplace(expr, emit_node(*expr));
    } else {
      stack.back().second = true;
      const std::size_t first = stack.size();
      for_each_operand(*expr, [&](const ExprRef& operand) {
        const bool nested = operand->kind() == ExprKind::call;
        if (nested && fragments.count(operand.get()) == 0) stack.emplace_back(operand.get(), false);
      });
      std::reverse(stack.begin() + static_cast<std::ptrdiff_t>(first), stack.end());
    }
  }
  return fragments.at(root.get());
}

std::string CodegenVisitor::emit_node(const Expr& expr) {
  switch (expr.kind()) {
    case ExprKind::var: return ctx_.var_text(static_cast<const Var&>(expr));
    case ExprKind::constant: return ctx_.constant_text(static_cast<const Constant&>(expr));
    case ExprKind::dim_value: {
      const std::string text = ctx_.dim_text(static_cast<const DimValue&>(expr).dim());
      return text.find(' ') == std::string::npos ? text : "(" + text + ")";
    }
    case ExprKind::shape_of: return ctx_.shape_of_text(static_cast<const ShapeOfExpr&>(expr));
    case ExprKind::call: break;
    default: ctx_.error(expr, "cannot stand in generated code");
  }
  const auto& call = static_cast<const Call&>(expr);
  if (call.target()->node_class().node_kind() != NodeClassKind::op) {
    ctx_.error(expr, "a call of a function cannot stand in generated code",
               "lower the module first");
  }
  const auto& cls = static_cast<const OpClass&>(call.target()->node_class());
  const auto* handler = target_.registry->find<ExprEmissionFn>(cls);
  if (handler == nullptr) no_handler(cls, expr.span());
  return (*handler)(call, ctx_);
}

}  // namespace tilefoundry
