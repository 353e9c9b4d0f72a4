#include "tilefoundry/passes/region_units.h"

#include <algorithm>

#include "tilefoundry/ir/tir/ops.h"
#include "tilefoundry/ir/tir/stmt_visitor.h"
#include "tilefoundry/passes/accesses.h"
#include "tilefoundry/passes/tile_relation.h"

namespace tilefoundry {

bool may_end_call(const StmtRef& stmt) {
  class Finder final : public StmtVisitor {
   public:
    bool found = false;

   protected:
    void visit_Return(const Return&) override { found = true; }
    void visit_Abort(const Abort&) override { found = true; }
    void visit_UserStmt(const UserStmt&) override { found = true; }
    void visit_Evaluate(const Evaluate& stmt) override { found = found || stmt.callee(); }
  } finder;
  finder.visit(stmt);
  return finder.found;
}

namespace {

// Everything that a statement binds and reads.
class NameCollector final : public StmtVisitor {
 public:
  std::unordered_set<const Var*> bound;
  std::unordered_set<const Var*> used;
  bool plain = true;  // bindings, loops and stores only

 protected:
  void generic_visit(const Stmt& stmt) override {
    for_each_stmt_expr(stmt, [&](const ExprRef& expr) { add(expr); });
    queue_children(stmt);
  }
  void visit_LetStmt(const LetStmt& let) override {
    bound.insert(let.var().get());
    generic_visit(let);
  }
  void visit_For(const For& loop) override {
    bound.insert(loop.var().get());
    for (const Dim* dim : {&loop.start(), &loop.stop(), &loop.step()}) add(*dim);
    generic_visit(loop);
  }
  void visit_Evaluate(const Evaluate& evaluate) override {
    plain = plain && evaluate.op<Store>() != nullptr;
    generic_visit(evaluate);
  }
  void visit_While(const While& stmt) override { refuse(stmt); }
  void visit_MeshScope(const MeshScope& stmt) override { refuse(stmt); }
  void visit_Return(const Return& stmt) override { refuse(stmt); }
  void visit_Abort(const Abort& stmt) override { refuse(stmt); }
  void visit_UserStmt(const UserStmt& stmt) override { refuse(stmt); }

 public:
  void add(const ExprRef& root) {
    for (const ExprRef& expr : post_order({root})) {
      if (const auto* var = expr_cast<Var>(expr)) used.insert(var);
      if (const auto* value = expr_cast<DimValue>(expr)) add(value->dim());
    }
  }

 private:
  void refuse(const Stmt& stmt) {
    plain = false;
    generic_visit(stmt);
  }
  void add(const Dim& dim) {
    for_each_dim_atom(dim, [&](const DimNode& node) {
      if (const auto* var = dynamic_cast<const Var*>(node.as_atom())) used.insert(var);
    });
  }
};

bool has_inner_atom(const Dim& dim) {
  bool found = false;
  for_each_dim_atom(dim, [&](const DimNode& node) { found = found || node.as_atom() != nullptr; });
  return found;
}

// Narrows `axes[key]` to an axis on which this access and all earlier ones are addressed.
struct AxisSets {
  std::unordered_map<const Var*, std::vector<int>> sets;
  void meet(const Var* key, std::vector<int> axes) {
    const auto [it, fresh] = sets.emplace(key, axes);
    if (fresh) return;
    std::erase_if(it->second, [&](int axis) {
      return std::find(axes.begin(), axes.end(), axis) == axes.end();
    });
  }
  std::unordered_map<const Var*, int> first() const {
    std::unordered_map<const Var*, int> out;
    for (const auto& [key, axes] : sets) {
      if (!axes.empty()) out.emplace(key, axes.front());
    }
    return out;
  }
};

// Fills in how a dimension addresses the buffers of a leaf; false where its parts depend on each
// other. `addressed(i)` gives the axes on which access i is exactly the dimension.
template <class Access, class Axes>
bool address(LeafDim& dim, const Leaf& leaf, const std::vector<Access>& accesses,
             const ViewAxes& views, const Axes& addressed) {
  AxisSets roots;
  AxisSets buffers;
  for (std::size_t i = 0; i < accesses.size(); ++i) {
    const Var* buffer = accesses[i].buffer;
    if (!leaf.buffers.contains(buffer)) continue;
    const std::vector<int> own = addressed(i);
    std::vector<int> behind;
    for (const int axis : own) {
      const int at = views.root_axis(buffer, axis);
      if (at >= 0) behind.push_back(at);
    }
    buffers.meet(buffer, own);
    roots.meet(views.root(buffer), std::move(behind));
  }
  dim.axes = roots.first();
  dim.buffer_axes = buffers.first();
  for (const auto& [root, written] : leaf.roots) {
    if (written && !dim.axes.contains(root)) return false;
  }
  for (const auto& [buffer, written] : leaf.buffers) {
    if (!written || !dim.buffer_axes.contains(buffer)) continue;
    const auto rank = static_cast<int>(as_tensor(buffer->type())->rank());
    dim.tail = std::min(dim.tail, rank - 1 - dim.buffer_axes.at(buffer));
  }
  return true;
}

void touch(Leaf& leaf, const Var* buffer, bool written, const ViewAxes& views) {
  leaf.buffers[buffer] |= written;
  leaf.roots[views.root(buffer)] |= written;
}

// The loops of a perfect nest, outermost first, that start at 0 and step by 1.
std::vector<const For*> nest_loops(const For& outer) {
  std::vector<const For*> loops;
  const For* loop = &outer;
  while (loop != nullptr && loop->mode() == ForMode::serial && loop->start().is(0) &&
         loop->step().is(1)) {
    loops.push_back(loop);
    const Block body = block_items(loop->body());
    loop = body.size() == 1 ? stmt_cast<For>(body.front().stmt) : nullptr;
  }
  return loops;
}

std::optional<Leaf> nest_leaf(const StmtRef& stmt, const ViewAxes& views) {
  NameCollector names;
  names.visit(stmt);
  if (!names.plain) return std::nullopt;
  Leaf leaf;
  leaf.stmt = stmt;
  const std::vector<BufferAccess> accesses = collect_accesses(stmt);
  for (const BufferAccess& access : accesses) {
    if (names.bound.contains(access.buffer) && !views.is_view(access.buffer)) continue;
    if (access.buffer == nullptr) return std::nullopt;
    // A scalar that is named is read: nests hold no op that could write it.
    const bool scalar = access.whole && as_tensor(access.buffer->type()) != nullptr &&
                        as_tensor(access.buffer->type())->rank() == 0;
    touch(leaf, access.buffer, access.is_store && !scalar, views);
  }
  const auto* outer = stmt_cast<For>(stmt);
  if (outer == nullptr) return leaf;
  for (const For* loop : nest_loops(*outer)) {
    if (has_inner_atom(loop->stop())) continue;
    LeafDim dim;
    dim.extent = loop->stop();
    dim.loop = loop;
    const auto addressed = [&](std::size_t i) {
      std::vector<int> axes;
      for (std::size_t axis = 0; axis < accesses[i].index.size(); ++axis) {
        if (accesses[i].index[axis] == loop->var()->dim()) axes.push_back(static_cast<int>(axis));
      }
      return axes;
    };
    if (address(dim, leaf, accesses, views, addressed)) leaf.dims.push_back(std::move(dim));
  }
  return leaf;
}

bool mentions_iter(const Dim& dim, std::size_t k) {
  bool found = false;
  for_each_dim_atom(
      dim, [&](const DimNode& node) { found = found || iter_index(node) == static_cast<int>(k); });
  return found;
}

std::optional<Leaf> tile_leaf(const Evaluate& evaluate, const ViewAxes& views) {
  const auto* rule =
      evaluate.callable()
          ? tile_relation_registry().find<TileRelationFn>(evaluate.callable()->op_class())
          : nullptr;
  if (rule == nullptr) return std::nullopt;
  const TileRelation tile = (*rule)(evaluate);
  const std::vector<BoundaryAccess>& indices = tile.relation.accesses();
  struct Operand {
    const Var* buffer;
  };
  Leaf leaf;
  leaf.stmt = StmtRef(&evaluate);
  leaf.tile = true;
  leaf.work = dim_product(tile.relation.extents());
  std::vector<Operand> operands;
  for (std::size_t i = 0; i < evaluate.args().size(); ++i) {
    const auto* buffer = expr_cast<Var>(evaluate.args()[i]);
    if (buffer == nullptr || indices[i].opaque || !indices[i].guards.empty()) return std::nullopt;
    operands.push_back({buffer});
    touch(leaf, buffer, tile.written[i], views);
  }
  for (std::size_t k = 0; k < tile.relation.extents().size(); ++k) {
    LeafDim dim;
    dim.extent = tile.relation.extents()[k];
    dim.iter = static_cast<int>(k);
    bool exact = !has_inner_atom(dim.extent);
    bool in_result = false;
    const auto addressed = [&](std::size_t i) {
      std::vector<int> axes;
      for (std::size_t axis = 0; axis < indices[i].index.size(); ++axis) {
        if (as_iter(indices[i].index[axis]) == dim.iter) axes.push_back(static_cast<int>(axis));
      }
      return axes;
    };
    for (std::size_t i = 0; i < operands.size(); ++i) {
      int uses = 0;
      for (const Dim& index : indices[i].index) uses += mentions_iter(index, k) ? 1 : 0;
      exact = exact && uses <= 1 && addressed(i).size() == static_cast<std::size_t>(uses);
      in_result = in_result || (tile.written[i] && uses > 0);
    }
    leaf.reduces = leaf.reduces || !in_result;
    if (exact && address(dim, leaf, operands, views, addressed)) {
      leaf.dims.push_back(std::move(dim));
    }
  }
  return leaf;
}

bool reads_memory(const ExprRef& value) {
  for (const ExprRef& expr : post_order({value})) {
    const auto* call = expr_cast<Call>(expr);
    if (call != nullptr && call->op<Load>() != nullptr) return true;
  }
  return false;
}

// Whether a loop is no nest but a serial loop over several leaves: none of its statements stores.
bool is_container(const For& loop) {
  const Block body = block_items(loop.body());
  std::size_t leaves = 0;
  bool tile = false;
  for (const BlockItem& item : body) {
    if (item.is_let()) continue;
    const auto* evaluate = stmt_cast<Evaluate>(item.stmt);
    if (evaluate != nullptr && evaluate->op<Store>() != nullptr) return false;
    if (evaluate == nullptr && stmt_cast<For>(item.stmt) == nullptr) return false;
    tile = tile || evaluate != nullptr;
    ++leaves;
  }
  return tile || leaves > 1;
}

Dim trip_count(const For& loop) {
  const bool known = !has_inner_atom(loop.start()) && !has_inner_atom(loop.stop()) &&
                     loop.step().is_static() && loop.step().value() > 0;
  return known ? ceildiv(loop.stop() - loop.start(), loop.step()) : Dim(1);
}

// Appends the leaves of a statement; false when something in it cannot be cut. Recurses on the
// nesting of loops only.
bool collect_leaves(const StmtRef& stmt, const Dim& trips, const ViewAxes& views,
                    RegionUnit& unit) {
  std::vector<Leaf>& leaves = unit.leaves;
  if (const auto* evaluate = stmt_cast<Evaluate>(stmt)) {
    std::optional<Leaf> leaf =
        evaluate->op<Store>() != nullptr ? nest_leaf(stmt, views) : tile_leaf(*evaluate, views);
    if (!leaf) return false;
    leaf->trips = trips;
    leaves.push_back(std::move(*leaf));
    return true;
  }
  const auto* loop = stmt_cast<For>(stmt);
  if (loop == nullptr || loop->mode() != ForMode::serial) return false;
  if (!is_container(*loop)) {
    const For* inner = nest_loops(*loop).empty() ? nullptr : nest_loops(*loop).back();
    const bool around = inner != nullptr && inner != loop && is_container(*inner);
    std::optional<Leaf> leaf = around ? std::nullopt : nest_leaf(stmt, views);
    if (leaf) {
      leaf->trips = trips;
      leaves.push_back(std::move(*leaf));
    }
    return leaf.has_value();
  }
  const Dim inside = trips * trip_count(*loop);
  for (const BlockItem& item : block_items(loop->body())) {
    if (item.is_let()) {
      if (reads_memory(item.value)) return false;
      const auto* call = expr_cast<Call>(item.value);
      if (call != nullptr && call->op<AllocTensor>() != nullptr) unit.allocs.push_back(item.var);
    } else if (!collect_leaves(item.stmt, inside, views, unit)) {
      return false;
    }
  }
  return true;
}

std::string label_of(const BlockItem& item, const std::vector<Leaf>& leaves) {
  const auto name = [](const Leaf& leaf) {
    for (const auto& [buffer, written] : leaf.buffers) {
      if (written) return buffer->name();
    }
    return std::string();
  };
  if (item.is_let()) return item.var->name();
  if (leaves.empty()) return "a statement";
  const auto* loop = stmt_cast<For>(item.stmt);
  if (loop != nullptr && is_container(*loop)) return "loop " + loop->var()->name();
  return name(leaves.back());
}

}  // namespace

RegionUnit make_region_unit(const BlockItem& item, const ViewAxes& views) {
  RegionUnit unit;
  unit.item = item;
  NameCollector names;
  std::vector<BufferAccess> accesses;
  if (item.is_let()) {
    names.add(item.value);
    collect_expr_accesses(item.value, {}, accesses);
  } else {
    names.visit(item.stmt);
    accesses = collect_accesses(item.stmt);
    unit.barrier = may_end_call(item.stmt);
    if (!unit.barrier && !collect_leaves(item.stmt, 1, views, unit)) unit.leaves.clear();
    const auto* loop = stmt_cast<For>(item.stmt);
    unit.is_seed = !unit.leaves.empty() && (unit.leaves.size() > 1 || unit.leaves.front().tile ||
                                            (loop != nullptr && is_container(*loop)));
  }
  if (unit.leaves.empty()) {
    for (const BufferAccess& access : accesses) {
      unit.roots[views.root(access.buffer)] |= access.is_store;
    }
  }
  for (const Leaf& leaf : unit.leaves) {
    for (const auto& [root, written] : leaf.roots) unit.roots[root] |= written;
  }
  unit.uses = std::move(names.used);
  unit.label = label_of(item, unit.leaves);
  return unit;
}

}  // namespace tilefoundry
