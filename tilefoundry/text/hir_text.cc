// Functions of HIR: one op per line.
#include <algorithm>
#include <unordered_map>
#include <utility>

#include <fmt/format.h>

#include "tilefoundry/ir/hir/grid_region.h"
#include "tilefoundry/support/text.h"
#include "tilefoundry/text/function_text.h"
#include "tilefoundry/text/scalar_text.h"

namespace tilefoundry {
namespace {

class HirPrinter {
 public:
  HirPrinter(Script& script, const Function& function, const std::string& defined_name,
             std::string indent, const CalleeText& callee)
      : script_(script),
        function_(function),
        defined_name_(defined_name),
        indent_(std::move(indent)),
        callee_(callee),
        scope_(&script.avoided(Dialect::tf)),
        names_(name_params(function.params(), scope_)),
        context_(script.context(&names_)) {}

  void print() {
    const auto renaming =
        renaming_arguments(function_.name(), defined_name_, function_.params(), names_);
    print_below(decorator_text(script_.use("func"), renaming));
  }

  // A variant, below its decorator.
  void print_below(const std::string& decorator) {
    const TextContext outside = script_.context(nullptr);
    script_.body += indent_ + decorator + "\n";
    script_.body += fmt::format("{}def {}({}) -> {}:\n", indent_, defined_name_,
                                params_text(function_.params(), names_, outside),
                                type_text(function_.return_type(), outside));
    if (!function_.body()) {
      line("pass", {}, nullptr);
      return;
    }
    print_body();
  }

 private:
  void print_body() {
    const std::vector<ExprRef> nodes = post_order({function_.body()});
    find_inline_tuples(nodes);
    ++uses_[function_.body().get()];
    for (const ExprRef& node : nodes) {
      if (!node->name().empty()) scope_.reserve(node->name());
      for_each_operand(*node, [&](const ExprRef& operand) { ++uses_[operand.get()]; });
    }
    print_region(region_order({function_.body()}));
    open_scopes(nullptr);
    line("return " + result_text(), function_.body()->span(), nullptr);
  }

  void print_region(const std::vector<ExprRef>& nodes) {
    for (const ExprRef& node : nodes) {
      if (const auto* loop = expr_cast<GridRegionExpr>(node)) {
        print_loop(*loop);
        continue;
      }
      if (const std::string* field = loop_field(*node)) {
        bound_.emplace(node.get(), *field);
        depths_.emplace(node.get(), depth_);
        continue;
      }
      const bool bound = node->kind() == ExprKind::call || node->kind() == ExprKind::user ||
                         (node->kind() == ExprKind::tuple && !inline_tuples_.contains(node.get()));
      if (bound) bind(*node);
    }
  }

  // A field of a loop's result has the name of the carried value.
  const std::string* loop_field(const Expr& node) const {
    const auto* call = expr_cast<Call>(node);
    if (call == nullptr || call->args().size() != 1) return nullptr;
    const auto* loop = expr_cast<GridRegionExpr>(call->args()[0]);
    if (loop == nullptr || loop->carried_args().size() == 1) return nullptr;
    // What takes one field of a tuple says which, and nothing else.
    if (call->target()->node_class().node_kind() != NodeClassKind::op) return nullptr;
    const Op& op = static_cast<const Op&>(*call->target());
    if (op.op_class().attrs().size() != 1 || op.op_class().attr_index("index") != 0) return nullptr;
    const AttrValue index = op.attr(0);
    return &carry_names_.at(loop)[static_cast<std::size_t>(std::get<std::int64_t>(index))];
  }

  // The meshes that are open around a loop: those of its calls.
  static ScopeRef loop_scope(const GridRegionExpr& loop) {
    for (const ExprRef& node : loop.body()) {
      if (const auto* call = expr_cast<Call>(node)) return call->scope();
      const auto* inner = expr_cast<GridRegionExpr>(node);
      if (inner != nullptr) return loop_scope(*inner);
    }
    return nullptr;
  }

  std::string loop_head(const GridRegionExpr& loop) {
    std::vector<std::string> bounds;
    if (loop.form() == LoopForm::tile) {
      return fmt::format("{}({}, {})", script_.use("tile"), dim_text(loop.extent(), context_),
                         dim_text(loop.step(), context_));
    }
    const bool step = !loop.step().is(1);
    if (step || !loop.start().is(0)) bounds.push_back(dim_text(loop.start(), context_));
    bounds.push_back(dim_text(loop.extent(), context_));
    if (step) bounds.push_back(dim_text(loop.step(), context_));
    return fmt::format("range({})", fmt::join(bounds, ", "));
  }

  // The name of a carried value before, in and after the loop: that of its initial value when
  // nothing else uses it, else one of its own.
  std::string carry_name(const Var& carried, const ExprRef& init) {
    const auto bound = bound_.find(init.get());
    const auto depth = depths_.find(init.get());
    if (bound != bound_.end() && depth != depths_.end() && depth->second == depth_ &&
        uses_[init.get()] == 1 && !loop_field(*init) && !expr_cast<GridRegionExpr>(init)) {
      return bound->second;
    }
    const std::string text = explicit_text(init);
    std::string name = scope_.fresh(carried.name().empty() ? "carry" : carried.name());
    line(fmt::format("{} = {}", name, text), carried.span(), nullptr);
    return name;
  }

  // Recurses on the nesting of loops.
  void print_loop(const GridRegionExpr& loop) {
    open_scopes(loop_scope(loop));
    std::vector<std::string> names;
    for (std::size_t i = 0; i < loop.carried_args().size(); ++i) {
      names.push_back(carry_name(*loop.carried_args()[i], loop.init_args()[i]));
    }
    const std::size_t mark = scope_.mark();
    const Var& var = *loop.induction_var();
    std::string var_name = scope_.fresh(var.name().empty() ? "i" : var.name());
    line(fmt::format("for {} in {}:", var_name, loop_head(loop)), loop.span(), nullptr);
    names_.vars[&var] = std::move(var_name);
    for (std::size_t i = 0; i < names.size(); ++i) {
      names_.vars[loop.carried_args()[i].get()] = names[i];
    }
    ++depth_;
    print_region(loop.body());
    const std::vector<std::string> yields = print_yields(loop, names);
    for (std::size_t i = 0; i < names.size(); ++i) {
      line(fmt::format("{} = {}", names[i], yields[i]), {}, nullptr);
    }
    --depth_;
    scope_.release(mark);
    if (names.size() == 1) {
      bound_.emplace(&loop, names.front());
    } else {
      bound_.emplace(&loop, fmt::format("({})", fmt::join(names, ", ")));
    }
    depths_.emplace(&loop, depth_);
    carry_names_.emplace(&loop, std::move(names));
  }

  // A binding of its own for every yield: the line that computed it, or another name for it.
  std::vector<std::string> print_yields(const GridRegionExpr& loop,
                                        const std::vector<std::string>& carried) {
    std::vector<std::string> names;
    for (std::size_t i = 0; i < carried.size(); ++i) {
      const ExprRef& value = loop.yield_values()[i];
      const auto bound = bound_.find(value.get());
      const auto depth = depths_.find(value.get());
      const bool own = bound != bound_.end() && depth != depths_.end() && depth->second == depth_ &&
                       bound->second.front() != '(' &&
                       std::find(names.begin(), names.end(), bound->second) == names.end();
      if (own) {
        names.push_back(bound->second);
        continue;
      }
      const std::string text = explicit_text(value);
      names.push_back(scope_.fresh(carried[i] + "_next"));
      line(fmt::format("{} = {}", names.back(), text), value->span(), nullptr);
    }
    return names;
  }

  // An operand that stays a value where it is named.
  std::string explicit_text(const ExprRef& expr) {
    const auto* value = expr_cast<DimValue>(expr);
    return value != nullptr ? explicit_dim(*value) : argument_text(expr);
  }

  // Tuples are written where they are used, down to a depth that readers and parsers bear.
  void find_inline_tuples(const std::vector<ExprRef>& nodes) {
    constexpr int kDeepest = 16;
    std::unordered_map<const Expr*, int> depths;
    for (const ExprRef& node : nodes) {
      const auto* tuple = expr_cast<Tuple>(node);
      if (tuple == nullptr) continue;
      int depth = 1;
      for (const ExprRef& element : tuple->elements()) {
        const bool nested = inline_tuples_.contains(element.get());
        if (nested) depth = std::max(depth, depths[element.get()] + 1);
      }
      depths[tuple] = depth;
      if (depth <= kDeepest) inline_tuples_.insert(tuple);
    }
  }

  void bind(const Expr& node) {
    const auto* call = expr_cast<Call>(node);
    open_scopes(call != nullptr ? call->scope() : nullptr);
    std::string text = value_text(node);
    std::string name = scope_.fresh(node.name());
    line(fmt::format("{} = {}", name, text), node.span(), node.type());
    bound_.emplace(&node, std::move(name));
    depths_.emplace(&node, depth_);
  }

  std::string value_text(const Expr& node) {
    if (const auto* tuple = expr_cast<Tuple>(node)) return tuple_text(*tuple);
    if (const auto* call = expr_cast<Call>(node)) return call_text(*call);
    const auto* user = expr_cast<UserExpr>(node);
    std::vector<std::string> parts;
    for (const ExprRef& operand : user->operands()) parts.push_back(argument_text(operand));
    return fmt::format("{}({})", node.class_name(), fmt::join(parts, ", "));
  }

  std::string call_text(const Call& call) {
    std::vector<std::string> parts;
    parts.reserve(call.args().size());
    if (const Function* callee = as_function(*call.target())) {
      for (const ExprRef& arg : call.args()) parts.push_back(argument_text(arg));
      return fmt::format("{}({})", callee_name(call, *callee), fmt::join(parts, ", "));
    }
    if (call.target()->node_class().node_kind() != NodeClassKind::op) {
      refuse_print("TF3074",
                   fmt::format("an HIR function cannot call {} {}",
                               call.target()->node_class().name(), callable_name(*call.target())),
                   call.span());
    }
    const OperandNumbers numbers(call.args());
    for (const ExprRef& arg : call.args()) {
      const auto* constant = expr_cast<Constant>(arg);
      parts.push_back(constant != nullptr ? numbers.text(*constant, script_) : argument_text(arg));
    }
    return op_call_text(script_, static_cast<const Op&>(*call.target()), call.args(), parts, names_,
                        context_);
  }

  std::string callee_name(const Call& call, const Function& callee) {
    std::string name = callee_(call, callee);
    if (names_.params.contains(name)) {
      refuse_print("TF3071",
                   fmt::format("the parameter {} of {} hides the function of that name, which the "
                               "body calls",
                               name, function_.name()),
                   call.span(), "rename the parameter");
    }
    return name;
  }

  // An operand whose dtype nothing else decides.
  std::string argument_text(const ExprRef& arg) {
    switch (arg->kind()) {
      case ExprKind::var: return var_text(static_cast<const Var&>(*arg));
      case ExprKind::constant:
        return explicit_constant_text(static_cast<const Constant&>(*arg), script_);
      case ExprKind::dim_value: return dim_value_text(static_cast<const DimValue&>(*arg));
      case ExprKind::tuple:
        if (inline_tuples_.contains(arg.get())) return tuple_text(static_cast<const Tuple&>(*arg));
        break;
      case ExprKind::symbol_ref:
        refuse_print("TF3074", "an HIR function refers to a symbol", arg->span());
      case ExprKind::shape_of:
        refuse_print("TF3074", "an HIR function reads a hidden scalar", arg->span());
      case ExprKind::call:
      case ExprKind::grid_region:
      case ExprKind::user: break;
    }
    return bound_.at(arg.get());
  }

  std::string var_text(const Var& var) {
    const auto it = names_.vars.find(&var);
    if (it == names_.vars.end()) {
      refuse_print(
          "TF3074",
          fmt::format("the variable {} is no parameter of {}", var.name(), function_.name()),
          var.span());
    }
    return it->second;
  }

  // A dimension as an operand: arithmetic over DimVars reads as one, anything else says so.
  std::string dim_value_text(const DimValue& value) {
    return value.dim().is_static() || reads_scalars(value.dim()) ? explicit_dim(value)
                                                                 : dim_text(value.dim(), context_);
  }

  // Inside a tuple numbers are dimensions as well.
  std::string element_text(const ExprRef& element) {
    const auto* value = expr_cast<DimValue>(element);
    if (value == nullptr) return argument_text(element);
    return reads_scalars(value->dim()) ? explicit_dim(*value) : dim_text(value->dim(), context_);
  }

  static bool reads_scalars(const Dim& dim) {
    bool found = false;
    for_each_dim_atom(dim, [&](const DimNode& node) { found = found || node.as_var() == nullptr; });
    return found;
  }

  std::string explicit_dim(const DimValue& value) {
    return fmt::format("{}({})", script_.use("DimValue"), dim_text(value.dim(), context_));
  }

  std::string tuple_text(const Tuple& tuple) {
    std::string out = "(";
    for (const ExprRef& element : tuple.elements()) {
      if (out.size() > 1) out += ", ";
      out += element_text(element);
    }
    return out + (tuple.elements().size() == 1 ? ",)" : ")");
  }

  std::string result_text() {
    const auto* tuple = expr_cast<Tuple>(function_.body());
    if (tuple == nullptr || tuple->elements().size() < 2 || !inline_tuples_.contains(tuple)) {
      return argument_text(function_.body());
    }
    std::vector<std::string> parts;
    for (const ExprRef& element : tuple->elements()) parts.push_back(argument_text(element));
    return join(parts, ", ");
  }

  // Closes and opens `with` blocks until exactly the meshes of `scope` are open.
  void open_scopes(const ScopeRef& scope) {
    static const std::vector<MeshRef> none;
    const std::vector<MeshRef>& wanted = scope ? scope->meshes() : none;
    std::size_t common = 0;
    while (common < open_.size() && common < wanted.size() && open_[common] == wanted[common]) {
      ++common;
    }
    open_.resize(common);
    for (; common < wanted.size(); ++common) {
      line(fmt::format("with {}:", context_.mesh_name(wanted[common])), {}, nullptr);
      open_.push_back(wanted[common]);
    }
  }

  void line(const std::string& text, const Span& span, const TypeRef& type) {
    check_builtins(text, names_, span);
    script_.body += indent_;
    script_.body.append(4 * (open_.size() + depth_ + 1), ' ');
    script_.body += text;
    if (script_.options().show_types && type) {
      script_.body += "  # " + type_text(type, context_);
    }
    script_.body += '\n';
  }

  Script& script_;
  const Function& function_;
  const std::string& defined_name_;
  std::string indent_;
  const CalleeText& callee_;
  NameScope scope_;
  FunctionNames names_;
  TextContext context_;
  std::unordered_set<const Expr*> inline_tuples_;
  std::unordered_map<const Expr*, std::string> bound_;
  std::unordered_map<const Expr*, std::size_t> depths_;  // the nesting of the line that binds
  std::unordered_map<const Expr*, int> uses_;
  std::unordered_map<const GridRegionExpr*, std::vector<std::string>> carry_names_;
  std::size_t depth_ = 0;  // of loops
  std::vector<MeshRef> open_;
};

}  // namespace

void print_hir_variant(Script& script, const Function& variant, const std::string& base_name,
                       const std::string& defined_name, const std::string& indent,
                       const CalleeText& callee) {
  std::vector<std::string> patterns;
  for (const PatternRef& pattern : variant.specializations()) {
    patterns.push_back(pattern_text(script, pattern));
  }
  HirPrinter(script, variant, defined_name, indent, callee)
      .print_below(decorator_text(base_name + ".specialize", patterns));
}

void print_hir_function(Script& script, const Function& function, const std::string& defined_name,
                        const std::string& indent, const CalleeText& callee) {
  HirPrinter(script, function, defined_name, indent, callee).print();
}

}  // namespace tilefoundry
