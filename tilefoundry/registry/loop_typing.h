// Typing of loops: what a carried value's type is, and loops made with inferred types.
#pragma once

#include <unordered_map>

#include "tilefoundry/ir/hir/grid_region.h"
#include "tilefoundry/registry/typeinfer.h"

namespace tilefoundry {

// The type in which a value is carried: a buffer of its own in C order, so that layouts other than
// shardings are left out.
TypeRef carried_type(const TypeRef& value);
// Whether a value of `type` can be carried as `carried`: equal, but a storage that nobody decided
// (umat) fits any, and layouts that `carried_type` leaves out take no part.
bool fits_carry(const TypeRef& type, const TypeRef& carried);

// The rule of loops (V27): initial values and yields fit the carried arguments. The error names the
// value that does not, with both types. Returns the loop's type.
TypeRef infer_loop(const GridRegionExpr& loop, TypeInferContext& ctx);

// A loop that was checked by the rule. Where a carried argument's storage is undecided and a yield
// decides it, the body is rebuilt with arguments of the decided type.
GridRegionRef make_loop(TypeInferContext& ctx, GridRegionParts parts, Metadata meta = {});

// Copies of loop bodies under other variables, with types inferred again.
class LoopCloner {
 public:
  // `known`: what stands for nodes and variables. `scalars`: what stands for variables in
  // dimensions only.
  LoopCloner(TypeInferContext& ctx, std::unordered_map<const Expr*, ExprRef> known,
             std::unordered_map<const Var*, VarRef> scalars = {})
      : ctx_(ctx), known_(std::move(known)), scalars_(std::move(scalars)) {}
  // The copy of a node of a body; nodes outside of `nodes` and of `known` stay themselves.
  // `nodes` are in region order.
  void clone(const std::vector<ExprRef>& nodes);
  ExprRef at(const ExprRef& expr) const;

 private:
  ExprRef copy(const Expr& expr);
  ExprRef copy_loop(const GridRegionExpr& loop);
  Dim renamed(const Dim& dim) const;
  std::vector<ExprRef> all(const std::vector<ExprRef>& exprs) const;

  TypeInferContext& ctx_;
  std::unordered_map<const Expr*, ExprRef> known_;
  std::unordered_map<const Var*, VarRef> scalars_;
};

}  // namespace tilefoundry
