#include "tilefoundry/passes/checks.h"

#include <unordered_set>

#include "tilefoundry/ir/expr_visitor.h"
#include "tilefoundry/ir/tir/ops.h"

namespace tilefoundry {
namespace {

bool is_check(const Evaluate& evaluate) {
  return evaluate.callable() && evaluate.callable()->op_class().category() == "control";
}

// T.require, or `if condition: T.abort(...)`.
bool is_check(const StmtRef& stmt) {
  if (const auto* evaluate = stmt_cast<Evaluate>(stmt)) return is_check(*evaluate);
  const auto* branch = stmt_cast<If>(stmt);
  return branch != nullptr && !branch->else_body() &&
         branch->then_body()->kind() == StmtKind::abort;
}

class CheckHoister {
 public:
  explicit CheckHoister(const std::vector<VarRef>& params) {
    for (const VarRef& param : params) {
      const TensorType* type = as_tensor(param->type());
      if (type != nullptr && type->rank() == 0) known_.insert(param.get());
    }
  }

  Block run(const Block& items) {
    Block moved;
    Block rest;
    for (const BlockItem& item : items) (is_movable(item) ? moved : rest).push_back(item);
    moved.insert(moved.end(), rest.begin(), rest.end());
    return moved;
  }

 private:
  bool is_movable(const BlockItem& item) {
    if (item.is_let()) {
      const auto* call = expr_cast<Call>(item.value);
      if (call == nullptr || call->op<Load>() == nullptr || !is_known(item.value)) return false;
      known_.insert(item.var.get());
      return true;
    }
    if (!is_check(item.stmt)) return false;
    bool known = true;
    for_each_stmt_expr(*item.stmt, [&](const ExprRef& expr) { known = known && is_known(expr); });
    return known;
  }

  bool is_known(const ExprRef& root) const {
    for (const ExprRef& expr : post_order({root})) {
      if (const auto* var = expr_cast<Var>(expr)) {
        if (!known_.contains(var)) return false;
      }
      const auto* value = expr_cast<DimValue>(expr);
      bool known = true;
      if (value != nullptr) {
        for_each_dim_atom(value->dim(), [&](const DimNode& node) {
          const auto* atom = dynamic_cast<const Var*>(node.as_atom());
          known = known && (node.as_atom() == nullptr || (atom && known_.contains(atom)));
        });
      }
      if (!known) return false;
    }
    return true;
  }

  std::unordered_set<const Var*> known_;
};

}  // namespace

bool may_end_call(const Evaluate& evaluate) { return evaluate.callee() || is_check(evaluate); }

Block hoist_checks(const Block& items, const std::vector<VarRef>& params) {
  return CheckHoister(params).run(items);
}

}  // namespace tilefoundry
