#include "tilefoundry/inspect/nest_cost.h"

#include <algorithm>
#include <optional>
#include <unordered_map>
#include <unordered_set>

#include <fmt/format.h>

#include "tilefoundry/ir/op_class.h"
#include "tilefoundry/ir/tir/block.h"
#include "tilefoundry/ir/tir/ops.h"
#include "tilefoundry/ops/matmul.h"

namespace tilefoundry {

double NestCost::all_flops() const {
  double total = 0;
  for (const auto& [dtype, count] : flops) total += count;
  return total;
}

namespace {

// Trips of one loop that are counted one by one, when what is inside differs from trip to trip.
constexpr std::int64_t kMostTrips = 1 << 14;

using Extent = std::optional<std::int64_t>;

const Var* atom_var(const DimNode& node) {
  return node.as_atom() != nullptr ? dynamic_cast<const Var*>(node.as_atom()) : nullptr;
}

// Values of loop variables in front of the program's dimensions.
class Values {
 public:
  explicit Values(DimSubstitution extents) : extents_(std::move(extents)) {}

  void set(const Var& var, std::int64_t value) { known_[&var] = value; }
  void forget(const Var& var) { known_.erase(&var); }

  Extent value(const Dim& dim) const {
    const Dim bound = substitute(dim, [this](const Ref<const DimNode>& node) -> Dim {
      const Var* var = atom_var(*node);
      const auto it = var != nullptr ? known_.find(var) : known_.end();
      if (it != known_.end()) return it->second;
      return var != nullptr ? Dim(node) : extents_(node);
    });
    if (bound.is_static()) return bound.value();
    return dim_bounds(bound).hi;
  }
  Extent value(const ExprRef& expr) const;

 private:
  DimSubstitution extents_;
  std::unordered_map<const Var*, std::int64_t> known_;
};

Extent compare(BinaryKind kind, std::int64_t a, std::int64_t b) {
  switch (kind) {
    case BinaryKind::cmp_eq: return a == b;
    case BinaryKind::cmp_ne: return a != b;
    case BinaryKind::cmp_lt: return a < b;
    case BinaryKind::cmp_le: return a <= b;
    case BinaryKind::cmp_gt: return a > b;
    case BinaryKind::cmp_ge: return a >= b;
    case BinaryKind::logical_and: return a != 0 && b != 0;
    case BinaryKind::logical_or: return a != 0 || b != 0;
    default: return std::nullopt;
  }
}

// Recurses on the few levels of a condition.
Extent Values::value(const ExprRef& expr) const {
  if (const auto* dim = expr_cast<DimValue>(expr)) {
    const Dim bound = substitute(dim->dim(), [this](const Ref<const DimNode>& node) -> Dim {
      const Var* var = atom_var(*node);
      const auto it = var != nullptr ? known_.find(var) : known_.end();
      if (it != known_.end()) return it->second;
      return var != nullptr ? Dim(node) : extents_(node);
    });
    return bound.is_static() ? Extent(bound.value()) : std::nullopt;
  }
  if (const auto* var = expr_cast<Var>(expr)) {
    const auto it = known_.find(var);
    return it != known_.end() ? Extent(it->second) : std::nullopt;
  }
  if (const auto* constant = expr_cast<Constant>(expr)) {
    const TensorType* type = as_tensor(constant->type());
    const bool scalar = type != nullptr && type->rank() == 0 && type->dtype().is_integer();
    return scalar ? Extent(constant->int_at(0)) : std::nullopt;
  }
  const auto* call = expr_cast<Call>(expr);
  const auto* binary = call != nullptr ? call->op<ScalarBinary>() : nullptr;
  if (binary == nullptr) return std::nullopt;
  const Extent a = value(call->args()[0]);
  const Extent b = value(call->args()[1]);
  return a && b ? compare(binary->kind, *a, *b) : std::nullopt;
}

bool is_float(const TypeRef& type) {
  const TensorType* tensor = as_tensor(type);
  return tensor != nullptr && !tensor->dtype().is_integer() && tensor->dtype() != DType::boolean;
}

// Whether loop bounds or conditions below a statement look at a variable.
bool decides(const StmtRef& root, const Var& var) {
  std::vector<StmtRef> pending{root};
  bool found = false;
  const auto look = [&](const Dim& dim) {
    for_each_dim_atom(dim, [&](const DimNode& node) { found = found || atom_var(node) == &var; });
  };
  while (!pending.empty() && !found) {
    const StmtRef stmt = std::move(pending.back());
    pending.pop_back();
    for (const BlockItem& item : block_items(stmt)) {
      if (item.is_let()) continue;
      if (const auto* loop = stmt_cast<For>(item.stmt)) {
        for (const Dim& dim : {loop->start(), loop->stop(), loop->step()}) look(dim);
      }
      if (const auto* branch = stmt_cast<If>(item.stmt)) {
        for (const ExprRef& expr : post_order({branch->cond()})) {
          if (expr.get() == &var) found = true;
          if (const auto* dim = expr_cast<DimValue>(expr)) look(dim->dim());
        }
      }
      for_each_child_stmt(*item.stmt, [&](const StmtRef& child) { pending.push_back(child); });
    }
  }
  return found;
}

using Flops = std::map<DType, double>;

void add(Flops& to, const Flops& from, double times) {
  for (const auto& [dtype, count] : from) to[dtype] += count * times;
}

class FlopCounter {
 public:
  explicit FlopCounter(const DimSubstitution& extents) : values_(extents) {}

  // Recurses on the nesting of loops and branches only.
  Flops count(const StmtRef& stmt) {
    Flops total;
    for (const BlockItem& item : block_items(stmt)) {
      if (item.is_let()) {
        add_expr(item.value, total);
        continue;
      }
      add_stmt(*item.stmt, total);
    }
    return total;
  }

 private:
  static void add_expr(const ExprRef& root, Flops& total) {
    for (const ExprRef& expr : post_order({root})) {
      const auto* call = expr_cast<Call>(expr);
      if (call == nullptr || call->args().empty()) continue;
      const bool arithmetic =
          call->op<ScalarUnary>() != nullptr ||
          (call->op<ScalarBinary>() != nullptr && !is_predicate(call->op<ScalarBinary>()->kind));
      if (arithmetic && is_float(call->args()[0]->type())) {
        total[as_tensor(call->args()[0]->type())->dtype()] += 1;
      }
    }
  }

  void add_stmt(const Stmt& stmt, Flops& total) {
    if (const auto* evaluate = stmt_cast<Evaluate>(stmt)) {
      add_evaluate(*evaluate, total);
    } else if (const auto* loop = stmt_cast<For>(stmt)) {
      add_loop(*loop, total);
    } else if (const auto* branch = stmt_cast<If>(stmt)) {
      add_branch(*branch, total);
    } else {
      for_each_child_stmt(stmt, [&](const StmtRef& child) { add(total, count(child), 1); });
    }
  }

  void add_evaluate(const Evaluate& evaluate, Flops& total) {
    if (evaluate.op<Store>() != nullptr) return add_expr(evaluate.args()[1], total);
    if (evaluate.op<TileMatMul>() == nullptr) return;
    const TensorType& lhs = *as_tensor(evaluate.args()[0]->type());
    double product = 2 * static_cast<double>(values_.value(lhs.shape().back()).value_or(1));
    for (const Dim& extent : as_tensor(evaluate.args()[2]->type())->shape()) {
      product *= static_cast<double>(values_.value(extent).value_or(1));
    }
    total[lhs.dtype()] += product;
  }

  void add_loop(const For& loop, Flops& total) {
    const std::int64_t start = values_.value(loop.start()).value_or(0);
    const std::int64_t stop = values_.value(loop.stop()).value_or(start + 1);
    const std::int64_t step = values_.value(loop.step()).value_or(1);
    if (step == 0) return;
    const std::int64_t trips =
        step > 0 ? (stop - start + step - 1) / step : (start - stop - step - 1) / -step;
    if (trips <= 0) return;
    const bool alike = !decides(loop.body(), *loop.var());
    const std::int64_t counted = alike ? 1 : std::min(trips, kMostTrips);
    Flops inside;
    for (std::int64_t i = 0; i < counted; ++i) {
      values_.set(*loop.var(), start + (i * trips / counted) * step);
      add(inside, count(loop.body()), 1);
    }
    values_.forget(*loop.var());
    add(total, inside, static_cast<double>(trips) / static_cast<double>(counted));
  }

  void add_branch(const If& branch, Flops& total) {
    const Extent decided = values_.value(branch.cond());
    Flops then = !decided || *decided != 0 ? count(branch.then_body()) : Flops{};
    const bool other = branch.else_body() && (!decided || *decided == 0);
    const Flops otherwise = other ? count(branch.else_body()) : Flops{};
    for (const auto& [dtype, number] : otherwise) then[dtype] = std::max(then[dtype], number);
    add(total, then, 1);
  }

  Values values_;
};

// The elements of a buffer from the first to the last that is touched, per axis.
struct Box {
  std::vector<std::int64_t> first;
  std::vector<std::int64_t> last;
};

class FootprintCounter {
 public:
  explicit FootprintCounter(DimSubstitution extents) : extents_(std::move(extents)) {}

  void walk(const StmtRef& stmt) {
    for (const BlockItem& item : block_items(stmt)) {
      if (item.is_let()) {
        bind(*item.var, item.value);
      } else {
        walk_stmt(*item.stmt);
      }
    }
  }

  void finish(NestCost& cost) const {
    for (const auto& [var, box] : read_) cost.bytes_read += bytes(*var, box);
    for (const auto& [var, box] : written_) cost.bytes_written += bytes(*var, box);
    for (const Var* var : order_) cost.written.push_back(var->name());
  }

 private:
  struct View {
    const Var* root;
    Shape starts;  // empty: rank changed, the whole root counts
    Shape shape;
  };
  using Boxes = std::unordered_map<const Var*, Box>;

  void walk_stmt(const Stmt& stmt) {
    if (const auto* evaluate = stmt_cast<Evaluate>(stmt)) return walk_evaluate(*evaluate);
    for_each_stmt_expr(stmt, [&](const ExprRef& expr) { read_expr(expr); });
    if (const auto* loop = stmt_cast<For>(stmt)) {
      // The first value and the trips that may follow.
      const Dim start = ranged(loop->start());
      const Dim step = ranged(loop->step());
      const std::int64_t width =
          std::max<std::int64_t>(std::abs(dim_bounds(step).lo.value_or(1)), 1);
      const DimBounds distance = dim_bounds(ranged(loop->stop()) - start);
      const std::int64_t longest =
          std::max(std::abs(distance.lo.value_or(0)), std::abs(distance.hi.value_or(1)));
      const Dim trip = dim_var(fmt::format("trip{}", loops_.size()), 0,
                               std::max<std::int64_t>((longest + width - 1) / width, 1));
      loops_.insert_or_assign(loop->var().get(), start + trip * step);
    }
    for_each_child_stmt(stmt, [&](const StmtRef& child) { walk(child); });
  }

  void bind(const Var& var, const ExprRef& value) {
    const auto* call = expr_cast<Call>(value);
    if (call != nullptr && call->op<AllocTensor>() != nullptr) {
      local_.insert(&var);
      return;
    }
    if (call != nullptr && (call->op<TensorView>() != nullptr || call->op<PtrOf>() != nullptr ||
                            call->op<MemorySpan>() != nullptr)) {
      if (const auto view = view_of(value)) views_.insert_or_assign(&var, *view);
      return;
    }
    read_expr(value);
  }

  // A buffer expression, down to the allocation or parameter that it looks into.
  std::optional<View> view_of(const ExprRef& expr) const {
    if (const auto* var = expr_cast<Var>(expr)) {
      const auto it = views_.find(var);
      if (it != views_.end()) return it->second;
      const TensorType* type = as_tensor(var->type());
      if (type == nullptr) return std::nullopt;
      return View{var, Shape(type->rank(), Dim(0)), type->shape()};
    }
    const auto* call = expr_cast<Call>(expr);
    if (call == nullptr || call->args().empty()) return std::nullopt;
    std::optional<View> view = view_of(call->args()[0]);
    const TensorType* type = as_tensor(expr->type());
    if (!view || type == nullptr) return std::nullopt;
    const Shape starts = call->op<TensorView>() != nullptr ? index_dims(call->args(), 1) : Shape{};
    const bool relaid = call->op<TensorView>() != nullptr && call->op<TensorView>()->layout;
    if (relaid || type->rank() != view->starts.size() ||
        (!starts.empty() && starts.size() != view->starts.size())) {
      view->starts.clear();
      return view;
    }
    for (std::size_t i = 0; i < starts.size(); ++i) view->starts[i] = view->starts[i] + starts[i];
    view->shape = type->shape();
    return view;
  }

  void walk_evaluate(const Evaluate& evaluate) {
    if (evaluate.op<Store>() != nullptr) {
      read_expr(evaluate.args()[1]);
      touch(evaluate.args()[0], index_dims(evaluate.args(), 2), true);
      return;
    }
    if (!evaluate.callable()) {
      for (const ExprRef& arg : evaluate.args()) {
        touch(arg, std::nullopt, false);
        touch(arg, std::nullopt, true);
      }
      return;
    }
    const OpClass& cls = evaluate.callable()->op_class();
    for (std::size_t i = 0; i < evaluate.args().size(); ++i) {
      const std::string name = cls.input_name(i);
      const bool writes = name == "dst" || name == "tensor" || name == "acc" || name == "workspace";
      touch(evaluate.args()[i], std::nullopt, writes);
    }
  }

  void read_expr(const ExprRef& root) {
    for (const ExprRef& expr : post_order({root})) {
      const auto* call = expr_cast<Call>(expr);
      if (call == nullptr || call->op<Load>() == nullptr) continue;
      touch(call->args()[0], index_dims(call->args(), 1), false);
    }
  }

  void touch(const ExprRef& buffer, const std::optional<Shape>& index, bool writes) {
    const std::optional<View> view = view_of(buffer);
    if (!view || local_.contains(view->root)) return;
    const Shape& whole = as_tensor(view->root->type())->shape();
    Box box;
    for (std::size_t axis = 0; axis < whole.size(); ++axis) {
      const std::int64_t most = dim_bounds(ranged(whole[axis])).hi.value_or(1) - 1;
      std::int64_t first = 0;
      std::int64_t last = most;
      if (axis < view->starts.size()) {
        const bool one = index && axis < index->size();
        const Dim at = view->starts[axis] + (one ? (*index)[axis] : Dim(0));
        const DimBounds bounds = dim_bounds(ranged(at));
        const DimBounds width = dim_bounds(ranged(view->shape[axis]));
        first = std::clamp<std::int64_t>(bounds.lo.value_or(0), 0, std::max<std::int64_t>(most, 0));
        last = bounds.hi.value_or(most) + (one ? 0 : width.hi.value_or(1) - 1);
        last = std::min(last, most);
      }
      box.first.push_back(first);
      box.last.push_back(last);
    }
    merge(*view->root, std::move(box), writes);
  }

  void merge(const Var& root, Box box, bool writes) {
    if (writes && !written_.contains(&root)) order_.push_back(&root);
    auto [it, fresh] = (writes ? written_ : read_).emplace(&root, box);
    for (std::size_t i = 0; !fresh && i < box.first.size(); ++i) {
      it->second.first[i] = std::min(it->second.first[i], box.first[i]);
      it->second.last[i] = std::max(it->second.last[i], box.last[i]);
    }
  }

  static double bytes(const Var& var, const Box& box) {
    double total = as_tensor(var.type())->dtype().bits() / 8.0;
    for (std::size_t i = 0; i < box.first.size(); ++i) {
      total *= static_cast<double>(std::max<std::int64_t>(box.last[i] - box.first[i] + 1, 0));
    }
    return total;
  }

  // Loop variables as dimensions of their ranges, dimensions as extents.
  Dim ranged(const Dim& dim) const {
    return substitute(dim, [this](const Ref<const DimNode>& node) -> Dim {
      const Var* var = atom_var(*node);
      const auto it = var != nullptr ? loops_.find(var) : loops_.end();
      if (it != loops_.end()) return it->second;
      return var != nullptr ? Dim(node) : extents_(node);
    });
  }

  DimSubstitution extents_;
  std::unordered_map<const Var*, Dim> loops_;
  std::unordered_map<const Var*, View> views_;
  std::unordered_set<const Var*> local_;
  Boxes read_;
  Boxes written_;
  std::vector<const Var*> order_;
};

}  // namespace

NestCost nest_cost(const StmtRef& stmt, const DimSubstitution& extents) {
  NestCost cost;
  cost.flops = FlopCounter(extents).count(stmt);
  FootprintCounter footprint(extents);
  footprint.walk(stmt);
  footprint.finish(cost);
  return cost;
}

}  // namespace tilefoundry
