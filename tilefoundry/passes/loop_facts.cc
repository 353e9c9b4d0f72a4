#include "tilefoundry/passes/loop_facts.h"

#include <algorithm>

#include "tilefoundry/ir/tir/block.h"
#include "tilefoundry/ir/tir/ops.h"
#include "tilefoundry/ir/tir/stmt_visitor.h"

namespace tilefoundry {

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

bool only_scalar_code(const StmtRef& stmt, bool with_while) {
  class Checker final : public StmtVisitor {
   public:
    explicit Checker(bool with_while) : with_while_(with_while) {}
    bool ok = true;

   protected:
    void visit_Evaluate(const Evaluate& evaluate) override {
      ok = ok && evaluate.op<Store>() != nullptr;
    }
    void visit_While(const While& loop) override {
      ok = ok && with_while_;
      generic_visit(loop);
    }
    void visit_Return(const Return&) override { ok = false; }
    void visit_Abort(const Abort&) override { ok = false; }
    void visit_UserStmt(const UserStmt&) override { ok = false; }

   private:
    bool with_while_;
  } checker(with_while);
  checker.visit(stmt);
  return checker.ok;
}

bool is_leaf(const For& loop) {
  for (const BlockItem& item : block_items(loop.body())) {
    if (!item.is_let() && stmt_cast<Evaluate>(item.stmt) == nullptr) return false;
  }
  return true;
}

bool reads_var(const Dim& dim, const Var& var) {
  bool found = false;
  for_each_dim_atom(dim, [&](const DimNode& node) {
    found = found || node.as_atom() == static_cast<const DimAtom*>(&var);
  });
  return found;
}

bool reads_any(const Dim& dim, const std::unordered_set<const Var*>& vars) {
  bool found = false;
  for_each_dim_atom(dim, [&](const DimNode& node) {
    const auto* var = node.as_atom() ? dynamic_cast<const Var*>(node.as_atom()) : nullptr;
    found = found || (var != nullptr && vars.contains(var));
  });
  return found;
}

std::optional<std::int64_t> step_of(const Dim& index, const Var& var) {
  const Dim next = substitute(index, [&](const Ref<const DimNode>& node) {
    const bool own = node->as_atom() == static_cast<const DimAtom*>(&var);
    return own ? Dim(node) + 1 : Dim(node);
  });
  const Dim step = next - index;
  return step.is_static() ? std::optional(step.value()) : std::nullopt;
}

namespace {

// Whether the index moves by a fixed non-zero step from one trip to the next and by nothing that is
// bound inside the trip.
bool moves_with(const Dim& index, const Var& var, const std::unordered_set<const Var*>& local) {
  if (reads_any(index, local)) return false;
  return step_of(index, var).value_or(0) != 0;
}

}  // namespace

bool independent_trips(const For& loop, const BufferAliases& aliases) {
  const std::unordered_set<const Var*> local = local_vars(loop.body());
  const std::vector<BufferAccess> accesses = collect_accesses(loop.body());
  for (const BufferAccess& write : accesses) {
    // A view counts as a write to the whole of its memory where it is bound.
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

Movement movement(const BufferAccess& access, const Var& var) {
  if (access.whole) return Movement::far;
  const TensorType* type = as_tensor(access.buffer->type());
  Movement found = Movement::none;
  for (std::size_t axis = 0; axis < access.index.size(); ++axis) {
    if (!reads_var(access.index[axis], var)) continue;
    const bool last = axis + 1 == access.index.size() && !type->layout();
    found = last && found == Movement::none && step_of(access.index[axis], var) == 1
                ? Movement::next
                : Movement::far;
  }
  return found;
}

}  // namespace tilefoundry
