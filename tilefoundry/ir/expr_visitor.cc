#include "tilefoundry/ir/expr_visitor.h"

namespace tilefoundry {

std::vector<ExprRef> ExprMutator::rewrite_all(const std::vector<ExprRef>& exprs, bool& changed) {
  std::vector<ExprRef> out;
  out.reserve(exprs.size());
  for (const ExprRef& expr : exprs) {
    out.push_back(visit(expr));
    changed = changed || out.back() != expr;
  }
  return out;
}

ExprRef ExprMutator::visit_Call(const Call& call) {
  bool changed = false;
  std::vector<ExprRef> args = rewrite_all(call.args(), changed);
  if (!changed) return ExprRef(&call);
  return Call::make(call.target(), std::move(args), call.type(), call.meta(), call.scope());
}

ExprRef ExprMutator::visit_Tuple(const Tuple& tuple) {
  bool changed = false;
  std::vector<ExprRef> elements = rewrite_all(tuple.elements(), changed);
  if (!changed) return ExprRef(&tuple);
  return Tuple::make(std::move(elements), nullptr, tuple.meta());
}

ExprRef ExprMutator::visit_GridRegionExpr(const GridRegionExpr& loop) {
  bool changed = false;
  GridRegionParts parts = loop.parts();
  parts.init_args = rewrite_all(parts.init_args, changed);
  parts.yield_values = rewrite_all(parts.yield_values, changed);
  if (!changed) return ExprRef(&loop);
  return GridRegionExpr::make(std::move(parts), loop.meta());
}

ExprRef ExprMutator::visit_ShapeOf(const ShapeOfExpr& expr) {
  const ExprRef param = visit(expr.param());
  const auto* var = expr_cast<Var>(param);
  if (param == expr.param() || var == nullptr) return ExprRef(&expr);
  return ShapeOfExpr::make(VarRef(var), expr.axis(), expr.meta());
}

}  // namespace tilefoundry
