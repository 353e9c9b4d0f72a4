#include <unordered_map>
#include <unordered_set>

#include "tilefoundry/ir/tir/block.h"
#include "tilefoundry/ir/tir/ops.h"
#include "tilefoundry/ir/tir/stmt_visitor.h"
#include "tilefoundry/passes/loop_passes.h"
#include "tilefoundry/passes/substitute_var.h"

namespace tilefoundry {
namespace {

// An allocation (by its variable) and the output it is copied to.
std::unordered_map<const Var*, VarRef> forwardable(const PrimFunction& function,
                                                   const Block& items) {
  std::unordered_map<const Var*, const TensorType*> allocated;
  std::unordered_set<const Var*> outputs(function.params().size());
  for (std::size_t i = function.input_count(); i < function.params().size(); ++i) {
    outputs.insert(function.params()[i].get());
  }
  std::unordered_map<const Var*, VarRef> result;
  std::unordered_set<const Var*> taken;
  for (const BlockItem& item : items) {
    const auto* call = item.is_let() ? expr_cast<Call>(item.value) : nullptr;
    if (call != nullptr && call->op<AllocTensor>() != nullptr) {
      allocated.emplace(item.var.get(), as_tensor(item.var->type()));
    }
    const auto* evaluate = stmt_cast<Evaluate>(item.stmt);
    if (evaluate == nullptr || evaluate->op<Copy>() == nullptr) continue;
    const auto* source = expr_cast<Var>(evaluate->args()[0]);
    const auto* output = expr_cast<Var>(evaluate->args()[1]);
    if (source == nullptr || output == nullptr || !outputs.contains(output)) continue;
    const auto it = allocated.find(source);
    if (it == allocated.end() || result.contains(source) || !taken.insert(output).second) continue;
    const TensorType& type = *as_tensor(output->type());
    const bool same = it->second->shape() == type.shape() && it->second->dtype() == type.dtype() &&
                      !it->second->layout();
    if (same) result.emplace(source, VarRef(output));
  }
  return result;
}

}  // namespace

StmtRef forward_outputs(const PrimFunction& function) {
  const Block items = block_items(function.body());
  const auto replacements = forwardable(function, items);
  if (replacements.empty()) return function.body();
  VarReplacer replacer(replacements);
  Block kept;
  for (const BlockItem& item : items) {
    if (item.is_let()) {
      if (replacements.contains(item.var.get())) continue;
      kept.push_back(BlockItem::let(item.var, replacer.ExprMutator::visit(item.value), item.meta));
      continue;
    }
    const auto* evaluate = stmt_cast<Evaluate>(item.stmt);
    if (evaluate != nullptr && evaluate->op<Copy>() != nullptr) {
      const auto it = replacements.find(expr_cast<Var>(evaluate->args()[0]));
      if (it != replacements.end() && it->second == evaluate->args()[1]) continue;
    }
    kept.push_back(BlockItem::of(replacer.mutate(item.stmt)));
  }
  return make_block(kept);
}

}  // namespace tilefoundry
