#include <algorithm>
#include <unordered_set>

#include "tilefoundry/ir/tir/block.h"
#include "tilefoundry/ir/tir/ops.h"
#include "tilefoundry/ir/tir/stmt_visitor.h"
#include "tilefoundry/passes/loop_facts.h"
#include "tilefoundry/passes/loop_passes.h"

namespace tilefoundry {
namespace {

bool combines(const Call& call) {
  const auto* op = call.op<ScalarBinary>();
  return op != nullptr && (op->kind == BinaryKind::add || op->kind == BinaryKind::mul ||
                           op->kind == BinaryKind::min || op->kind == BinaryKind::max);
}

// Rank-0 buffers that a leaf loop stores to.
std::unordered_set<const Var*> stored_scalars(const For& loop) {
  std::unordered_set<const Var*> out;
  for (const BlockItem& item : block_items(loop.body())) {
    const auto* evaluate = stmt_cast<Evaluate>(item.stmt);
    if (evaluate != nullptr && evaluate->op<Store>() != nullptr && evaluate->args().size() == 2) {
      out.insert(expr_cast<Var>(evaluate->args()[0]));
    }
  }
  return out;
}

// Whether every store of a leaf loop that is not addressed by the loop updates a rank-0 accumulator
// by one associative operation on its old value.
bool only_accumulates(const For& loop) {
  std::unordered_set<const Expr*> old_values;
  std::unordered_set<const Expr*> updates;
  const Var* accumulator = nullptr;
  const std::unordered_set<const Var*> stored = stored_scalars(loop);
  const std::unordered_set<const Var*> local = local_vars(loop.body());
  const auto moves = [&](const Dim& at) {
    return !reads_any(at, local) && step_of(at, *loop.var()).value_or(0) != 0;
  };
  for (const BlockItem& item : block_items(loop.body())) {
    const auto* call = item.is_let() ? expr_cast<Call>(item.value) : nullptr;
    if (call != nullptr && call->op<Load>() != nullptr && call->args().size() == 1 &&
        stored.contains(expr_cast<Var>(call->args()[0]))) {
      old_values.insert(item.var.get());
    } else if (call != nullptr && combines(*call) && old_values.contains(call->args()[0].get())) {
      updates.insert(item.var.get());
    } else if (item.is_let()) {
      for (const ExprRef& expr : post_order({item.value})) {
        if (old_values.contains(expr.get())) return false;
      }
    }
    const auto* evaluate = stmt_cast<Evaluate>(item.stmt);
    if (evaluate == nullptr) continue;
    const Shape index = index_dims(evaluate->args(), 2);
    if (std::any_of(index.begin(), index.end(), moves)) continue;
    const auto* target = expr_cast<Var>(evaluate->args()[0]);
    if (evaluate->args().size() != 2 || !updates.contains(evaluate->args()[1].get())) return false;
    if (accumulator != nullptr && accumulator != target) return false;
    accumulator = target;
  }
  return true;
}

// Elements of a flat loop that one task runs as vectors.
constexpr std::int64_t kFlatBlock = 8192;

// A flat loop in blocks: the blocks run in parallel, each as vectors. Short ones stay one loop.
StmtRef split_flat(const For& loop, StmtRef body) {
  const Dim& extent = loop.stop();
  const bool is_short = extent.is_static() && extent.value() <= kFlatBlock;
  if (is_short || !loop.start().is(0) || !loop.step().is(1)) {
    return For::make(loop.var(), loop.start(), extent, loop.step(), std::move(body),
                     ForMode::vectorized, loop.meta());
  }
  const VarRef block = loop_var(loop.var()->name() + "_block");
  const Dim first = block->dim() * kFlatBlock;
  StmtRef inner = For::make(loop.var(), first, dim_min(first + kFlatBlock, extent), 1,
                            std::move(body), ForMode::vectorized, loop.meta());
  return For::make(block, 0, ceildiv(extent, Dim(kFlatBlock)), 1, std::move(inner),
                   ForMode::parallel, loop.meta());
}

class LoopMarker final : public StmtExprMutator {
 public:
  explicit LoopMarker(const BufferAliases& aliases) : aliases_(aliases) {}

 protected:
  StmtRef visit_For(const For& stmt) override {
    if (stmt.mode() != ForMode::serial || !only_scalar_code(stmt.body(), true)) {
      const bool outer = inside_parallel_;
      inside_parallel_ = outer || stmt.mode() == ForMode::parallel;
      const StmtRef rewritten = StmtExprMutator::visit_For(stmt);
      inside_parallel_ = outer;
      return rewritten;
    }
    const bool independent = independent_trips(stmt, aliases_);
    ForMode mode = ForMode::serial;
    const bool single_trip = stmt.stop().is(1) && stmt.start().is(0);
    const bool outermost = !inside_parallel_ && independent && !single_trip;
    if (outermost && is_leaf(stmt)) return split_flat(stmt, stmt.body());
    if (outermost) {
      mode = ForMode::parallel;
    } else if (is_leaf(stmt) && (independent || only_accumulates(stmt))) {
      mode = ForMode::vectorized;
    }
    const bool outer = inside_parallel_;
    inside_parallel_ = inside_parallel_ || outermost;
    StmtRef body = mutate(stmt.body());
    inside_parallel_ = outer;
    if (mode == stmt.mode() && body == stmt.body()) return StmtRef(&stmt);
    return For::make(stmt.var(), stmt.start(), stmt.stop(), stmt.step(), std::move(body), mode,
                     stmt.meta());
  }

 private:
  const BufferAliases& aliases_;
  bool inside_parallel_ = false;
};

}  // namespace

StmtRef mark_loops(const PrimFunction& function) {
  const BufferAliases aliases(function.body());
  return LoopMarker(aliases).mutate(function.body());
}

}  // namespace tilefoundry
