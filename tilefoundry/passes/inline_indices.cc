#include <algorithm>
#include <unordered_map>
#include <unordered_set>

#include "tilefoundry/ir/tir/block.h"
#include "tilefoundry/ir/tir/ops.h"
#include "tilefoundry/ir/tir/stmt_visitor.h"
#include "tilefoundry/passes/loop_passes.h"
#include "tilefoundry/passes/view_axes.h"

namespace tilefoundry {
namespace {

// Scalar operations of an element that is computed again where it is read.
constexpr int kMostOperations = 8;

// What each element of a buffer is, from its index alone.
struct Definition {
  std::vector<const Var*> vars;  // of the loops, per axis; none where the extent is 1
  ExprRef value;
  const Stmt* nest;
};

// A view's place in its memory: per axis of memory the start, and the axis of the view along it.
struct Window {
  const Var* memory;
  Shape starts;
  std::vector<int> axes;
};

std::optional<Window> window_of(const Call& view, const TensorType& type) {
  const auto* memory = expr_cast<Var>(view.args()[0]);
  const TensorType& from = *as_tensor(memory->type());
  const std::optional<Shape> outer = plain_strides(from);
  const std::optional<Shape> inner = plain_strides(type);
  if (!outer || !inner) return std::nullopt;
  Window window{memory, Shape(from.rank(), Dim(0)), std::vector<int>(from.rank(), -1)};
  if (view.args().size() > 1) window.starts = index_dims(view.args(), 1);
  for (std::size_t axis = 0; axis < type.rank(); ++axis) {
    if (type.shape()[axis].is(1)) continue;
    int found = -1;
    for (std::size_t at = 0; at < from.rank(); ++at) {
      if (from.shape()[at].is(1) || (*outer)[at] != (*inner)[axis]) continue;
      if (found >= 0 || window.axes[at] >= 0) return std::nullopt;
      found = static_cast<int>(at);
    }
    if (found < 0) return std::nullopt;
    window.axes[static_cast<std::size_t>(found)] = static_cast<int>(axis);
  }
  return window;
}

// How the buffers of a function are used.
class UseCollector final : public StmtVisitor {
 public:
  std::unordered_set<const Var*> allocated;
  std::unordered_map<const Var*, int> stores;
  std::unordered_map<const Var*, Window> windows;
  std::unordered_set<const Var*> whole;  // named by something else than loads, stores and views

 protected:
  void generic_visit(const Stmt& stmt) override {
    for_each_stmt_expr(stmt, [&](const ExprRef& expr) { read(expr); });
    queue_children(stmt);
  }
  void visit_LetStmt(const LetStmt& let) override {
    const auto* call = expr_cast<Call>(let.value());
    if (call != nullptr && call->op<AllocTensor>() != nullptr) {
      allocated.insert(let.var().get());
    } else if (call != nullptr && call->op<TensorView>() != nullptr &&
               expr_cast<Var>(call->args()[0]) != nullptr) {
      std::optional<Window> window = window_of(*call, *as_tensor(let.var()->type()));
      if (window) {
        windows.emplace(let.var().get(), std::move(*window));
      } else {
        whole.insert(expr_cast<Var>(call->args()[0]));
      }
    } else {
      read(let.value());
    }
    queue_children(let);
  }
  void visit_Evaluate(const Evaluate& evaluate) override {
    if (evaluate.op<Store>() == nullptr) return generic_visit(evaluate);
    ++stores[expr_cast<Var>(evaluate.args()[0])];
    read(evaluate.args()[1]);
    for (std::size_t i = 2; i < evaluate.args().size(); ++i) read(evaluate.args()[i]);
  }

 private:
  void read(const ExprRef& root) {
    note(root);
    for (const ExprRef& expr : post_order({root})) {
      const auto* call = expr_cast<Call>(expr);
      if (call == nullptr) continue;
      for (std::size_t i = call->op<Load>() != nullptr ? 1 : 0; i < call->args().size(); ++i) {
        note(call->args()[i]);
      }
    }
  }
  void note(const ExprRef& expr) {
    const auto* var = expr_cast<Var>(expr);
    const TensorType* type = var != nullptr ? as_tensor(var->type()) : nullptr;
    if (type != nullptr && type->rank() > 0) whole.insert(var);
  }
};

bool is_cheap(const Call& call) {
  if (call.op<ScalarCast>() != nullptr || call.op<Select>() != nullptr) return true;
  if (const auto* binary = call.op<ScalarBinary>()) {
    return binary->kind != BinaryKind::div && binary->kind != BinaryKind::floor_div &&
           binary->kind != BinaryKind::mod && binary->kind != BinaryKind::pow;
  }
  const auto* unary = call.op<ScalarUnary>();
  return unary != nullptr && unary->kind <= UnaryKind::logical_not;
}

// Whether a value is a short computation on constants and dimensions.
bool is_index_value(const ExprRef& value) {
  int operations = 0;
  for (const ExprRef& expr : post_order({value})) {
    if (const auto* call = expr_cast<Call>(expr)) {
      if (!is_cheap(*call) || ++operations > kMostOperations) return false;
    } else if (expr_cast<DimValue>(expr) == nullptr && expr_cast<Constant>(expr) == nullptr) {
      return false;
    }
  }
  return true;
}

// An expression with variables replaced: scalars by values, loop variables by dimensions.
class Instance final : public ExprMutator {
 public:
  std::unordered_map<const Var*, ExprRef> values;
  std::unordered_map<const Var*, Dim> dims;

 protected:
  ExprRef visit_Var(const Var& var) override {
    const auto value = values.find(&var);
    if (value != values.end()) return value->second;
    const auto dim = dims.find(&var);
    return dim == dims.end() ? ExprRef(&var) : dim_value(dim->second);
  }
  ExprRef visit_DimValue(const DimValue& value) override {
    const Dim dim = substitute(value.dim(), [&](const Ref<const DimNode>& node) {
      const auto* var = node->as_atom() ? dynamic_cast<const Var*>(node->as_atom()) : nullptr;
      const auto it = var != nullptr ? dims.find(var) : dims.end();
      return it == dims.end() ? Dim(node) : it->second;
    });
    return dim == value.dim() ? ExprRef(&value) : dim_value(dim);
  }
};

class Inliner final : public StmtExprMutator {
 public:
  explicit Inliner(const UseCollector& uses) : uses_(uses) {
    for (const Var* var : uses.whole) whole_.insert(root(var));
  }

  bool found() const { return !definitions_.empty(); }

  // Finds the buffers of a block and of the blocks inside, in program order. Recurses on the
  // nesting of loops only.
  void find(const StmtRef& body) {
    for (const BlockItem& item : block_items(body)) {
      if (item.is_let()) continue;
      if (!define(item.stmt)) {
        for_each_child_stmt(*item.stmt, [&](const StmtRef& child) { find(child); });
      }
    }
  }

 protected:
  ExprRef visit_Call(const Call& call) override {
    if (call.op<Load>() != nullptr) {
      if (ExprRef value = value_of(call)) return value;
    }
    return StmtExprMutator::visit_Call(call);
  }

  StmtRef visit_For(const For& stmt) override {
    if (nests_.contains(&stmt)) return nullptr;
    return StmtExprMutator::visit_For(stmt);
  }

  StmtRef rebuild_let(const LetStmt& stmt, ExprRef value, StmtRef body) override {
    if (definitions_.contains(root(stmt.var().get()))) return body;
    const auto* read = expr_cast<Call>(stmt.value());
    if (value == stmt.value() || read == nullptr || read->op<Load>() == nullptr) {
      return StmtExprMutator::rebuild_let(stmt, std::move(value), std::move(body));
    }
    // One name for each operation, as elsewhere.
    Block block;
    for (const ExprRef& expr : post_order({value})) {
      const auto* call = expr_cast<Call>(expr);
      if (call == nullptr || expr == value) continue;
      std::vector<ExprRef> args;
      for (const ExprRef& arg : call->args()) {
        const auto it = bound_.find(arg.get());
        args.push_back(it == bound_.end() ? arg : ExprRef(it->second));
      }
      const VarRef name = Var::make("v", call->type());
      block.push_back(BlockItem::let(name, Call::make(call->target(), args, call->type())));
      bound_.emplace(call, name);
      kept_.push_back(expr);
    }
    if (const auto* call = expr_cast<Call>(value)) {
      std::vector<ExprRef> args;
      for (const ExprRef& arg : call->args()) {
        const auto it = bound_.find(arg.get());
        args.push_back(it == bound_.end() ? arg : ExprRef(it->second));
      }
      value = Call::make(call->target(), args, call->type());
    }
    bound_.clear();
    block.push_back(BlockItem::let(stmt.var(), std::move(value), stmt.meta()));
    block.push_back(BlockItem::of(std::move(body)));
    return make_block(block);
  }

 private:
  const Var* root(const Var* buffer) const {
    for (auto it = uses_.windows.find(buffer); it != uses_.windows.end();
         it = uses_.windows.find(buffer)) {
      buffer = it->second.memory;
    }
    return buffer;
  }

  // The value that a load reads, or null.
  ExprRef value_of(const Call& read) const {
    const auto* buffer = expr_cast<Var>(read.args()[0]);
    const auto definition = definitions_.find(root(buffer));
    if (definition == definitions_.end()) return nullptr;
    Shape index = index_dims(read.args(), 1);
    for (auto it = uses_.windows.find(buffer); it != uses_.windows.end();
         it = uses_.windows.find(buffer)) {
      Shape outer = it->second.starts;
      for (std::size_t axis = 0; axis < outer.size(); ++axis) {
        const int at = it->second.axes[axis];
        if (at >= 0) outer[axis] = outer[axis] + index[static_cast<std::size_t>(at)];
      }
      index = std::move(outer);
      buffer = it->second.memory;
    }
    Instance instance;
    for (std::size_t axis = 0; axis < index.size(); ++axis) {
      const Var* var = definition->second.vars[axis];
      if (var != nullptr) instance.dims.emplace(var, index[axis]);
    }
    return instance.visit(definition->second.value);
  }

  // Whether a statement is a nest that defines a buffer from its indices alone.
  bool define(const StmtRef& stmt) {
    std::vector<const For*> loops;
    StmtRef inner = stmt;
    for (const auto* loop = stmt_cast<For>(inner); loop != nullptr; loop = stmt_cast<For>(inner)) {
      if (!loop->start().is(0) || !loop->step().is(1)) return false;
      loops.push_back(loop);
      inner = loop->body();
      const Block body = block_items(inner);
      if (body.size() == 1 && !body.front().is_let()) inner = body.front().stmt;
    }
    const Block body = block_items(inner);
    if (loops.empty() || body.empty() || body.back().is_let()) return false;
    const auto* write = stmt_cast<Evaluate>(body.back().stmt);
    if (write == nullptr || write->op<Store>() == nullptr) return false;
    const auto* buffer = expr_cast<Var>(write->args()[0]);
    const auto stores = uses_.stores.find(buffer);
    if (!uses_.allocated.contains(buffer) || whole_.contains(buffer) || stores->second != 1) {
      return false;
    }
    Definition definition{{}, nullptr, stmt.get()};
    if (!axis_vars(loops, *as_tensor(buffer->type()), index_dims(write->args(), 2),
                   definition.vars)) {
      return false;
    }
    Instance closed;
    for (std::size_t i = 0; i + 1 < body.size(); ++i) {
      if (!body[i].is_let()) return false;
      closed.values.emplace(body[i].var.get(), closed_value(closed, body[i].value));
    }
    definition.value = closed_value(closed, write->args()[1]);
    if (!is_index_value(definition.value)) return false;
    nests_.insert(stmt.get());
    definitions_.emplace(buffer, std::move(definition));
    return true;
  }

  ExprRef closed_value(Instance& closed, const ExprRef& value) const {
    const auto* read = expr_cast<Call>(value);
    if (read != nullptr && read->op<Load>() != nullptr) {
      ExprRef known = value_of(*read);
      return known ? known : value;
    }
    return closed.visit(value);
  }

  // The loop variable of each axis, when each element is written once.
  static bool axis_vars(const std::vector<const For*>& loops, const TensorType& type,
                        const Shape& written, std::vector<const Var*>& vars) {
    std::size_t used = 0;
    for (std::size_t axis = 0; axis < type.rank(); ++axis) {
      if (type.shape()[axis].is(1) && written[axis].is(0)) {
        vars.push_back(nullptr);
        continue;
      }
      const auto it = std::find_if(loops.begin(), loops.end(), [&](const For* loop) {
        return written[axis] == loop->var()->dim() && loop->stop() == type.shape()[axis];
      });
      if (it == loops.end()) return false;
      vars.push_back((*it)->var().get());
      ++used;
    }
    return used == loops.size();
  }

  const UseCollector& uses_;
  std::unordered_set<const Var*> whole_;
  std::unordered_map<const Var*, Definition> definitions_;
  std::unordered_set<const Stmt*> nests_;
  std::unordered_map<const Expr*, VarRef> bound_;
  std::vector<ExprRef> kept_;  // keeps the keys of `bound_` alive
};

}  // namespace

StmtRef inline_indices(const PrimFunction& function) {
  UseCollector uses;
  uses.visit(function.body());
  Inliner inliner(uses);
  inliner.find(function.body());
  return inliner.found() ? inliner.mutate(function.body()) : function.body();
}

}  // namespace tilefoundry
