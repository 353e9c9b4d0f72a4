#include "tilefoundry/passes/region_rewrite.h"

#include "tilefoundry/ir/tir/ops.h"
#include "tilefoundry/ir/tir/stmt_visitor.h"
#include "tilefoundry/registry/typeinfer.h"

namespace tilefoundry {
namespace {

// One dimension that is cut: trip `at` of its block loop works on [at, at + size).
struct Cut {
  VarRef var;
  Dim at;
  Dim size;            // of this block
  std::int64_t block;  // the largest
};

// How an allocation shrinks to one block.
struct Shrunk {
  VarRef buffer;
  std::vector<std::pair<std::size_t, const Cut*>> axes;
};

// What happens to a loop of a nest or an operand of a tile op: the cut of each.
struct LeafCut {
  const Cut* cut;
  const LeafDim* dim;
};

class BlockRewriter final : public StmtExprMutator {
 public:
  std::unordered_map<const For*, const Cut*> loops;
  std::unordered_map<const Stmt*, std::vector<LeafCut>> tiles;
  std::unordered_map<const Var*, Shrunk> shrunk;

 protected:
  ExprRef visit_Var(const Var& var) override {
    if (const auto it = shrunk.find(&var); it != shrunk.end()) return it->second.buffer;
    const auto it = dims_.find(&var);
    return it == dims_.end() ? ExprRef(&var) : dim_value(it->second);
  }

  ExprRef visit_DimValue(const DimValue& value) override {
    Dim dim = replaced(value.dim());
    return dim == value.dim() ? ExprRef(&value) : ExprRef(DimValue::make(dim, value.meta()));
  }

  ExprRef visit_Call(const Call& call) override {
    const Shrunk* smaller = call.op<Load>() != nullptr ? find(call.args()[0]) : nullptr;
    if (smaller == nullptr) return StmtExprMutator::visit_Call(call);
    return load(smaller->buffer, local_index(*smaller, index_dims(call.args(), 1)));
  }

  StmtRef rebuild_let(const LetStmt& stmt, ExprRef value, StmtRef body) override {
    const auto it = shrunk.find(stmt.var().get());
    if (it == shrunk.end()) return StmtExprMutator::rebuild_let(stmt, std::move(value), body);
    const VarRef& buffer = it->second.buffer;
    return LetStmt::make(buffer, alloc_tensor(static_ref_cast<TensorType>(buffer->type())),
                         std::move(body), stmt.meta());
  }

  StmtRef visit_Evaluate(const Evaluate& stmt) override {
    if (stmt.op<Store>() != nullptr) {
      const Shrunk* smaller = find(stmt.args()[0]);
      if (smaller == nullptr) return StmtExprMutator::visit_Evaluate(stmt);
      return store(smaller->buffer, ExprMutator::visit(stmt.args()[1]),
                   local_index(*smaller, index_dims(stmt.args(), 2)));
    }
    const auto it = tiles.find(&stmt);
    return it == tiles.end() ? StmtExprMutator::visit_Evaluate(stmt) : windows(stmt, it->second);
  }

  StmtRef visit_For(const For& stmt) override {
    const auto it = loops.find(&stmt);
    if (it == loops.end()) {
      const Dim start = replaced(stmt.start());
      const Dim stop = replaced(stmt.stop());
      StmtRef body = mutate(stmt.body());
      return For::make(stmt.var(), start, stop, stmt.step(), std::move(body), stmt.mode(),
                       stmt.meta());
    }
    const Cut& cut = *it->second;
    if (cut.size.is(1)) {
      dims_[stmt.var().get()] = cut.at;
      return mutate(stmt.body());
    }
    const VarRef inner = loop_var(stmt.var()->name());
    dims_[stmt.var().get()] = cut.at + inner->dim();
    return For::make(inner, 0, cut.size, 1, mutate(stmt.body()), stmt.mode(), stmt.meta());
  }

 private:
  const Shrunk* find(const ExprRef& buffer) const {
    const auto it = shrunk.find(expr_cast<Var>(buffer));
    return it == shrunk.end() ? nullptr : &it->second;
  }

  Dim replaced(const Dim& dim) const {
    if (dim.is_static()) return dim;
    return substitute(dim, [&](const Ref<const DimNode>& node) {
      const auto* var = node->as_atom() ? dynamic_cast<const Var*>(node->as_atom()) : nullptr;
      const auto it = var != nullptr ? dims_.find(var) : dims_.end();
      return it == dims_.end() ? Dim(node) : it->second;
    });
  }

  Shape local_index(const Shrunk& smaller, const Shape& index) const {
    Shape out;
    for (const Dim& dim : index) out.push_back(replaced(dim));
    for (const auto& [axis, cut] : smaller.axes) out[axis] = out[axis] - cut->at;
    return out;
  }

  // A tile op on the windows of its operands that one block covers.
  StmtRef windows(const Evaluate& stmt, const std::vector<LeafCut>& cuts) {
    Block block;
    std::vector<ExprRef> args;
    for (const ExprRef& arg : stmt.args()) {
      const auto* old = expr_cast<Var>(arg);
      const Shrunk* smaller = find(arg);
      const VarRef memory = smaller != nullptr ? smaller->buffer : VarRef(old);
      Shape shape = as_tensor(memory->type())->shape();
      Shape starts(shape.size(), Dim(0));
      for (const LeafCut& at : cuts) {
        const auto axis = at.dim->buffer_axes.find(old);
        if (axis == at.dim->buffer_axes.end()) continue;
        const auto i = static_cast<std::size_t>(axis->second);
        shape[i] = at.cut->size;
        if (smaller == nullptr) starts[i] = at.cut->at;
      }
      if (shape == as_tensor(memory->type())->shape()) {
        args.push_back(memory);
        continue;
      }
      std::vector<ExprRef> operands{memory};
      for (const Dim& start : starts) operands.push_back(dim_value(start));
      TensorView view;
      view.shape = shape;
      TypeInferContext types;
      const CallRef window = make_call(types, make_op(std::move(view)), std::move(operands));
      const VarRef name = Var::make(old->name(), window->type());
      block.push_back(BlockItem::let(name, window));
      args.push_back(name);
    }
    block.push_back(BlockItem::of(Evaluate::make(stmt.callable(), std::move(args), stmt.meta())));
    return make_block(block);
  }

  std::unordered_map<const Var*, Dim> dims_;
};

Shrunk shrink(const VarRef& buffer, const RegionGroup& group,
              const std::vector<std::pair<const GroupDim*, const Cut*>>& cuts) {
  (void)group;
  const TensorType& type = *as_tensor(buffer->type());
  Shrunk out;
  Shape shape = type.shape();
  for (const auto& [dim, cut] : cuts) {
    const auto axis = dim->axes.find(buffer.get());
    if (axis == dim->axes.end()) continue;
    const auto i = static_cast<std::size_t>(axis->second);
    shape[i] = Dim(cut->block);
    out.axes.emplace_back(i, cut);
  }
  out.buffer =
      Var::make(buffer->name(), TensorType::make(shape, type.dtype(), nullptr, type.storage()));
  return out;
}

}  // namespace

StmtRef rewrite_region(const RegionGroup& group, const std::vector<const RegionUnit*>& units,
                       const std::vector<VarRef>& temporaries,
                       const std::vector<std::string>& names, const ViewAxes& views) {
  std::vector<Cut> cuts;
  std::vector<std::pair<const GroupDim*, const Cut*>> of_dims;
  cuts.reserve(group.dims.size());
  for (std::size_t d = 0; d < group.dims.size(); ++d) {
    const GroupDim& dim = group.dims[d];
    if (dim.block == 0) continue;
    const VarRef var = loop_var(names[d]);
    const bool even = dim.extent.is_static() && dim.extent.value() % dim.block == 0;
    const Dim at = var->dim();
    const Dim size =
        even || dim.block == 1 ? Dim(dim.block) : dim_min(Dim(dim.block), dim.extent - at);
    cuts.push_back({var, at, size, dim.block});
    of_dims.emplace_back(&dim, &cuts.back());
  }

  BlockRewriter rewriter;
  for (std::size_t i = 0; i < group.leaves.size(); ++i) {
    const Leaf& leaf = *group.leaves[i];
    for (const auto& [dim, cut] : of_dims) {
      const LeafDim& at = leaf.dims[dim->leaf_dims[i]];
      if (leaf.tile) {
        rewriter.tiles[leaf.stmt.get()].push_back({cut, &at});
      } else {
        rewriter.loops.emplace(at.loop, cut);
      }
    }
  }
  std::vector<VarRef> inner;
  for (const RegionUnit* unit : units) {
    inner.insert(inner.end(), unit->allocs.begin(), unit->allocs.end());
  }
  Block block;
  for (const auto* buffers :
       std::initializer_list<const std::vector<VarRef>*>{&temporaries, &inner}) {
    for (const VarRef& buffer : *buffers) {
      if (views.has_views(buffer.get()) || as_tensor(buffer->type())->layout()) continue;
      Shrunk smaller = shrink(buffer, group, of_dims);
      if (smaller.axes.empty()) continue;
      if (buffers == &temporaries) {
        ExprRef value = alloc_tensor(static_ref_cast<TensorType>(smaller.buffer->type()));
        block.push_back(BlockItem::let(smaller.buffer, std::move(value)));
      }
      rewriter.shrunk.emplace(buffer.get(), std::move(smaller));
    }
  }
  for (const RegionUnit* unit : units) {
    block.push_back(BlockItem::of(rewriter.mutate(unit->item.stmt)));
  }
  StmtRef stmt = make_block(block);
  for (std::size_t d = group.dims.size(), c = cuts.size(); d-- > 0;) {
    if (group.dims[d].block == 0) continue;
    const Cut& cut = cuts[--c];
    stmt = For::make(cut.var, 0, group.dims[d].extent, Dim(cut.block), std::move(stmt),
                     ForMode::parallel);
  }
  return stmt;
}

}  // namespace tilefoundry
