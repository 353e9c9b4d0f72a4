#include <algorithm>
#include <iterator>
#include <unordered_map>

#include "tilefoundry/ir/hir/grid_region.h"
#include "tilefoundry/ir/tir/block.h"
#include "tilefoundry/ir/tir/ops.h"
#include "tilefoundry/ir/tir/stmt_visitor.h"
#include "tilefoundry/passes/accesses.h"
#include "tilefoundry/passes/checks.h"
#include "tilefoundry/passes/loop_passes.h"
#include "tilefoundry/passes/substitute_var.h"

namespace tilefoundry {
namespace {

// A nest with more accesses than this stops growing: the compiler's time is not linear in it.
constexpr std::size_t kLargestNest = 96;
// How many neighbours a loop is compared with.
constexpr std::size_t kWindow = 12;

// An item of a block with what it touches. A loop that others were merged into is open: its body is
// a list of units, and `item` gives its header only, until `closed` builds the statement.
struct Unit {
  BlockItem item;
  std::vector<BufferAccess> accesses;
  bool barrier = false;  // may end the call: nothing moves past it
  bool open = false;
  std::vector<Unit> body;
  std::size_t hoisted = 0;  // how many units lead the body as hoisted bindings

  const For* loop() const { return item.is_let() ? nullptr : stmt_cast<For>(item.stmt); }
};

bool may_leave(const StmtRef& stmt) {
  class Finder final : public StmtVisitor {
   public:
    bool found = false;

   protected:
    void visit_Return(const Return&) override { found = true; }
    void visit_Abort(const Abort&) override { found = true; }
    void visit_UserStmt(const UserStmt&) override { found = true; }
    void visit_Evaluate(const Evaluate& stmt) override { found = found || may_end_call(stmt); }
  } finder;
  finder.visit(stmt);
  return finder.found;
}

class LoopFuser {
 public:
  explicit LoopFuser(const BufferAliases& aliases) : aliases_(aliases) {}

  // Fuses the loops of a block, after those of the blocks inside. Recurses on the nesting of loops
  // only.
  StmtRef fuse(const StmtRef& body) {
    Block items = block_items(body);
    bool changed = false;
    for (BlockItem& item : items) {
      const auto* loop = item.is_let() ? nullptr : stmt_cast<For>(item.stmt);
      if (loop == nullptr) continue;
      StmtRef inner = fuse(loop->body());
      if (inner == loop->body()) continue;
      item = BlockItem::of(loop->with_body(std::move(inner)));
      changed = true;
    }
    std::vector<Unit> units;
    std::size_t hoisted = 0;
    add_items(units, hoisted, items, changed);
    if (!changed) return body;
    Block out;
    for (Unit& unit : units) out.push_back(closed(std::move(unit)));
    return make_block(out);
  }

 private:
  // Appends items to units: bindings that depend on nothing in the block (allocations, constants
  // and views of those) behind the leading ones of that kind, loops into earlier ones where that is
  // legal. Recurses on the nesting of loops only.
  void add_items(std::vector<Unit>& units, std::size_t& hoisted, const Block& items,
                 bool& changed) const {
    std::vector<Unit> leading;
    std::vector<Unit> rest;
    std::unordered_map<const Var*, bool> pinned;
    for (const BlockItem& item : items) {
      const bool movable = item.is_let() && is_movable(item, pinned);
      if (item.is_let() && !movable) pinned.emplace(item.var.get(), true);
      (movable ? leading : rest).push_back(make_unit(item));
    }
    const std::size_t count = leading.size();
    units.insert(units.begin() + static_cast<std::ptrdiff_t>(hoisted),
                 std::make_move_iterator(leading.begin()), std::make_move_iterator(leading.end()));
    hoisted += count;
    for (Unit& unit : rest) {
      if (unit.loop() == nullptr || !place(units, unit, changed)) units.push_back(std::move(unit));
    }
  }

  // The item of a unit, with the body that was put together.
  static BlockItem closed(Unit unit) {
    if (!unit.open) return std::move(unit.item);
    Block body;
    for (Unit& inner : unit.body) body.push_back(closed(std::move(inner)));
    return BlockItem::of(unit.loop()->with_body(make_block(body)));
  }

  static bool is_movable(const BlockItem& item,
                         const std::unordered_map<const Var*, bool>& pinned) {
    if (expr_cast<Constant>(item.value) != nullptr) return true;
    const auto* call = expr_cast<Call>(item.value);
    if (call == nullptr) return false;
    if (call->op<AllocTensor>() != nullptr) return true;
    if (call->op<TensorView>() == nullptr) return false;
    if (pinned.contains(expr_cast<Var>(call->args()[0]))) return false;
    bool fixed = true;
    for (const Dim& start : index_dims(call->args(), 1)) {
      for_each_scalar_of(start, [&](const Var& var) { fixed = fixed && !pinned.contains(&var); });
    }
    return fixed;
  }

  static Unit make_unit(const BlockItem& item) {
    Unit unit{item, {}};
    if (!item.is_let()) {
      unit.accesses = collect_accesses(item.stmt);
      unit.barrier = may_leave(item.stmt);
      return unit;
    }
    const auto* call = expr_cast<Call>(item.value);
    const bool address = call != nullptr &&
                         (call->op<TensorView>() != nullptr || call->op<AllocTensor>() != nullptr);
    if (!address) collect_expr_accesses(item.value, {}, unit.accesses);
    return unit;
  }

  // Whether the two may not change places.
  bool conflict(const Unit& a, const Unit& b) const {
    if (a.barrier || b.barrier) return true;
    if (a.item.is_let() && uses(b, *a.item.var)) return true;
    if (b.item.is_let() && uses(a, *b.item.var)) return true;
    for (const BufferAccess& x : a.accesses) {
      for (const BufferAccess& y : b.accesses) {
        if ((x.is_store || y.is_store) && aliases_.root(x.buffer) == aliases_.root(y.buffer)) {
          return true;
        }
      }
    }
    return false;
  }

  // Whether `unit` reads the binding `var`.
  static bool uses(const Unit& unit, const Var& var) {
    if (unit.item.is_let()) return reads(unit.item.value, var);
    if (!unit.open) return stmt_reads(unit.item.stmt, var);
    return reads_bounds(*unit.loop(), var) ||
           std::any_of(unit.body.begin(), unit.body.end(),
                       [&](const Unit& inner) { return uses(inner, var); });
  }

  static bool reads_bounds(const For& loop, const Var& var) {
    return reads_dim(loop.start(), var) || reads_dim(loop.stop(), var) ||
           reads_dim(loop.step(), var);
  }

  static bool reads_dim(const Dim& dim, const Var& var) {
    bool found = false;
    for_each_dim_atom(dim, [&](const DimNode& node) {
      found = found || node.as_atom() == static_cast<const DimAtom*>(&var);
    });
    return found;
  }

  static bool reads(const ExprRef& root, const Var& var) {
    for (const ExprRef& expr : post_order({root})) {
      if (expr.get() == &var) return true;
      const auto* value = expr_cast<DimValue>(expr);
      if (value != nullptr && reads_dim(value->dim(), var)) return true;
    }
    return false;
  }

  static bool stmt_reads(const StmtRef& stmt, const Var& var) {
    for (const BlockItem& item : block_items(stmt)) {
      if (item.is_let()) {
        if (reads(item.value, var)) return true;
        continue;
      }
      bool found = false;
      for_each_stmt_expr(*item.stmt,
                         [&](const ExprRef& expr) { found = found || reads(expr, var); });
      if (const auto* loop = stmt_cast<For>(item.stmt)) found = found || reads_bounds(*loop, var);
      for_each_child_stmt(*item.stmt,
                          [&](const StmtRef& child) { found = found || stmt_reads(child, var); });
      if (found) return true;
    }
    return false;
  }

  // Merges `unit` with an earlier loop when that is legal; true when it did. The earlier loop stays
  // where it is, or moves to the end.
  bool place(std::vector<Unit>& units, const Unit& unit, bool& changed) const {
    const std::size_t least = units.size() > kWindow ? units.size() - kWindow : 0;
    for (std::size_t p = units.size(); p-- > least;) {
      if (units[p].loop() == nullptr || !feeds(units[p], unit) || !fusable(units[p], unit)) {
        continue;
      }
      const auto clear_of = [&](const Unit& moved) {
        return std::none_of(units.begin() + static_cast<std::ptrdiff_t>(p) + 1, units.end(),
                            [&](const Unit& other) { return conflict(moved, other); });
      };
      const bool hoist = clear_of(unit);
      if (!hoist && !clear_of(units[p])) continue;
      changed = true;
      merge(units[p], unit);
      if (!hoist)
        std::rotate(units.begin() + static_cast<std::ptrdiff_t>(p),
                    units.begin() + static_cast<std::ptrdiff_t>(p) + 1, units.end());
      return true;
    }
    return false;
  }

  // Whether `second` touches a buffer that `first` writes.
  bool feeds(const Unit& first, const Unit& second) const {
    for (const BufferAccess& x : first.accesses) {
      if (!x.is_store) continue;
      for (const BufferAccess& y : second.accesses) {
        if (aliases_.root(x.buffer) == aliases_.root(y.buffer)) return true;
      }
    }
    return false;
  }

  bool fusable(const Unit& first, const Unit& second) const {
    const For& a = *first.loop();
    const For& b = *second.loop();
    if (a.start() != b.start() || a.stop() != b.stop() || a.step() != b.step()) return false;
    if (a.mode() != ForMode::serial || b.mode() != ForMode::serial) return false;
    if (first.accesses.size() + second.accesses.size() > kLargestNest) return false;
    for (const BufferAccess& x : first.accesses) {
      for (const BufferAccess& y : second.accesses) {
        if (!x.is_store && !y.is_store) continue;
        if (aliases_.root(x.buffer) != aliases_.root(y.buffer)) continue;
        if (x.whole || y.whole || x.buffer != y.buffer) return false;
        const int axis = axis_of(x.index, *a.var());
        if (axis < 0 || y.index[static_cast<std::size_t>(axis)] != b.var()->dim()) return false;
      }
    }
    return true;
  }

  // Puts the body of `second` behind that of `first`.
  void merge(Unit& first, const Unit& second) const {
    const For& a = *first.loop();
    const For& b = *second.loop();
    bool inner_changed = false;
    if (!first.open) {
      first.open = true;
      add_items(first.body, first.hoisted, block_items(a.body()), inner_changed);
    }
    const StmtRef rest = VarSubstituter(*b.var(), a.var()).mutate(b.body());
    add_items(first.body, first.hoisted, block_items(rest), inner_changed);
    std::vector<BufferAccess> more = collect_accesses(rest);
    std::move(more.begin(), more.end(), std::back_inserter(first.accesses));
    first.barrier = first.barrier || second.barrier;
  }

  const BufferAliases& aliases_;
};

}  // namespace

StmtRef fuse_loops(const PrimFunction& function) {
  const BufferAliases aliases(function.body());
  return LoopFuser(aliases).fuse(function.body());
}

}  // namespace tilefoundry
