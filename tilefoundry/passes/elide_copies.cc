#include <unordered_map>
#include <unordered_set>

#include "tilefoundry/ir/tir/block.h"
#include "tilefoundry/ir/tir/ops.h"
#include "tilefoundry/ir/tir/stmt_visitor.h"
#include "tilefoundry/passes/accesses.h"
#include "tilefoundry/passes/loop_passes.h"

namespace tilefoundry {
namespace {

// Calls `visit` for every variable that a statement or a binding's value names, nested ones
// included.
template <class Visit>
void for_each_named(const BlockItem& item, const Visit& visit) {
  const auto in_expr = [&](const ExprRef& root) {
    for (const ExprRef& expr : post_order({root})) {
      if (const auto* var = expr_cast<Var>(expr)) visit(var);
    }
  };
  if (item.is_let()) {
    in_expr(item.value);
    return;
  }
  std::vector<StmtRef> pending{item.stmt};
  while (!pending.empty()) {
    const StmtRef stmt = std::move(pending.back());
    pending.pop_back();
    for_each_stmt_expr(*stmt, in_expr);
    for_each_child_stmt(*stmt, [&](const StmtRef& child) { pending.push_back(child); });
  }
}

// The buffers that a block allocates, and where its items name them or views of them.
struct Lifetimes {
  struct Span {
    std::size_t alloc;
    std::size_t first;
    std::size_t last;
  };
  std::unordered_map<const Var*, Span> spans;

  Lifetimes(const Block& items, const BufferAliases& aliases) {
    for (std::size_t i = 0; i < items.size(); ++i) {
      for_each_named(items[i], [&](const Var* var) {
        const auto it = spans.find(aliases.root(var));
        if (it == spans.end()) return;
        it->second.first = std::min(it->second.first, i);
        it->second.last = i;
      });
      const auto* call = items[i].is_let() ? expr_cast<Call>(items[i].value) : nullptr;
      if (call == nullptr || call->op<AllocTensor>() == nullptr) continue;
      spans.emplace(items[i].var.get(), Span{i, items.size(), i});
    }
  }
};

class CopyElider final : public StmtExprMutator {
 public:
  explicit CopyElider(const BufferAliases& aliases) : aliases_(aliases) {}

  // Recurses on the nesting of loops only.
  StmtRef run(const StmtRef& body) {
    const Block items = block_items(body);
    std::unordered_set<std::size_t> gone;
    plan(items, gone);
    Block out;
    bool changed = !gone.empty();
    for (std::size_t i = 0; i < items.size(); ++i) {
      if (gone.contains(i)) continue;
      const BlockItem& item = items[i];
      if (item.is_let()) {
        ExprRef value = ExprMutator::visit(item.value);
        changed = changed || value != item.value;
        out.push_back(BlockItem::let(item.var, std::move(value), item.meta));
        continue;
      }
      const auto* loop = stmt_cast<For>(item.stmt);
      StmtRef stmt = loop != nullptr ? loop_of(*loop) : mutate(item.stmt);
      changed = changed || stmt != item.stmt;
      out.push_back(BlockItem::of(std::move(stmt)));
    }
    return changed ? make_block(out) : body;
  }

 protected:
  ExprRef visit_Var(const Var& var) override { return ExprRef(resolved(&var)); }

 private:
  StmtRef loop_of(const For& loop) {
    StmtRef body = run(loop.body());
    return body == loop.body() ? StmtRef(&loop) : StmtRef(loop.with_body(std::move(body)));
  }

  const Var* resolved(const Var* var) const {
    for (auto it = kept_.find(var); it != kept_.end(); it = kept_.find(var)) var = it->second;
    return var;
  }

  // Decides which copies of a block go, and which buffers stand for others from there on.
  void plan(const Block& items, std::unordered_set<std::size_t>& gone) {
    Lifetimes lifetimes(items, aliases_);
    for (std::size_t i = 0; i < items.size(); ++i) {
      const auto* evaluate = items[i].is_let() ? nullptr : stmt_cast<Evaluate>(items[i].stmt);
      if (evaluate == nullptr || evaluate->op<Copy>() == nullptr) continue;
      const auto* from = expr_cast<Var>(evaluate->args()[0]);
      const auto* to = expr_cast<Var>(evaluate->args()[1]);
      if (from == nullptr || to == nullptr) continue;
      from = resolved(from);
      const auto source = lifetimes.spans.find(from);
      const auto target = lifetimes.spans.find(to);
      if (source == lifetimes.spans.end() || target == lifetimes.spans.end() || from == to ||
          from->type() != to->type() || source->second.last != i || target->second.first != i) {
        continue;
      }
      kept_.emplace(to, from);
      source->second.last = target->second.last;
      gone.insert(i);
      gone.insert(target->second.alloc);
    }
  }

  const BufferAliases& aliases_;
  std::unordered_map<const Var*, const Var*> kept_;
};

}  // namespace

StmtRef elide_copies(const PrimFunction& function) {
  const BufferAliases aliases(function.body());
  return CopyElider(aliases).run(function.body());
}

}  // namespace tilefoundry
