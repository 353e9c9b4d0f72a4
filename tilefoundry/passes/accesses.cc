#include "tilefoundry/passes/accesses.h"

#include "tilefoundry/ir/tir/block.h"
#include "tilefoundry/ir/tir/ops.h"
#include "tilefoundry/ir/tir/stmt_visitor.h"

namespace tilefoundry {
namespace {

bool is_scalar_op(const Call& call) {
  const NodeClass& cls = call.target()->node_class();
  return cls.node_kind() == NodeClassKind::op &&
         static_cast<const OpClass&>(cls).category() == "scalar";
}

class AccessCollector {
 public:
  std::vector<BufferAccess> take(const StmtRef& stmt) {
    walk(stmt);
    return std::move(out_);
  }

 private:
  // Recurses on the nesting of loops and branches only.
  void walk(const StmtRef& stmt) {
    for (const BlockItem& item : block_items(stmt)) {
      if (item.is_let()) {
        collect_expr_accesses(item.value, loops_, out_);
      } else {
        walk_stmt(*item.stmt);
      }
    }
  }

  void walk_stmt(const Stmt& stmt) {
    if (const auto* evaluate = stmt_cast<Evaluate>(stmt)) {
      walk_evaluate(*evaluate);
      return;
    }
    for_each_stmt_expr(stmt,
                       [&](const ExprRef& expr) { collect_expr_accesses(expr, loops_, out_); });
    const auto* loop = stmt_cast<For>(stmt);
    if (loop != nullptr) loops_.push_back(loop);
    for_each_child_stmt(stmt, [&](const StmtRef& child) { walk(child); });
    if (loop != nullptr) loops_.pop_back();
  }

  void walk_evaluate(const Evaluate& evaluate) {
    if (evaluate.op<Store>() == nullptr) {
      for (const ExprRef& arg : evaluate.args()) collect_expr_accesses(arg, loops_, out_);
      return;
    }
    collect_expr_accesses(evaluate.args()[1], loops_, out_);
    out_.push_back(
        {expr_cast<Var>(evaluate.args()[0]), index_dims(evaluate.args(), 2), true, false, loops_});
  }

  std::vector<BufferAccess> out_;
  std::vector<const For*> loops_;
};

}  // namespace

void collect_expr_accesses(const ExprRef& root, const std::vector<const For*>& loops,
                           std::vector<BufferAccess>& out) {
  if (const auto* var = expr_cast<Var>(root)) {
    out.push_back({var, {}, true, true, loops});
    return;
  }
  for (const ExprRef& expr : post_order({root})) {
    const auto* call = expr_cast<Call>(expr);
    if (call == nullptr) continue;
    if (call->op<Load>() != nullptr) {
      out.push_back(
          {expr_cast<Var>(call->args()[0]), index_dims(call->args(), 1), false, false, loops});
    } else if (!is_scalar_op(*call)) {
      for (const ExprRef& arg : call->args()) {
        if (const auto* var = expr_cast<Var>(arg)) out.push_back({var, {}, true, true, loops});
      }
    }
  }
}

std::vector<BufferAccess> collect_accesses(const StmtRef& stmt) {
  return AccessCollector().take(stmt);
}

namespace {

class ViewCollector final : public StmtVisitor {
 public:
  explicit ViewCollector(std::unordered_map<const Var*, const Var*>& memory) : memory_(memory) {}

 protected:
  void visit_LetStmt(const LetStmt& stmt) override {
    const auto* call = expr_cast<Call>(stmt.value());
    const bool view = call != nullptr && !call->args().empty() &&
                      (call->op<TensorView>() != nullptr || call->op<PtrOf>() != nullptr ||
                       call->op<MemorySpan>() != nullptr);
    if (view) memory_.emplace(stmt.var().get(), expr_cast<Var>(call->args()[0]));
    generic_visit(stmt);
  }

 private:
  std::unordered_map<const Var*, const Var*>& memory_;
};

}  // namespace

BufferAliases::BufferAliases(const StmtRef& body) { ViewCollector(memory_).visit(body); }

const Var* BufferAliases::root(const Var* buffer) const {
  for (auto it = memory_.find(buffer); it != memory_.end(); it = memory_.find(buffer)) {
    buffer = it->second;
  }
  return buffer;
}

int axis_of(const Shape& index, const Var& var) {
  const Dim wanted = var.dim();
  for (std::size_t axis = 0; axis < index.size(); ++axis) {
    if (index[axis] == wanted) return static_cast<int>(axis);
  }
  return -1;
}

}  // namespace tilefoundry
