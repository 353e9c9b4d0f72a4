// Traversal of expressions. Knows no registry.
//
// `visit(root)` visits every node reachable from the root once, operands before users, without
// recursion; a handler's own `visit(operand)` is always answered from the results so far.
#pragma once

#include <algorithm>
#include <optional>
#include <string>
#include <type_traits>
#include <unordered_map>
#include <vector>

#include "tilefoundry/ir/hir/grid_region.h"

namespace tilefoundry {

template <class T>
class ExprVisitor {
 public:
  static constexpr bool kVoid = std::is_void_v<T>;
  using Result = std::conditional_t<kVoid, std::monostate, T>;

  virtual ~ExprVisitor() = default;

  T visit(const ExprRef& root) {
    if (const Result* known = find_result(*root)) return give(*known);
    roots_.push_back(root);
    std::vector<std::pair<const Expr*, bool>> stack{{root.get(), false}};
    while (!stack.empty()) {
      const auto [expr, expanded] = stack.back();
      if (find_result(*expr) != nullptr) {
        stack.pop_back();
        continue;
      }
      if (expanded) {
        stack.pop_back();
        if constexpr (kVoid) {
          dispatch(*expr);
          store_result(*expr, {});
        } else {
          store_result(*expr, dispatch(*expr));
        }
        continue;
      }
      stack.back().second = true;
      const std::size_t first = stack.size();
      for_each_operand(*expr, [&](const ExprRef& operand) {
        if (find_result(*operand) == nullptr) stack.emplace_back(operand.get(), false);
      });
      std::reverse(stack.begin() + static_cast<std::ptrdiff_t>(first), stack.end());
    }
    return give(*find_result(*root));
  }

 protected:
  // What handles a kind without an override of its own.
  virtual T generic_visit(const Expr& expr) {
    (void)expr;
    if constexpr (!kVoid) return T();
  }
  virtual T visit_Var(const Var& var) { return generic_visit(var); }
  virtual T visit_Constant(const Constant& constant) { return generic_visit(constant); }
  virtual T visit_Call(const Call& call) { return generic_visit(call); }
  virtual T visit_Tuple(const Tuple& tuple) { return generic_visit(tuple); }
  virtual T visit_DimValue(const DimValue& value) { return generic_visit(value); }
  virtual T visit_SymbolRef(const SymbolRef& ref) { return generic_visit(ref); }
  // After its initial values and its whole body, which are its operands.
  virtual T visit_GridRegionExpr(const GridRegionExpr& loop) { return generic_visit(loop); }
  virtual T visit_ShapeOf(const ShapeOfExpr& expr) { return generic_visit(expr); }
  virtual T visit_UserExpr(const UserExpr& expr) { return generic_visit(expr); }

  // Where results are kept; a context's cache can stand in.
  virtual const Result* find_result(const Expr& expr) const {
    const auto it = results_.find(&expr);
    return it == results_.end() ? nullptr : &it->second;
  }
  virtual void store_result(const Expr& expr, Result result) {
    results_.insert_or_assign(&expr, std::move(result));
  }

 private:
  static T give(const Result& result) {
    if constexpr (!kVoid) return result;
  }

  T dispatch(const Expr& expr) {
    switch (expr.kind()) {
      case ExprKind::var: return visit_Var(static_cast<const Var&>(expr));
      case ExprKind::constant: return visit_Constant(static_cast<const Constant&>(expr));
      case ExprKind::call: return visit_Call(static_cast<const Call&>(expr));
      case ExprKind::tuple: return visit_Tuple(static_cast<const Tuple&>(expr));
      case ExprKind::dim_value: return visit_DimValue(static_cast<const DimValue&>(expr));
      case ExprKind::symbol_ref: return visit_SymbolRef(static_cast<const SymbolRef&>(expr));
      case ExprKind::grid_region:
        return visit_GridRegionExpr(static_cast<const GridRegionExpr&>(expr));
      case ExprKind::shape_of: return visit_ShapeOf(static_cast<const ShapeOfExpr&>(expr));
      case ExprKind::user: return visit_UserExpr(static_cast<const UserExpr&>(expr));
    }
    return generic_visit(expr);
  }

  std::vector<ExprRef> roots_;  // keeps the visited nodes alive
  std::unordered_map<const Expr*, Result> results_;
};

// Rewrites expressions bottom-up; nodes whose operands do not change come back as the same objects.
// A rebuilt call keeps its type until it is inferred again.
class ExprMutator : public ExprVisitor<ExprRef> {
 protected:
  ExprRef generic_visit(const Expr& expr) override { return ExprRef(&expr); }
  ExprRef visit_Call(const Call& call) override;
  ExprRef visit_Tuple(const Tuple& tuple) override;
  // Keeps the loop's variables.
  ExprRef visit_GridRegionExpr(const GridRegionExpr& loop) override;
  ExprRef visit_ShapeOf(const ShapeOfExpr& expr) override;
  // The operands rewritten; `changed` tells whether any differs.
  std::vector<ExprRef> rewrite_all(const std::vector<ExprRef>& exprs, bool& changed);
};

}  // namespace tilefoundry
