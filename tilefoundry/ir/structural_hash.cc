// Hashes that agree with structural equality.
#include <unordered_map>
#include <vector>

#include "tilefoundry/ir/hir/grid_region.h"
#include "tilefoundry/ir/structural.h"
#include "tilefoundry/ir/tir/block.h"
#include "tilefoundry/support/hash.h"

namespace tilefoundry {
namespace {

class Hasher {
 public:
  std::size_t expr(const ExprRef& root) {
    const std::vector<ExprRef> nodes = post_order({root});
    for (const ExprRef& node : nodes) {
      if (const auto* loop = expr_cast<GridRegionExpr>(node)) bind_loop(*loop);
    }
    for (const ExprRef& node : nodes) {
      if (!exprs_.contains(node.get())) exprs_.emplace(node.get(), node_hash(*node));
    }
    return exprs_.at(root.get());
  }

  std::size_t stmt(const StmtRef& root) {
    std::size_t seed = 17;
    std::vector<StmtRef> pending{root};
    while (!pending.empty()) {
      const StmtRef block = std::move(pending.back());
      pending.pop_back();
      const Block items = block_items(block);
      seed = hash_mix(seed, items.size());
      for (const BlockItem& item : items) {
        if (item.is_let()) {
          seed = hash_mix(seed, expr(item.value));
          bind(*item.var);
        } else {
          seed = hash_mix(seed, stmt_hash(*item.stmt));
          for_each_child_stmt(*item.stmt, [&](const StmtRef& child) { pending.push_back(child); });
        }
      }
    }
    return seed;
  }

  std::size_t function(const Function& function) {
    std::size_t seed = hash_mix(head(function), params(function.params()));
    for (const PatternRef& pattern : function.specializations()) {
      seed = hash_mix(seed, hash_values(pattern->repr()));
    }
    for (const FunctionRef& variant : function.variants()) {
      seed = hash_mix(seed, Hasher().function(*variant));
    }
    return function.body() ? hash_mix(seed, expr(function.body())) : seed;
  }

  std::size_t prim_function(const PrimFunction& function) {
    std::size_t seed = hash_values(function.name(), function.output_count());
    // Parameters are bound before the body is looked at.
    seed = hash_mix(seed, params(function.params()));
    return hash_mix(seed, stmt(function.body()));
  }

 private:
  void bind(const Var& var) { vars_.try_emplace(&var, vars_.size()); }

  // By place within the loop: equal loops agree, wherever they stand.
  void bind_loop(const GridRegionExpr& loop) {
    constexpr std::size_t kLoop = 1'000'000'007;
    vars_.try_emplace(loop.induction_var().get(), kLoop);
    for (std::size_t i = 0; i < loop.carried_args().size(); ++i) {
      vars_.try_emplace(loop.carried_args()[i].get(), kLoop + 1 + i);
    }
  }

  std::size_t params(const std::vector<VarRef>& params) {
    std::size_t seed = params.size();
    for (const VarRef& param : params) {
      seed = hash_mix(seed, hash_values(param->name(), param->is_const()));
      seed = hash_mix(seed, type(param->type()));
      bind(*param);
    }
    return seed;
  }

  // Of a callee: enough of it, without its body.
  std::size_t head(const Function& function) {
    return hash_mix(hash_values(function.name(), function.params().size()),
                    type(function.return_type()));
  }

  // Dimensions over variables count as one: variables have no identity here.
  static std::size_t dim(const Dim& dim) {
    bool scalars = false;
    for_each_dim_atom(dim, [&](const DimNode& node) { scalars = scalars || !node.as_var(); });
    return scalars ? 3 : dim.hash();
  }

  std::size_t type(const TypeRef& type) {
    if (!type) return 0;
    const auto it = types_.find(type.get());
    if (it != types_.end()) return it->second;
    std::size_t seed = static_cast<std::size_t>(type->kind());
    for_each_leaf(type, [&](const TensorType& leaf) {
      seed = hash_mix(seed, hash_values(leaf.dtype(), leaf.rank(), leaf.storage()));
      for (const Dim& extent : leaf.shape()) seed = hash_mix(seed, dim(extent));
    });
    types_.emplace(type.get(), seed);
    return seed;
  }

  std::size_t attr(const AttrValue& value) {
    if (const auto* extent = std::get_if<Dim>(&value)) return dim(*extent);
    if (const auto* shape = std::get_if<Shape>(&value)) {
      std::size_t seed = shape->size();
      for (const Dim& extent : *shape) seed = hash_mix(seed, dim(extent));
      return seed;
    }
    if (const auto* held = std::get_if<TypeRef>(&value)) return type(*held);
    if (std::holds_alternative<LayoutRef>(value)) return 5;
    return attr_hash(value);
  }

  std::size_t target(const Callable& callable) {
    std::size_t seed = hash_values(&callable.node_class());
    if (const Function* function = as_function(callable)) return hash_mix(seed, head(*function));
    if (callable.node_class().node_kind() != NodeClassKind::op) return seed;
    const Op& op = static_cast<const Op&>(callable);
    for (std::size_t i = 0; i < op.op_class().attrs().size(); ++i) {
      seed = hash_mix(seed, attr(op.attr(i)));
    }
    return seed;
  }

  std::size_t node_hash(const Expr& node) {
    std::size_t seed = hash_mix(static_cast<std::size_t>(node.kind()), type(node.type()));
    if (const auto* var = expr_cast<Var>(node)) {
      const auto it = vars_.find(var);
      return hash_mix(seed, it != vars_.end() ? it->second : hash_values(var));
    }
    if (const auto* constant = expr_cast<Constant>(node)) {
      for (const std::byte byte : constant->bytes()) {
        seed = hash_mix(seed, static_cast<std::size_t>(byte));
      }
    }
    if (const auto* value = expr_cast<DimValue>(node)) seed = hash_mix(seed, dim(value->dim()));
    if (const auto* extent = expr_cast<ShapeOfExpr>(node)) seed = hash_mix(seed, extent->axis());
    if (const auto* ref = expr_cast<SymbolRef>(node)) {
      seed = hash_mix(seed, hash_values(ref->symbol()));
    }
    if (const auto* call = expr_cast<Call>(node)) {
      seed = hash_mix(hash_mix(seed, target(*call->target())), hash_values(call->scope()));
    }
    if (const auto* loop = expr_cast<GridRegionExpr>(node)) {
      seed = hash_mix(seed, static_cast<std::size_t>(loop->form()));
      for (const Dim* bound : {&loop->start(), &loop->extent(), &loop->step()}) {
        seed = hash_mix(seed, dim(*bound));
      }
    }
    for_each_operand(
        node, [&](const ExprRef& operand) { seed = hash_mix(seed, exprs_.at(operand.get())); });
    return seed;
  }

  std::size_t stmt_hash(const Stmt& stmt) {
    std::size_t seed = hash_values(&stmt.stmt_class());
    if (const auto* loop = stmt_cast<For>(stmt)) {
      seed = hash_mix(seed, static_cast<std::size_t>(loop->mode()));
      seed = hash_mix(hash_mix(seed, dim(loop->stop())), dim(loop->step()));
      bind(*loop->var());
    }
    if (const auto* dispatch = stmt_cast<DispatchCall>(stmt)) {
      seed = hash_mix(seed, hash_values(dispatch->callee_name()));
      for (const PatternRef& pattern : dispatch->case_patterns()) {
        seed = hash_mix(seed, hash_values(pattern->repr()));
      }
    }
    const auto* evaluate = stmt_cast<Evaluate>(stmt);
    if (evaluate != nullptr && evaluate->callable()) {
      seed = hash_mix(seed, target(*evaluate->callable()));
    }
    for_each_stmt_expr(stmt, [&](const ExprRef& used) { seed = hash_mix(seed, expr(used)); });
    return seed;
  }

  std::unordered_map<const Var*, std::size_t> vars_;  // by order of binding
  std::unordered_map<const Expr*, std::size_t> exprs_;
  std::unordered_map<const Type*, std::size_t> types_;
};

}  // namespace

std::size_t structural_hash(const ExprRef& expr) { return Hasher().expr(expr); }
std::size_t structural_hash(const StmtRef& stmt) { return Hasher().stmt(stmt); }
std::size_t structural_hash(const FunctionRef& function) { return Hasher().function(*function); }
std::size_t structural_hash(const PrimFunctionRef& function) {
  return Hasher().prim_function(*function);
}

std::size_t structural_hash(const ModuleRef& module) {
  std::size_t seed = hash_values(module->name(), module->entry().value_or(""));
  if (module->topologies()) seed = hash_range(seed, *module->topologies());
  for (const ModuleRef& child : module->children()) {
    seed = hash_mix(seed, structural_hash(child));
  }
  for (const CallableRef& member : module->functions()) {
    if (const Function* function = as_function(*member)) {
      seed = hash_mix(seed, Hasher().function(*function));
    } else if (const PrimFunction* prim = as_prim_function(*member)) {
      seed = hash_mix(seed, Hasher().prim_function(*prim));
    }
  }
  return seed;
}

}  // namespace tilefoundry
