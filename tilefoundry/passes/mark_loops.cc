#include <algorithm>
#include <unordered_set>

#include "tilefoundry/ir/tir/block.h"
#include "tilefoundry/ir/tir/ops.h"
#include "tilefoundry/ir/tir/stmt_visitor.h"
#include "tilefoundry/passes/accesses.h"
#include "tilefoundry/passes/loop_passes.h"

namespace tilefoundry {
namespace {

// Variables that are bound inside a statement, loop variables included.
std::unordered_set<const Var*> local_vars(const StmtRef& stmt) {
  class Collector final : public StmtVisitor {
   public:
    std::unordered_set<const Var*> vars;

   protected:
    void visit_LetStmt(const LetStmt& let) override {
      vars.insert(let.var().get());
      generic_visit(let);
    }
    void visit_For(const For& loop) override {
      vars.insert(loop.var().get());
      generic_visit(loop);
    }
  } collector;
  collector.visit(stmt);
  return std::move(collector.vars);
}

bool only_scalar_code(const StmtRef& stmt) {
  class Checker final : public StmtVisitor {
   public:
    bool ok = true;

   protected:
    void visit_Evaluate(const Evaluate& evaluate) override {
      ok = ok && evaluate.op<Store>() != nullptr;
    }
    void visit_While(const While&) override { ok = false; }
    void visit_Return(const Return&) override { ok = false; }
    void visit_Abort(const Abort&) override { ok = false; }
    void visit_UserStmt(const UserStmt&) override { ok = false; }
  } checker;
  checker.visit(stmt);
  return checker.ok;
}

// Whether the index moves by a fixed non-zero step from one trip to the next and by nothing that is
// bound inside the trip.
bool moves_with(const Dim& index, const Var& var, const std::unordered_set<const Var*>& local) {
  bool fixed = true;
  for_each_dim_atom(index, [&](const DimNode& node) {
    for (const Var* inner : local) {
      fixed = fixed && node.as_atom() != static_cast<const DimAtom*>(inner);
    }
  });
  if (!fixed) return false;
  const Dim next = substitute(index, [&](const Ref<const DimNode>& node) {
    const bool own = node->as_atom() == static_cast<const DimAtom*>(&var);
    return own ? Dim(node) + 1 : Dim(node);
  });
  const Dim step = next - index;
  return step.is_static() && step.value() != 0;
}

// Every element that a trip writes outside the loop's own buffers is touched by that trip only.
bool independent_trips(const For& loop, const BufferAliases& aliases) {
  const std::unordered_set<const Var*> local = local_vars(loop.body());
  const std::vector<BufferAccess> accesses = collect_accesses(loop.body());
  for (const BufferAccess& write : accesses) {
    if (!write.is_store || local.contains(write.buffer)) continue;
    if (write.whole) return false;
    const auto moving = std::find_if(write.index.begin(), write.index.end(), [&](const Dim& index) {
      return moves_with(index, *loop.var(), local);
    });
    if (moving == write.index.end()) return false;
    const auto axis = static_cast<std::size_t>(moving - write.index.begin());
    const Var* root = aliases.root(write.buffer);
    for (const BufferAccess& other : accesses) {
      if (aliases.root(other.buffer) != root) continue;
      const bool same_buffer = other.buffer == write.buffer && !other.whole;
      if (!same_buffer || other.index[axis] != *moving) return false;
    }
  }
  return true;
}

bool combines(const Call& call) {
  const auto* op = call.op<ScalarBinary>();
  return op != nullptr && (op->kind == BinaryKind::add || op->kind == BinaryKind::mul ||
                           op->kind == BinaryKind::min || op->kind == BinaryKind::max);
}

// Whether every store of a leaf loop that is not addressed by the loop updates a rank-0 accumulator
// by one associative operation on its old value.
bool only_accumulates(const For& loop) {
  std::unordered_set<const Expr*> old_values;
  std::unordered_set<const Expr*> updates;
  const Var* accumulator = nullptr;
  const std::unordered_set<const Var*> local = local_vars(loop.body());
  for (const BlockItem& item : block_items(loop.body())) {
    const auto* call = item.is_let() ? expr_cast<Call>(item.value) : nullptr;
    if (call != nullptr && call->op<Load>() != nullptr && call->args().size() == 1) {
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
    const bool addressed = std::any_of(index.begin(), index.end(), [&](const Dim& at) {
      return moves_with(at, *loop.var(), local);
    });
    if (addressed) continue;
    const auto* target = expr_cast<Var>(evaluate->args()[0]);
    if (evaluate->args().size() != 2 || !updates.contains(evaluate->args()[1].get())) return false;
    if (accumulator != nullptr && accumulator != target) return false;
    accumulator = target;
  }
  return true;
}

bool is_leaf(const For& loop) {
  for (const BlockItem& item : block_items(loop.body())) {
    if (!item.is_let() && stmt_cast<Evaluate>(item.stmt) == nullptr) return false;
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
    if (stmt.mode() != ForMode::serial || !only_scalar_code(stmt.body())) {
      return StmtExprMutator::visit_For(stmt);
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
