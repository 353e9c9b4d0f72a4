// Lowers one HIR function; the context behind the lowering ABI.
#pragma once

#include <optional>
#include <set>
#include <string>
#include <unordered_map>
#include <unordered_set>
#include <vector>

#include "tilefoundry/ir/module.h"
#include "tilefoundry/ir/tir/block.h"
#include "tilefoundry/passes/core_lowering.h"
#include "tilefoundry/passes/loop_bounds.h"

namespace tilefoundry {

// Names that are taken, and new ones.
class NamePool {
 public:
  void take(const std::string& name) { names_.emplace(name, 1); }
  // "t" for an empty hint; "x", "x_1", "x_2", ...
  std::string unique(const std::string& hint);

 private:
  std::unordered_map<std::string, int> names_;
};

class Lowerer final : public CoreLoweringContext {
 public:
  // `prototype`: the one that `function` is a variant of; it decides the weights of the tree.
  Lowerer(const Module& owner, const Function& function, const Function* prototype = nullptr);

  PrimFunctionRef run();

  VarRef lower(const ExprRef& expr) override;
  VarRef fresh(const TypeRef& type, const std::string& hint) override;
  VarRef alloc(const TypeRef& type, const std::string& hint) override;
  void emit(StmtRef stmt) override;
  void emit_bind(VarRef var, ExprRef value) override;
  VarRef bind_tuple(const TypeRef& type, std::vector<VarRef> fields) override;
  VarRef tuple_field(const VarRef& tuple, std::size_t index) override;
  VarRef call_function(const Call& call) override;
  bool read_strided(const Expr& value) override;
  bool surely_nonnegative(const Dim& dim) const override;

 private:
  std::vector<VarRef> lower_results();
  VarRef lower_node(const ExprRef& expr);
  VarRef lower_call(const Call& call);
  VarRef lower_constant(const Constant& constant);
  VarRef lower_var(const Var& var);
  void remember(const Expr& expr, VarRef value);
  VarRef alloc_in_loop(const TensorType& type, const std::string& hint);

  // Loops (lower_loop.cc).
  struct CarryCopy {
    VarRef from;
    VarRef to;
  };
  VarRef lower_loop(const GridRegionExpr& loop);
  std::vector<VarRef> carry_buffers(const ExprRef& init, const Var& carried);
  void bind_carried(const Var& carried, const std::vector<VarRef>& buffers);
  // Numbers that a trip reads out of carried buffers before it starts.
  using CarriedNumbers = std::unordered_map<const Var*, VarRef>;
  void lower_loop_body(const GridRegionExpr& loop, const std::vector<VarRef>& buffers,
                       const CarriedNumbers& numbers);
  void emit_loop(const GridRegionExpr& loop, Block body);
  void copy_carried(std::vector<CarryCopy> copies);
  const Var* memory_of(const VarRef& value) const;
  void bind_parameters();
  VarRef plain_argument(VarRef value, const Var& param);
  std::vector<VarRef> flatten(const VarRef& value) const;
  std::string unique(const std::string& hint) { return names_.unique(hint); }
  void emit_dispatch(const Call& call, const std::string& prefix, const Module& callee_owner,
                     const std::vector<ExprRef>& args);

  const Module& owner_;
  const Function& function_;
  const Function* prototype_;
  std::vector<VarRef> params_;
  std::unordered_map<std::string, VarRef> weights_;  // by tree path
  std::unordered_map<const Expr*, VarRef> lowered_;
  std::unordered_map<const Var*, std::vector<VarRef>> tuples_;
  std::optional<std::unordered_set<const Expr*>> read_contiguous_;  // by some op
  std::vector<const Expr*> lowered_order_;
  std::unordered_map<const Var*, const Var*> views_;  // to the memory they look into
  std::vector<ExprRef> kept_;                         // made here, and keys of the maps
  LoopBounds loops_;                                  // around the place
  NamePool names_;
  Block block_;
  Span place_;  // of the expression being lowered
};

// The type of a buffer that holds a value of `type`: storage that nobody decided becomes gmem.
TypeRef buffer_type(const TypeRef& type);

}  // namespace tilefoundry
