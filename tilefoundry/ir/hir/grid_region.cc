#include "tilefoundry/ir/hir/grid_region.h"

#include <algorithm>
#include <unordered_map>
#include <unordered_set>

#include <fmt/format.h>

#include "tilefoundry/support/diagnostic.h"

namespace tilefoundry {
namespace {

[[noreturn]] void refuse(const Metadata& meta, std::string message) {
  throw ValueError(Diagnostic{.code = "TF3400", .message = std::move(message), .span = meta.span});
}

TypeRef loop_type(const std::vector<VarRef>& carried) {
  if (carried.size() == 1) return carried.front()->type();
  std::vector<TypeRef> fields;
  for (const VarRef& var : carried) fields.push_back(var->type());
  return TupleType::make(std::move(fields));
}

void check(const GridRegionParts& parts, const Metadata& meta) {
  const TensorType* type = parts.induction_var ? as_tensor(parts.induction_var->type()) : nullptr;
  if (type == nullptr || type->rank() != 0 || type->dtype() != DType::i64) {
    refuse(meta, "the induction variable of a loop is a rank-0 i64");
  }
  const std::size_t count = parts.carried_args.size();
  if (count == 0) refuse(meta, "a loop carries at least one value");
  if (parts.init_args.size() != count || parts.yield_values.size() != count) {
    refuse(meta, fmt::format("a loop carries {} values, but has {} initial values and {} yields",
                             count, parts.init_args.size(), parts.yield_values.size()));
  }
  const DimBounds step = dim_bounds(parts.step);
  if (step.hi && *step.hi < 1) {
    refuse(meta, fmt::format("the step of a loop is at least 1, not {}", parts.step.text()));
  }
  if (parts.form == LoopForm::tile && !parts.start.is(0)) {
    refuse(meta, "a loop over tiles starts at 0");
  }
}

}  // namespace

GridRegionExpr::GridRegionExpr(GridRegionParts parts, TypeRef type, Metadata meta)
    : Expr(ExprKind::grid_region, std::move(type), std::move(meta)), parts_(std::move(parts)) {
  find_body();
}

GridRegionRef GridRegionExpr::make(GridRegionParts parts, Metadata meta) {
  check(parts, meta);
  TypeRef type = loop_type(parts.carried_args);
  GridRegionRef loop(new GridRegionExpr(std::move(parts), std::move(type), std::move(meta)));
  for (const Dim* bound : {&loop->start(), &loop->extent(), &loop->step()}) {
    for_each_scalar_of(*bound, [&](const Var& var) {
      if (!loop->binds(var)) return;
      refuse(loop->meta(), fmt::format("the bound {} of a loop reads the loop's own variable {}",
                                       bound->text(), var.name()));
    });
  }
  return loop;
}

bool GridRegionExpr::binds(const Expr& var) const noexcept {
  if (&var == parts_.induction_var.get()) return true;
  return std::any_of(parts_.carried_args.begin(), parts_.carried_args.end(),
                     [&](const VarRef& carried) { return carried.get() == &var; });
}

Dim GridRegionExpr::trips() const {
  return dim_max(0, ceildiv(parts_.extent - parts_.start, parts_.step));
}

bool GridRegionExpr::reads_bound(const Expr& expr) const {
  bool found = false;
  if (const auto* loop = expr_cast<GridRegionExpr>(expr)) {
    for (const VarRef& var : loop->outer_scalars()) found = found || binds(*var);
    return found;
  }
  for_each_dim_of(expr, [&](const Dim& dim) {
    for_each_scalar_of(dim, [&](const Var& var) { found = found || binds(var); });
  });
  return found;
}

void GridRegionExpr::add_scalars(const Expr& expr) {
  const auto add = [&](const Var& var) {
    const bool known =
        binds(var) || std::any_of(outer_scalars_.begin(), outer_scalars_.end(),
                                  [&](const VarRef& other) { return other.get() == &var; });
    if (!known) outer_scalars_.emplace_back(&var);
  };
  if (const auto* loop = expr_cast<GridRegionExpr>(expr)) {
    for (const VarRef& var : loop->outer_scalars()) add(*var);
  }
  for_each_dim_of(expr, [&](const Dim& dim) { for_each_scalar_of(dim, add); });
}

void GridRegionExpr::find_body() {
  std::uint64_t first = parts_.induction_var->serial();
  for (const VarRef& var : parts_.carried_args) first = std::min(first, var->serial());
  std::unordered_map<const Expr*, bool> inside;  // reached nodes: whether they depend on the loop
  std::vector<std::pair<const Expr*, bool>> stack;
  for (auto it = parts_.yield_values.rbegin(); it != parts_.yield_values.rend(); ++it) {
    stack.emplace_back(it->get(), false);
  }
  while (!stack.empty()) {
    const auto [expr, expanded] = stack.back();
    if (inside.contains(expr)) {
      stack.pop_back();
      continue;
    }
    if (expr->serial() < first || binds(*expr)) {
      inside.emplace(expr, binds(*expr));
      stack.pop_back();
      continue;
    }
    if (!expanded) {
      stack.back().second = true;
      const auto top = static_cast<std::ptrdiff_t>(stack.size());
      for_each_region_operand(*expr, [&](const ExprRef& operand) {
        if (!inside.contains(operand.get())) stack.emplace_back(operand.get(), false);
      });
      std::reverse(stack.begin() + top, stack.end());
      continue;
    }
    stack.pop_back();
    bool found = reads_bound(*expr);
    for_each_region_operand(
        *expr, [&](const ExprRef& operand) { found = found || inside.at(operand.get()); });
    inside.emplace(expr, found);
    if (found) body_.emplace_back(expr);
  }
  std::unordered_set<const Expr*> seen;
  const auto capture = [&](const ExprRef& expr) {
    if (!inside.at(expr.get()) && seen.insert(expr.get()).second) captures_.push_back(expr);
  };
  for (const ExprRef& node : body_) {
    for_each_region_operand(*node, capture);
    add_scalars(*node);
  }
  for (const ExprRef& value : parts_.yield_values) capture(value);
  add_scalars(*this);
}

template <>
const GridRegionExpr* expr_cast<GridRegionExpr>(const Expr& expr) noexcept {
  return expr.kind() == ExprKind::grid_region ? static_cast<const GridRegionExpr*>(&expr) : nullptr;
}

void for_each_region_operand(const Expr& expr, const std::function<void(const ExprRef&)>& visit) {
  const auto* loop = expr_cast<GridRegionExpr>(expr);
  if (loop == nullptr) return for_each_operand(expr, visit);
  for (const ExprRef& init : loop->init_args()) visit(init);
  for (const ExprRef& value : loop->captures()) visit(value);
}

std::vector<ExprRef> region_order(const std::vector<ExprRef>& roots) {
  std::vector<ExprRef> order;
  std::unordered_set<const Expr*> seen;
  std::vector<std::pair<const Expr*, bool>> stack;
  for (auto it = roots.rbegin(); it != roots.rend(); ++it) stack.emplace_back(it->get(), false);
  while (!stack.empty()) {
    const auto [expr, expanded] = stack.back();
    if (expanded) {
      stack.pop_back();
      order.emplace_back(expr);
      continue;
    }
    if (!seen.insert(expr).second) {
      stack.pop_back();
      continue;
    }
    stack.back().second = true;
    const auto top = static_cast<std::ptrdiff_t>(stack.size());
    for_each_region_operand(*expr, [&](const ExprRef& operand) {
      if (!seen.contains(operand.get())) stack.emplace_back(operand.get(), false);
    });
    std::reverse(stack.begin() + top, stack.end());
  }
  return order;
}

namespace {

void for_each_dim_of_layout(const LayoutRef& layout, const std::function<void(const Dim&)>& visit) {
  if (!layout) return;
  layout->with_dims([&](const Dim& dim) {
    visit(dim);
    return dim;
  });
}

void for_each_dim_of_attr(const AttrValue& value, const std::function<void(const Dim&)>& visit) {
  if (const auto* dim = std::get_if<Dim>(&value)) visit(*dim);
  if (const auto* shape = std::get_if<Shape>(&value)) {
    for (const Dim& dim : *shape) visit(dim);
  }
  if (const auto* layout = std::get_if<LayoutRef>(&value)) for_each_dim_of_layout(*layout, visit);
  const auto* type = std::get_if<TypeRef>(&value);
  if (type == nullptr || !*type) return;
  for_each_leaf(*type, [&](const TensorType& leaf) {
    for (const Dim& dim : leaf.shape()) visit(dim);
    for_each_dim_of_layout(leaf.layout(), visit);
  });
}

AttrValue substitute_attr(const AttrValue& value, const DimSubstitution& replace) {
  const auto replaced = [&](const Dim& dim) { return substitute(dim, replace); };
  if (const auto* dim = std::get_if<Dim>(&value)) return replaced(*dim);
  if (const auto* shape = std::get_if<Shape>(&value)) {
    Shape out;
    for (const Dim& dim : *shape) out.push_back(replaced(dim));
    return out;
  }
  if (const auto* layout = std::get_if<LayoutRef>(&value)) {
    return *layout ? AttrValue((*layout)->with_dims(replaced)) : value;
  }
  if (const auto* type = std::get_if<TypeRef>(&value)) {
    return *type ? AttrValue(substitute_dims(*type, replace)) : value;
  }
  return value;
}

}  // namespace

void for_each_dim_of(const Expr& expr, const std::function<void(const Dim&)>& visit) {
  if (const auto* value = expr_cast<DimValue>(expr)) return visit(value->dim());
  if (const auto* loop = expr_cast<GridRegionExpr>(expr)) {
    for (const Dim* bound : {&loop->start(), &loop->extent(), &loop->step()}) visit(*bound);
    return;
  }
  const auto* call = expr_cast<Call>(expr);
  if (call == nullptr || call->target()->node_class().node_kind() != NodeClassKind::op) return;
  const Op& op = static_cast<const Op&>(*call->target());
  for (std::size_t i = 0; i < op.op_class().attrs().size(); ++i) {
    for_each_dim_of_attr(op.attr(i), visit);
  }
}

void for_each_scalar_of(const Dim& dim, const std::function<void(const Var&)>& visit) {
  if (dim.is_static()) return;
  for_each_dim_atom(dim, [&](const DimNode& node) {
    if (node.as_var() != nullptr) return;
    if (const auto* var = dynamic_cast<const Var*>(node.as_atom())) visit(*var);
  });
}

CallableRef substitute_attributes(const CallableRef& target, const DimSubstitution& replace) {
  if (target->node_class().node_kind() != NodeClassKind::op) return target;
  const Op& op = static_cast<const Op&>(*target);
  bool changed = false;
  std::vector<AttrValue> values;
  for (std::size_t i = 0; i < op.op_class().attrs().size(); ++i) {
    const AttrValue before = op.attr(i);
    values.push_back(substitute_attr(before, replace));
    changed = changed || !attr_equal(before, values.back());
  }
  return changed ? CallableRef(op.op_class().make(std::move(values))) : target;
}

}  // namespace tilefoundry
