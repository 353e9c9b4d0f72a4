#include "tilefoundry/ir/structural.h"

#include <algorithm>
#include <unordered_set>
#include <utility>
#include <vector>

#include <fmt/format.h>

#include "tilefoundry/ir/hir/grid_region.h"
#include "tilefoundry/ir/structural_values.h"
#include "tilefoundry/ir/tir/block.h"
#include "tilefoundry/support/hash.h"
#include "tilefoundry/support/text.h"

namespace tilefoundry {
namespace {

// The way to a node: steps, each with the one before it. Words are made when a difference is found.
struct Step {
  int parent;                  // -1 at the root
  const Expr* user = nullptr;  // this step is its operand `index`, or
  int index = 0;
  std::string label;  // a named step
};

template <class T>
struct PairHash {
  std::size_t operator()(const std::pair<const T*, const T*>& pair) const noexcept {
    return hash_values(pair.first, pair.second);
  }
};
template <class T>
using PairSet = std::unordered_set<std::pair<const T*, const T*>, PairHash<T>>;

std::string target_name(const Callable& target) {
  if (target.node_class().node_kind() != NodeClassKind::op) return callable_name(target);
  const Op& op = static_cast<const Op&>(target);
  const OpAlias* alias = matching_alias(op);
  return alias != nullptr ? alias->name : op.op_class().dsl_name();
}

std::string step_text(const Step& step) {
  if (step.user == nullptr) return step.label;
  const auto* call = expr_cast<Call>(*step.user);
  const std::string user =
      call != nullptr ? target_name(*call->target()) : std::string(step.user->class_name());
  return fmt::format("{}.{}[{}]", user, call != nullptr ? "args" : "elements", step.index);
}

// Finds the first difference; everything that takes part in one comparison of two programs.
class Comparison {
 public:
  std::optional<Difference> exprs(const ExprRef& a, const ExprRef& b) {
    compare_exprs(a, b, -1);
    return finish();
  }
  std::optional<Difference> stmts(const StmtRef& a, const StmtRef& b) {
    compare_blocks(a, b, -1);
    return finish();
  }
  std::optional<Difference> functions(const FunctionRef& a, const FunctionRef& b) {
    queue_functions(*a, *b, named(-1, "function " + a->name()));
    return finish();
  }
  std::optional<Difference> prim_functions(const PrimFunctionRef& a, const PrimFunctionRef& b) {
    compare_prim_functions(*a, *b, named(-1, "function " + a->name()));
    return finish();
  }
  std::optional<Difference> modules(const ModuleRef& a, const ModuleRef& b) {
    compare_modules(*a, *b, -1);
    return finish();
  }

 private:
  struct FunctionTask {
    const Function* a;
    const Function* b;
    int place;
  };

  // Callees are compared after the bodies that call them, each pair once.
  std::optional<Difference> finish() {
    for (std::size_t i = 0; i < tasks_.size() && !difference_; ++i) {
      const FunctionTask task = tasks_[i];
      compare_functions(*task.a, *task.b, task.place);
    }
    return std::move(difference_);
  }

  int named(int parent, std::string label) {
    steps_.push_back({parent, nullptr, 0, std::move(label)});
    return static_cast<int>(steps_.size()) - 1;
  }

  // Records the first difference; false for the caller to return.
  bool differ(int place, const std::string& what, const std::string& message) {
    if (difference_) return false;
    std::vector<std::string> parts;
    if (!what.empty()) parts.push_back(what);
    for (int at = place; at >= 0; at = steps_[static_cast<std::size_t>(at)].parent) {
      parts.push_back(step_text(steps_[static_cast<std::size_t>(at)]));
    }
    std::reverse(parts.begin(), parts.end());
    constexpr std::size_t kHead = 4;
    constexpr std::size_t kTail = 6;
    if (parts.size() > kHead + kTail + 1) {
      const std::size_t left_out = parts.size() - kHead - kTail;
      parts[kHead] = fmt::format("({} steps)", left_out);
      parts.erase(parts.begin() + kHead + 1,
                  parts.begin() + static_cast<std::ptrdiff_t>(kHead + left_out));
    }
    difference_ = Difference{join(parts, " / "), message};
    return false;
  }

  bool differ_type(int place, const TypeRef& a, const TypeRef& b) {
    const Difference inner = type_difference(a, b);
    return differ(place, inner.path, inner.message);
  }

  bool same_count(int place, const std::string& noun, std::size_t a, std::size_t b) {
    return a == b || differ(place, "", versus(counted(a, noun), counted(b, noun)));
  }

  bool same_text(int place, const std::string& what, const std::string& a, const std::string& b) {
    return a == b || differ(place, what, versus(a.empty() ? "none" : a, b.empty() ? "none" : b));
  }

  // --- expressions ---------------------------------------------------------------------------

  bool compare_exprs(const ExprRef& a, const ExprRef& b, int place) {
    struct Work {
      const Expr* a;
      const Expr* b;
      int place;
    };
    std::vector<Work> stack{{a.get(), b.get(), place}};
    while (!stack.empty()) {
      const Work work = stack.back();
      stack.pop_back();
      if (!same_exprs_.insert({work.a, work.b}).second) continue;
      if (!compare_node(*work.a, *work.b, work.place)) return false;
      std::vector<const Expr*> operands;
      for_each_operand(*work.a, [&](const ExprRef& used) { operands.push_back(used.get()); });
      const std::size_t first = stack.size();
      std::size_t index = 0;
      for_each_operand(*work.b, [&](const ExprRef& used) {
        steps_.push_back({work.place, work.a, static_cast<int>(index), ""});
        stack.push_back({operands[index++], used.get(), static_cast<int>(steps_.size()) - 1});
      });
      std::reverse(stack.begin() + static_cast<std::ptrdiff_t>(first), stack.end());
    }
    return true;
  }

  // The two nodes themselves; equal ones have as many operands.
  bool compare_node(const Expr& a, const Expr& b, int place) {
    if (a.kind() != b.kind() || a.class_name() != b.class_name()) {
      return differ(place, "", versus(std::string(a.class_name()), std::string(b.class_name())));
    }
    if (const auto* loop = expr_cast<GridRegionExpr>(a)) {
      if (!compare_grids(*loop, static_cast<const GridRegionExpr&>(b), place)) return false;
    } else if (const auto* call = expr_cast<Call>(a)) {
      if (!compare_calls(*call, static_cast<const Call&>(b), place)) return false;
    } else if (!compare_leaves(a, b, place)) {
      return false;
    }
    return vars_.same_type(a.type(), b.type()) || differ_type(place, a.type(), b.type());
  }

  bool compare_leaves(const Expr& a, const Expr& b, int place) {
    if (const auto* var = expr_cast<Var>(a)) {
      const Var& other = static_cast<const Var&>(b);
      return vars_.same_var(*var, other) ||
             differ(place, "",
                    fmt::format("the variables {} and {} do not correspond", var->name(),
                                other.name()));
    }
    if (const auto* constant = expr_cast<Constant>(a)) {
      const auto& other = static_cast<const Constant&>(b);
      // A difference of type says more than one of bytes.
      if (a.type() != b.type()) return true;
      return constant->bytes() == other.bytes() || differ_constants(*constant, other, place);
    }
    if (const auto* value = expr_cast<DimValue>(a)) {
      const Dim& other = static_cast<const DimValue&>(b).dim();
      return vars_.same_dim(value->dim(), other) ||
             differ(place, "dimension", versus(value->dim().text(), other.text()));
    }
    if (const auto* extent = expr_cast<ShapeOfExpr>(a)) {
      const std::size_t other = static_cast<const ShapeOfExpr&>(b).axis();
      return extent->axis() == other ||
             differ(place, "axis", versus(std::to_string(extent->axis()), std::to_string(other)));
    }
    if (const auto* ref = expr_cast<SymbolRef>(a)) {
      return same_text(place, "symbol", ref->symbol(), static_cast<const SymbolRef&>(b).symbol());
    }
    std::size_t count_a = 0;
    std::size_t count_b = 0;
    for_each_operand(a, [&](const ExprRef&) { ++count_a; });
    for_each_operand(b, [&](const ExprRef&) { ++count_b; });
    return same_count(place, "element", count_a, count_b);
  }

  // Pairs the variables, so that the operands that follow see them bound.
  bool compare_grids(const GridRegionExpr& a, const GridRegionExpr& b, int place) {
    const auto form = [](const GridRegionExpr& loop) {
      return std::string(loop.form() == LoopForm::tile ? "tile" : "range");
    };
    if (!same_text(place, "form", form(a), form(b))) return false;
    const auto bound = [&](const char* what, const Dim& x, const Dim& y) {
      return vars_.same_dim(x, y) || differ(place, what, versus(x.text(), y.text()));
    };
    if (!bound("start", a.start(), b.start()) || !bound("extent", a.extent(), b.extent()) ||
        !bound("step", a.step(), b.step()) ||
        !same_count(place, "carried value", a.carried_args().size(), b.carried_args().size())) {
      return false;
    }
    vars_.bind(a.induction_var(), b.induction_var());
    for (std::size_t i = 0; i < a.carried_args().size(); ++i) {
      const VarRef& x = a.carried_args()[i];
      const VarRef& y = b.carried_args()[i];
      if (!vars_.same_type(x->type(), y->type())) return differ_type(place, x->type(), y->type());
      vars_.bind(x, y);
    }
    return true;
  }

  bool differ_constants(const Constant& a, const Constant& b, int place) {
    const DType dtype = a.tensor_type().dtype();
    if (a.tensor_type().rank() != 0) return differ(place, "value", "the elements differ");
    if (!dtype.is_float()) {
      return differ(place, "value",
                    versus(std::to_string(a.int_at(0)), std::to_string(b.int_at(0))));
    }
    return differ(place, "value", versus(float_text(a.float_at(0)), float_text(b.float_at(0))));
  }

  bool compare_calls(const Call& a, const Call& b, int place) {
    const Function* callee = as_function(*a.target());
    const Function* other = as_function(*b.target());
    if (callee != nullptr && other != nullptr) {
      queue_functions(*callee, *other, named(place, "function " + callee->name()));
    } else if (!compare_ops(*a.target(), *b.target(), place)) {
      return false;
    }
    if (!same_count(place, "argument", a.args().size(), b.args().size())) return false;
    return a.scope() == b.scope() || differ(place, "scope", "the execution scopes differ");
  }

  bool compare_ops(const Callable& a, const Callable& b, int place) {
    if (&a.node_class() != &b.node_class()) {
      return differ(place, "", versus(target_name(a), target_name(b)));
    }
    if (a.node_class().node_kind() != NodeClassKind::op) {
      return &a == &b || differ(place, "target", "the callees differ");
    }
    const Op& x = static_cast<const Op&>(a);
    const Op& y = static_cast<const Op&>(b);
    if (&x == &y) return true;
    const auto& attrs = x.op_class().attrs();
    for (std::size_t i = 0; i < attrs.size(); ++i) {
      const AttrValue left = x.attr(i);
      const AttrValue right = y.attr(i);
      if (vars_.same_attr(left, right)) continue;
      return differ(place, "attribute " + attrs[i].name,
                    versus(attr_brief(left), attr_brief(right)));
    }
    return true;
  }

  // --- functions and modules -----------------------------------------------------------------

  void queue_functions(const Function& a, const Function& b, int place) {
    if (&a != &b && same_functions_.insert({&a, &b}).second) tasks_.push_back({&a, &b, place});
  }

  // A function sees nothing from outside, so every pair starts with its own variables.
  void start_function() {
    vars_ = VarPairs();
    same_exprs_.clear();
  }

  bool compare_params(const std::vector<VarRef>& a, const std::vector<VarRef>& b, int place) {
    if (!same_count(place, "parameter", a.size(), b.size())) return false;
    for (std::size_t i = 0; i < a.size(); ++i) {
      const int here = named(place, "parameter " + a[i]->name());
      if (!same_text(here, "name", a[i]->name(), b[i]->name())) return false;
      if (a[i]->is_const() != b[i]->is_const()) {
        return differ(here, "",
                      versus(a[i]->is_const() ? "ConstTensor" : "Tensor",
                             b[i]->is_const() ? "ConstTensor" : "Tensor"));
      }
      if (!vars_.same_type(a[i]->type(), b[i]->type())) {
        return differ_type(here, a[i]->type(), b[i]->type());
      }
      vars_.bind(a[i], b[i]);
    }
    return true;
  }

  bool compare_functions(const Function& a, const Function& b, int place) {
    start_function();
    if (!same_text(place, "name", a.name(), b.name())) return false;
    if (!compare_params(a.params(), b.params(), place)) return false;
    const int result = named(place, "return");
    if (!vars_.same_type(a.return_type(), b.return_type())) {
      return differ_type(result, a.return_type(), b.return_type());
    }
    if (!same_patterns(place, a.specializations(), b.specializations())) return false;
    if (!a.body() || !b.body()) {
      if (static_cast<bool>(a.body()) != static_cast<bool>(b.body())) {
        return differ(result, "",
                      versus(a.body() ? "a body" : "no body", b.body() ? "a body" : "no body"));
      }
      return compare_variants(a, b, place);
    }
    return compare_exprs(a.body(), b.body(), result);
  }

  bool same_patterns(int place, const std::vector<PatternRef>& a,
                     const std::vector<PatternRef>& b) {
    if (!same_count(place, "pattern", a.size(), b.size())) return false;
    for (std::size_t i = 0; i < a.size(); ++i) {
      if (a[i]->equals(*b[i])) continue;
      return differ(place, fmt::format("pattern {}", i), versus(a[i]->repr(), b[i]->repr()));
    }
    return true;
  }

  bool compare_variants(const Function& a, const Function& b, int place) {
    if (!same_count(place, "variant", a.variants().size(), b.variants().size())) return false;
    for (std::size_t i = 0; i < a.variants().size(); ++i) {
      queue_functions(*a.variants()[i], *b.variants()[i],
                      named(place, fmt::format("variant {}", i)));
    }
    return true;
  }

  bool compare_prim_functions(const PrimFunction& a, const PrimFunction& b, int place) {
    start_function();
    if (!same_text(place, "name", a.name(), b.name())) return false;
    if (!compare_params(a.params(), b.params(), place)) return false;
    if (!same_count(place, "output", a.output_count(), b.output_count())) return false;
    if (!same_target_values(a.target(), b.target(), place)) return false;
    return compare_blocks(a.body(), b.body(), place);
  }

  bool same_target_values(const TargetRef& a, const TargetRef& b, int place) {
    return same_target(a, b) ||
           differ(place, "target", versus(a ? a->repr() : "none", b ? b->repr() : "none"));
  }

  bool compare_modules(const Module& a, const Module& b, int parent) {
    const int place = named(parent, "Module " + a.name());
    if (!same_text(place, "name", a.name(), b.name())) return false;
    if (!same_text(place, "entry", a.entry().value_or(""), b.entry().value_or(""))) return false;
    if (!same_target_values(a.target(), b.target(), place)) return false;
    if (a.topologies() != b.topologies()) return differ(place, "topologies", "they differ");
    if (!same_count(place, "child", a.children().size(), b.children().size())) return false;
    for (std::size_t i = 0; i < a.children().size(); ++i) {
      if (!compare_modules(*a.children()[i], *b.children()[i], place)) return false;
    }
    if (!same_count(place, "function", a.functions().size(), b.functions().size())) return false;
    for (std::size_t i = 0; i < a.functions().size(); ++i) {
      if (!compare_members(*a.functions()[i], *b.functions()[i], place)) return false;
    }
    if (!same_count(place, "method", a.methods().size(), b.methods().size())) return false;
    for (std::size_t i = 0; i < a.methods().size(); ++i) {
      if (a.methods()[i] == b.methods()[i]) continue;
      return differ(place, "method " + a.methods()[i].name, "the sources differ");
    }
    return true;
  }

  bool compare_members(const Callable& a, const Callable& b, int parent) {
    const int place = named(parent, "function " + callable_name(a));
    if (&a.node_class() != &b.node_class()) {
      return differ(place, "", versus(a.node_class().name(), b.node_class().name()));
    }
    if (const PrimFunction* prim = as_prim_function(a)) {
      return compare_prim_functions(*prim, static_cast<const PrimFunction&>(b), place);
    }
    const Function* function = as_function(a);
    if (function == nullptr) return &a == &b || differ(place, "", "the functions differ");
    const auto& other = static_cast<const Function&>(b);
    return !same_functions_.insert({function, &other}).second ||
           compare_functions(*function, other, place);
  }

  // --- statements ----------------------------------------------------------------------------

  struct BlockWork {
    Block a;
    Block b;
    std::size_t next;
    int place;
  };

  bool push_blocks(const StmtRef& a, const StmtRef& b, int place) {
    if (!a || !b) {
      return a == b ||
             differ(place, "", versus(a ? "a block" : "no block", b ? "a block" : "no block"));
    }
    BlockWork work{block_items(a), block_items(b), 0, place};
    blocks_.push_back(std::move(work));
    return true;
  }

  bool compare_blocks(const StmtRef& a, const StmtRef& b, int place) {
    if (!push_blocks(a, b, place)) return false;
    while (!blocks_.empty()) {
      BlockWork& work = blocks_.back();
      if (work.next == std::min(work.a.size(), work.b.size())) {
        if (!same_count(work.place, "statement", work.a.size(), work.b.size())) return false;
        blocks_.pop_back();
        continue;
      }
      const BlockItem x = work.a[work.next];
      const BlockItem y = work.b[work.next];
      const int here = named(work.place, fmt::format("body[{}]", work.next));
      ++work.next;
      if (!compare_items(x, y, here)) return false;
    }
    return true;
  }

  bool compare_items(const BlockItem& a, const BlockItem& b, int place) {
    if (a.is_let() != b.is_let()) {
      return differ(place, "",
                    versus(a.is_let() ? "LetStmt" : a.stmt->class_name(),
                           b.is_let() ? "LetStmt" : b.stmt->class_name()));
    }
    if (!a.is_let()) return compare_stmts(*a.stmt, *b.stmt, named(place, a.stmt->class_name()));
    const int here = named(place, "let " + a.var->name());
    if (!compare_exprs(a.value, b.value, here)) return false;
    if (!vars_.same_type(a.var->type(), b.var->type())) {
      return differ_type(here, a.var->type(), b.var->type());
    }
    vars_.bind(a.var, b.var);
    return true;
  }

  bool compare_stmts(const Stmt& a, const Stmt& b, int place) {
    if (&a.stmt_class() != &b.stmt_class()) {
      return differ(place, "", versus(a.class_name(), b.class_name()));
    }
    if (const auto* loop = stmt_cast<For>(a)) {
      return compare_loops(*loop, static_cast<const For&>(b), place);
    }
    if (const auto* scope = stmt_cast<MeshScope>(a)) {
      const auto& other = static_cast<const MeshScope&>(b);
      if (scope->mesh() != other.mesh()) return differ(place, "mesh", "they differ");
      if (!same_text(place, "binding", scope->binding(), other.binding())) return false;
    }
    if (const auto* abort = stmt_cast<Abort>(a)) {
      return same_text(place, "message", abort->message(), static_cast<const Abort&>(b).message());
    }
    if (const auto* dispatch = stmt_cast<DispatchCall>(a)) {
      const auto& other = static_cast<const DispatchCall&>(b);
      if (!same_text(place, "callee", dispatch->callee_name(), other.callee_name())) return false;
      if (!same_patterns(place, dispatch->case_patterns(), other.case_patterns())) return false;
    }
    if (const auto* evaluate = stmt_cast<Evaluate>(a)) {
      const auto& other = static_cast<const Evaluate&>(b);
      if (!evaluate->callable() || !other.callable()) {
        if (evaluate->callable() != other.callable()) {
          return differ(place, "", "an op versus a call of a function");
        }
      } else if (!compare_ops(*evaluate->callable(), *other.callable(), place)) {
        return false;
      }
    }
    return compare_stmt_exprs(a, b, place) && push_children(a, b, place);
  }

  bool compare_stmt_exprs(const Stmt& a, const Stmt& b, int place) {
    std::vector<ExprRef> left;
    std::vector<ExprRef> right;
    for_each_stmt_expr(a, [&](const ExprRef& expr) { left.push_back(expr); });
    for_each_stmt_expr(b, [&](const ExprRef& expr) { right.push_back(expr); });
    if (!same_count(place, "operand", left.size(), right.size())) return false;
    for (std::size_t i = 0; i < left.size(); ++i) {
      if (!compare_exprs(left[i], right[i], named(place, fmt::format("operand[{}]", i)))) {
        return false;
      }
    }
    return true;
  }

  bool push_children(const Stmt& a, const Stmt& b, int place) {
    std::vector<StmtRef> left;
    std::vector<StmtRef> right;
    for_each_child_stmt(a, [&](const StmtRef& child) { left.push_back(child); });
    for_each_child_stmt(b, [&](const StmtRef& child) { right.push_back(child); });
    if (!same_count(place, "block", left.size(), right.size())) return false;
    for (std::size_t i = left.size(); i-- > 0;) {
      const int here = left.size() > 1 ? named(place, fmt::format("block {}", i)) : place;
      if (!push_blocks(left[i], right[i], here)) return false;
    }
    return true;
  }

  bool compare_loops(const For& a, const For& b, int place) {
    const auto bound = [&](const char* what, const Dim& x, const Dim& y) {
      return vars_.same_dim(x, y) || differ(place, what, versus(x.text(), y.text()));
    };
    static constexpr const char* kModes[] = {"serial", "parallel", "vectorized", "unrolled"};
    if (!same_text(place, "mode", kModes[static_cast<int>(a.mode())],
                   kModes[static_cast<int>(b.mode())])) {
      return false;
    }
    if (!bound("start", a.start(), b.start()) || !bound("stop", a.stop(), b.stop()) ||
        !bound("step", a.step(), b.step())) {
      return false;
    }
    if (!vars_.same_type(a.var()->type(), b.var()->type())) {
      return differ_type(place, a.var()->type(), b.var()->type());
    }
    vars_.bind(a.var(), b.var());
    return push_blocks(a.body(), b.body(), place);
  }

  std::vector<Step> steps_;
  VarPairs vars_;
  PairSet<Expr> same_exprs_;  // of the current function
  PairSet<Function> same_functions_;
  std::vector<FunctionTask> tasks_;
  std::vector<BlockWork> blocks_;
  std::optional<Difference> difference_;
};

}  // namespace

std::optional<Difference> structural_difference(const ExprRef& a, const ExprRef& b) {
  return Comparison().exprs(a, b);
}
std::optional<Difference> structural_difference(const StmtRef& a, const StmtRef& b) {
  return Comparison().stmts(a, b);
}
std::optional<Difference> structural_difference(const FunctionRef& a, const FunctionRef& b) {
  return Comparison().functions(a, b);
}
std::optional<Difference> structural_difference(const PrimFunctionRef& a,
                                                const PrimFunctionRef& b) {
  return Comparison().prim_functions(a, b);
}
std::optional<Difference> structural_difference(const ModuleRef& a, const ModuleRef& b) {
  return Comparison().modules(a, b);
}

}  // namespace tilefoundry
