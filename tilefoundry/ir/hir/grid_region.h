// Loops of HIR: a value that carries other values from trip to trip.
//
// A loop binds its induction variable and its carried arguments in its body. There are no binding
// nodes: the body is the part of the graph below the yields that depends on a bound variable,
// through operands or through a dimension (`DimValue`, an attribute, the bounds of an inner loop).
// Everything else that the yields reach is invariant: it is computed once, outside.
//
// How walks treat loops:
// - `for_each_operand`, `post_order` and the visitors see the initial values, then the yields, so
//   they reach every node of every body once; bound variables are leaves. What collects or rewrites
//   nodes needs no more.
// - What runs, writes or lowers a program takes one region at a time: `region_order` stops at
// loops,
//   and `body()` is the loop's own region. An inner loop is one node of the region around it.
// - Mutators keep the variables and rebuild a loop when an operand changes.
// - Structural equality and hashes pair bound variables by position, so their names take no part.
// - `serial()` prunes: nothing older than the bound variables can depend on them.
#pragma once

#include <vector>

#include "tilefoundry/ir/expr.h"

namespace tilefoundry {

// How the loop was written: `range` binds a number, `tile` a window of `step` elements.
enum class LoopForm { range, tile };

struct GridRegionParts {
  VarRef induction_var;              // a rank-0 i64
  std::vector<VarRef> carried_args;  // at least one; each stands for the value before a trip
  std::vector<ExprRef> init_args;    // one for each carried argument
  std::vector<ExprRef> yield_values;
  Dim extent;    // the end of the half-open range
  Dim step = 1;  // not certainly below 1
  Dim start = 0;
  LoopForm form = LoopForm::range;
};

class GridRegionExpr final : public Expr {
 public:
  // The type is the carried arguments' own: one, or a tuple of them. Throws ValueError (TF3400) for
  // parts that make no loop: numbers that differ, a step below 1, a bound that reads the loop's own
  // variables, a `tile` that does not start at 0.
  static Ref<const GridRegionExpr> make(GridRegionParts parts, Metadata meta = {});

  const GridRegionParts& parts() const noexcept { return parts_; }
  const VarRef& induction_var() const noexcept { return parts_.induction_var; }
  const std::vector<VarRef>& carried_args() const noexcept { return parts_.carried_args; }
  const std::vector<ExprRef>& init_args() const noexcept { return parts_.init_args; }
  const std::vector<ExprRef>& yield_values() const noexcept { return parts_.yield_values; }
  const Dim& extent() const noexcept { return parts_.extent; }
  const Dim& step() const noexcept { return parts_.step; }
  const Dim& start() const noexcept { return parts_.start; }
  LoopForm form() const noexcept { return parts_.form; }

  // The nodes that depend on the loop's variables, operands before users; inner loops are one node.
  const std::vector<ExprRef>& body() const noexcept { return body_; }
  // Values from outside that the body or a yield uses, each once.
  const std::vector<ExprRef>& captures() const noexcept { return captures_; }
  // Scalar variables from outside that dimensions of the body or the bounds read.
  const std::vector<VarRef>& outer_scalars() const noexcept { return outer_scalars_; }
  // The induction variable or a carried argument.
  bool binds(const Expr& var) const noexcept;
  // Trips at static bounds.
  Dim trips() const;

  std::string_view class_name() const noexcept override { return "GridRegionExpr"; }

 private:
  GridRegionExpr(GridRegionParts parts, TypeRef type, Metadata meta);
  void find_body();
  bool reads_bound(const Expr& expr) const;
  void add_scalars(const Expr& expr);

  GridRegionParts parts_;
  std::vector<ExprRef> body_;
  std::vector<ExprRef> captures_;
  std::vector<VarRef> outer_scalars_;
};
using GridRegionRef = Ref<const GridRegionExpr>;

template <>
const GridRegionExpr* expr_cast<GridRegionExpr>(const Expr& expr) noexcept;

// What must be computed before `expr` in its own region: its operands, but of a loop the initial
// values and what its body takes from outside.
void for_each_region_operand(const Expr& expr, const std::function<void(const ExprRef&)>& visit);
// The nodes of one region, operands before users, each once: loops are not entered.
std::vector<ExprRef> region_order(const std::vector<ExprRef>& roots);

// Every dimension that a node itself holds: a DimValue's, those of an op's attributes, bounds.
void for_each_dim_of(const Expr& expr, const std::function<void(const Dim&)>& visit);
// The scalar variables in it.
void for_each_scalar_of(const Dim& dim, const std::function<void(const Var&)>& visit);
// The op with dimensions of its attributes replaced; the same object when none changes.
CallableRef substitute_attributes(const CallableRef& target, const DimSubstitution& replace);

}  // namespace tilefoundry
