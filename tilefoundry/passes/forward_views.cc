#include <algorithm>
#include <unordered_map>
#include <unordered_set>

#include "tilefoundry/ir/tir/block.h"
#include "tilefoundry/ir/tir/ops.h"
#include "tilefoundry/ir/tir/stmt_visitor.h"
#include "tilefoundry/passes/accesses.h"
#include "tilefoundry/passes/loop_passes.h"
#include "tilefoundry/passes/substitute_var.h"
#include "tilefoundry/passes/tile_relation.h"
#include "tilefoundry/passes/view_axes.h"

namespace tilefoundry {
namespace {

// A nest that only moves elements: `to[i, j] = from[index over i, j]`, each element of `to` once.
struct Move {
  const Var* from;
  const Var* to;
  Shape starts;   // of the view, per axis of `from`
  Shape strides;  // per axis of `to`
};

// The coefficient of `var` in an index that is linear in it; nothing otherwise.
std::optional<Dim> coefficient(const Dim& index, const Var& var) {
  const auto at = [&](std::int64_t value) {
    return substitute(index, [&](const Ref<const DimNode>& node) {
      return node->as_atom() == static_cast<const DimAtom*>(&var) ? Dim(value) : Dim(node);
    });
  };
  const Dim step = at(1) - at(0);
  // The same step everywhere: the index is a polynomial with min, max, mod and division as atoms.
  if (at(0) + step * var.dim() != index) return std::nullopt;
  bool inner = false;
  for_each_dim_atom(step, [&](const DimNode& node) { inner = inner || node.as_atom() != nullptr; });
  if (inner) return std::nullopt;
  return step;
}

std::optional<Move> moving_nest(const StmtRef& stmt) {
  std::vector<const For*> loops;
  StmtRef inner = stmt;
  for (const auto* loop = stmt_cast<For>(inner); loop != nullptr; loop = stmt_cast<For>(inner)) {
    if (!loop->start().is(0) || !loop->step().is(1) || loop->mode() != ForMode::serial) {
      return std::nullopt;
    }
    loops.push_back(loop);
    inner = loop->body();
    const Block body = block_items(inner);
    if (body.size() == 1 && !body.front().is_let()) inner = body.front().stmt;
  }
  const Block body = block_items(inner);
  if (loops.empty() || body.size() > 2 || body.back().is_let()) return std::nullopt;
  const auto* evaluate = stmt_cast<Evaluate>(body.back().stmt);
  if (evaluate == nullptr || evaluate->op<Store>() == nullptr) return std::nullopt;
  ExprRef value = evaluate->args()[1];
  if (body.size() == 2) {
    if (!body.front().is_let() || value != body.front().var) return std::nullopt;
    value = body.front().value;
  }
  const auto* read = expr_cast<Call>(value);
  if (read == nullptr || read->op<Load>() == nullptr) return std::nullopt;
  Move move{expr_cast<Var>(read->args()[0]), expr_cast<Var>(evaluate->args()[0]), {}, {}};
  const TensorType& to = *as_tensor(move.to->type());
  const std::optional<Shape> from_strides = plain_strides(*as_tensor(move.from->type()));
  if (to.layout() || !from_strides) return std::nullopt;
  const Shape written = index_dims(evaluate->args(), 2);
  std::vector<const Var*> vars;  // of each axis; none where its extent is 1
  for (std::size_t d = 0, l = 0; d < to.rank(); ++d) {
    if (to.shape()[d].is(1) && written[d].is(0)) {
      vars.push_back(nullptr);
      continue;
    }
    if (l == loops.size() || written[d] != loops[l]->var()->dim()) return std::nullopt;
    if (loops[l]->stop() != to.shape()[d]) return std::nullopt;
    vars.push_back(loops[l++]->var().get());
  }
  if (static_cast<std::size_t>(std::count(vars.begin(), vars.end(), nullptr)) + loops.size() !=
      vars.size()) {
    return std::nullopt;
  }
  move.starts = index_dims(read->args(), 1);
  move.strides.assign(to.rank(), Dim(0));
  for (std::size_t axis = 0; axis < move.starts.size(); ++axis) {
    Dim& start = move.starts[axis];
    for (std::size_t d = 0; d < vars.size(); ++d) {
      if (vars[d] == nullptr) continue;
      const std::optional<Dim> step = coefficient(start, *vars[d]);
      if (!step) return std::nullopt;
      move.strides[d] = move.strides[d] + *step * (*from_strides)[axis];
      start = start - *step * vars[d]->dim();
    }
  }
  return move;
}

// How the buffers of a function are used, by their root; statements are numbered in program order.
struct Uses {
  std::unordered_map<const Var*, std::size_t> last_write;
  std::unordered_map<const Var*, int> writes;
  std::unordered_set<const Var*> read_by_element;
  std::unordered_set<const Var*> whole;  // used by what needs memory in C order
  std::unordered_map<const Stmt*, std::size_t> positions;
};

class UseCollector final : public StmtVisitor {
 public:
  UseCollector(const ViewAxes& views, Uses& uses) : views_(views), uses_(uses) {}

 protected:
  void visit_For(const For& loop) override {
    uses_.positions.emplace(&loop, ++position_);
    generic_visit(loop);
  }
  void visit_LetStmt(const LetStmt& let) override {
    add(let.value());
    generic_visit(let);
  }
  void visit_Evaluate(const Evaluate& evaluate) override {
    ++position_;
    if (evaluate.op<Store>() != nullptr) {
      write(evaluate.args()[0]);
      return add(evaluate.args()[1]);
    }
    const auto* rule =
        evaluate.callable()
            ? tile_relation_registry().find<TileRelationFn>(evaluate.callable()->op_class())
            : nullptr;
    const std::vector<bool> written = rule != nullptr
                                          ? (*rule)(evaluate).written
                                          : std::vector<bool>(evaluate.args().size(), true);
    for (std::size_t i = 0; i < evaluate.args().size(); ++i) {
      if (written[i]) write(evaluate.args()[i]);
      if (rule == nullptr) use_whole(evaluate.args()[i]);
    }
  }
  void visit_UserStmt(const UserStmt& stmt) override {
    ++position_;
    for (const ExprRef& arg : stmt.args()) write(arg), use_whole(arg);
    generic_visit(stmt);
  }

 private:
  void write(const ExprRef& buffer) {
    const auto* var = expr_cast<Var>(buffer);
    if (var == nullptr) return;
    uses_.last_write[views_.root(var)] = position_;
    ++uses_.writes[views_.root(var)];
  }
  void use_whole(const ExprRef& root) {
    for (const ExprRef& expr : post_order({root})) {
      if (const auto* var = expr_cast<Var>(expr)) uses_.whole.insert(var);
    }
  }
  void add(const ExprRef& value) {
    if (expr_cast<Var>(value) != nullptr) return use_whole(value);
    for (const ExprRef& expr : post_order({value})) {
      const auto* call = expr_cast<Call>(expr);
      const auto* read =
          call != nullptr && !call->args().empty() ? expr_cast<Var>(call->args()[0]) : nullptr;
      if (read != nullptr && call->op<Load>() != nullptr) uses_.read_by_element.insert(read);
    }
  }

  const ViewAxes& views_;
  Uses& uses_;
  std::size_t position_ = 0;
};

class ViewForwarder {
 public:
  explicit ViewForwarder(const StmtRef& body) : views_(body) {
    UseCollector(views_, uses_).visit(body);
  }

  // Recurses on the nesting of loops only.
  StmtRef forward(const StmtRef& body) {
    Block out;
    std::unordered_map<const Var*, std::size_t> allocated;  // to their places in `out`
    std::unordered_set<std::size_t> dropped;
    bool changed = false;
    for (BlockItem& item : block_items(body)) {
      const auto* call = item.is_let() ? expr_cast<Call>(item.value) : nullptr;
      if (call != nullptr && call->op<AllocTensor>() != nullptr) {
        allocated.emplace(item.var.get(), out.size());
      }
      const auto* loop = item.is_let() ? nullptr : stmt_cast<For>(item.stmt);
      if (loop != nullptr) {
        const std::optional<Move> move = moving_nest(item.stmt);
        if (move && allocated.contains(move->to) && may_forward(*move, item.stmt)) {
          dropped.insert(allocated.at(move->to));
          item = add_view(*move);
          changed = true;
        } else {
          StmtRef inner = forward(loop->body());
          if (inner != loop->body()) {
            item = BlockItem::of(loop->with_body(std::move(inner)));
            changed = true;
          }
        }
      }
      out.push_back(std::move(item));
    }
    if (!changed) return body;
    Block kept;
    for (std::size_t i = 0; i < out.size(); ++i) {
      if (!dropped.contains(i)) kept.push_back(std::move(out[i]));
    }
    return make_block(kept);
  }

  const std::unordered_map<const Var*, VarRef>& replacements() const { return replacements_; }

 private:
  // What is read does not change any more, and every reader takes any strides.
  bool may_forward(const Move& move, const StmtRef& nest) const {
    const auto last = uses_.last_write.find(views_.root(move.from));
    const bool settled =
        last == uses_.last_write.end() || last->second < uses_.positions.at(nest.get());
    const bool unit = move.strides.back().is(1);
    const bool turned = move.strides.size() >= 2 && move.strides[move.strides.size() - 2].is(1);
    const bool reads_well = unit || (turned && !uses_.read_by_element.contains(move.to));
    return settled && reads_well && uses_.writes.at(move.to) == 1 && !views_.is_view(move.to) &&
           !views_.has_views(move.to) && !uses_.whole.contains(move.to);
  }

  BlockItem add_view(const Move& move) {
    const TensorType& to = *as_tensor(move.to->type());
    const auto known = replacements_.find(move.from);
    ExprRef memory = known != replacements_.end() ? ExprRef(known->second) : ExprRef(move.from);
    ExprRef view = tensor_view(std::move(memory), move.starts, to.shape(),
                               Layout::make(to.shape(), move.strides));
    const VarRef name = Var::make(move.to->name(), view->type());
    replacements_.emplace(move.to, name);
    return BlockItem::let(name, std::move(view));
  }

  ViewAxes views_;
  Uses uses_;
  std::unordered_map<const Var*, VarRef> replacements_;
};

}  // namespace

StmtRef forward_views(const PrimFunction& function) {
  ViewForwarder forwarder(function.body());
  const StmtRef body = forwarder.forward(function.body());
  if (body == function.body()) return body;
  return VarReplacer(forwarder.replacements()).mutate(body);
}

}  // namespace tilefoundry
