#include "tilefoundry/text/tir_expr_text.h"

#include <algorithm>
#include <array>
#include <optional>

#include <fmt/format.h>

#include "tilefoundry/ir/tir/ops.h"
#include "tilefoundry/support/text.h"
#include "tilefoundry/text/scalar_text.h"

namespace tilefoundry {
namespace {

// Binding strength of Python's operators.
enum Precedence : int { kOr = 1, kAnd, kNot, kComparison, kSum, kProduct, kUnary, kPower, kAtom };

struct Infix {
  BinaryKind kind;
  std::string_view symbol;
  Precedence precedence;
};

constexpr std::array kInfix = {
    Infix{BinaryKind::add, "+", kSum},
    Infix{BinaryKind::sub, "-", kSum},
    Infix{BinaryKind::mul, "*", kProduct},
    Infix{BinaryKind::div, "/", kProduct},
    Infix{BinaryKind::floor_div, "//", kProduct},
    Infix{BinaryKind::mod, "%", kProduct},
    Infix{BinaryKind::pow, "**", kPower},
    Infix{BinaryKind::cmp_eq, "==", kComparison},
    Infix{BinaryKind::cmp_ne, "!=", kComparison},
    Infix{BinaryKind::cmp_lt, "<", kComparison},
    Infix{BinaryKind::cmp_le, "<=", kComparison},
    Infix{BinaryKind::cmp_gt, ">", kComparison},
    Infix{BinaryKind::cmp_ge, ">=", kComparison},
    Infix{BinaryKind::logical_and, "and", kAnd},
    Infix{BinaryKind::logical_or, "or", kOr},
};

const Infix* find_infix(BinaryKind kind) {
  const auto* it = std::find_if(kInfix.begin(), kInfix.end(),
                                [&](const Infix& infix) { return infix.kind == kind; });
  return it != kInfix.end() ? it : nullptr;
}

bool is_literal(const ExprRef& expr) {
  return expr->kind() == ExprKind::constant || expr->kind() == ExprKind::dim_value;
}

// Whether argument `index` is a coordinate: one of a variadic run of scalars.
bool is_index(const OpClass& cls, std::size_t index) {
  return cls.variadic() && cls.inputs().back().pattern == InputPattern::scalar &&
         index + 1 >= cls.inputs().size();
}

std::vector<ExprRef> without_indices(const OpClass& cls, const std::vector<ExprRef>& args) {
  std::vector<ExprRef> out;
  for (std::size_t i = 0; i < args.size(); ++i) {
    if (!is_index(cls, i)) out.push_back(args[i]);
  }
  return out;
}

// Expressions nest no deeper than this on one line.
constexpr int kDeepest = 24;

}  // namespace

std::string TirExprText::value(const ExprRef& root) {
  prepare({root}, true);
  return operand(root, kOr);
}

std::string TirExprText::repeated(const ExprRef& root) {
  prepare({root}, false);
  return operand(root, kOr);
}

std::string TirExprText::effect(const Evaluate& stmt) {
  if (stmt.callee()) {
    const std::string& symbol = stmt.callee()->symbol();
    const std::string name = symbol_(symbol);
    if (!name.empty() && !names_.params.contains(name)) return call_of(name, stmt.args());
    prepare(stmt.args(), true);
    std::string out = fmt::format("{}.call({}", script_.use("T"), python_string_literal(symbol));
    for (const ExprRef& arg : stmt.args()) out += ", " + operand(arg, kOr);
    return out + ")";
  }
  prepare(stmt.args(), true);
  if (stmt.op<Store>() == nullptr) return op_text(*stmt.callable(), stmt.args());
  const std::vector<std::string> texts =
      operand_texts(*stmt.callable(), {stmt.args()[0], stmt.args()[1]});
  return fmt::format("{} = {}", subscript(stmt.args()[0], stmt.args(), 2), texts[1]);
}

std::string TirExprText::call_of(const std::string& name, const std::vector<ExprRef>& args) {
  prepare(args, true);
  std::vector<std::string> parts;
  for (const ExprRef& arg : args) parts.push_back(operand(arg, kOr));
  return fmt::format("{}({})", name, fmt::join(parts, ", "));
}

// Fills `texts_` for the calls below the roots, operands first.
void TirExprText::prepare(const std::vector<ExprRef>& roots, bool may_bind) {
  texts_.clear();
  const std::vector<ExprRef> nodes = post_order(roots);
  std::unordered_map<const Expr*, int> uses;
  for (const ExprRef& node : nodes) {
    for_each_operand(*node, [&](const ExprRef& used) { ++uses[used.get()]; });
  }
  for (const ExprRef& root : roots) ++uses[root.get()];
  for (const ExprRef& node : nodes) {
    if (node->kind() != ExprKind::call && node->kind() != ExprKind::tuple &&
        node->kind() != ExprKind::user) {
      continue;
    }
    Text text = expr_text(*node);
    const bool apart = uses[node.get()] > 1 || text.depth > kDeepest;
    if (may_bind && apart) text = {bind_(node, text.text), kAtom, 0};
    texts_.insert_or_assign(node.get(), std::move(text));
  }
}

int TirExprText::depth_of(const std::vector<ExprRef>& args) const {
  int depth = 0;
  for (const ExprRef& arg : args) {
    const auto it = texts_.find(arg.get());
    if (it != texts_.end()) depth = std::max(depth, it->second.depth);
  }
  return depth + 1;
}

TirExprText::Text TirExprText::expr_text(const Expr& expr) {
  if (const auto* call = expr_cast<Call>(expr)) return call_text(*call);
  std::vector<ExprRef> operands;
  for_each_operand(expr, [&](const ExprRef& used) { operands.push_back(used); });
  std::vector<std::string> parts;
  for (const ExprRef& used : operands) parts.push_back(operand(used, kOr));
  const bool is_tuple = expr.kind() == ExprKind::tuple;
  const char* comma = is_tuple && parts.size() == 1 ? "," : "";
  return {fmt::format("{}({}{})", is_tuple ? "" : expr.class_name(), fmt::join(parts, ", "), comma),
          kAtom, depth_of(operands)};
}

TirExprText::Text TirExprText::call_text(const Call& call) {
  if (call.op<Load>() != nullptr) {
    return {subscript(call.args()[0], call.args(), 1), kAtom, depth_of(call.args())};
  }
  if (const auto* binary = call.op<ScalarBinary>()) {
    const Infix* infix = find_infix(binary->kind);
    if (infix != nullptr) return infix_text(call, infix->symbol, infix->precedence);
  }
  // The sign of a number is part of it.
  if (const auto* unary = call.op<ScalarUnary>(); unary != nullptr && !is_literal(call.args()[0])) {
    if (unary->kind == UnaryKind::neg) return prefix_text(call, "-", kUnary);
    if (unary->kind == UnaryKind::logical_not) return prefix_text(call, "not ", kNot);
  }
  if (call.target()->node_class().node_kind() != NodeClassKind::op) {
    refuse_print("TF3074",
                 fmt::format("a value of TIR calls {}", call.target()->node_class().name()),
                 call.span());
  }
  return {op_text(static_cast<const Op&>(*call.target()), call.args()), kAtom,
          depth_of(call.args())};
}

TirExprText::Text TirExprText::infix_text(const Call& call, std::string_view symbol,
                                          int precedence) {
  const OperandNumbers numbers(call.args());
  const auto side = [&](const ExprRef& arg, int least) {
    const auto* constant = expr_cast<Constant>(arg);
    if (constant == nullptr) return operand(arg, least);
    std::string text = numbers.text(*constant, script_);
    return text.front() == '-' && least > kUnary ? "(" + text + ")" : text;
  };
  // Comparisons do not chain; powers take only atoms, which is safe on both sides.
  const bool strict_left = precedence == kComparison || precedence == kPower;
  const bool is_power = precedence == kPower;
  const std::string lhs = side(call.args()[0], strict_left ? precedence + 1 : precedence);
  const std::string rhs = side(call.args()[1], is_power ? kAtom : precedence + 1);
  return {fmt::format("{} {} {}", lhs, symbol, rhs), precedence, depth_of(call.args())};
}

TirExprText::Text TirExprText::prefix_text(const Call& call, std::string_view symbol,
                                           int precedence) {
  return {fmt::format("{}{}", symbol, operand(call.args()[0], precedence + 1)), precedence,
          depth_of(call.args())};
}

std::string TirExprText::op_text(const Op& op, const std::vector<ExprRef>& args) {
  return op_call_text(script_, op, args, operand_texts(op, args), names_, context_);
}

std::vector<std::string> TirExprText::operand_texts(const Op& op,
                                                    const std::vector<ExprRef>& args) {
  const OpClass& cls = op.op_class();
  const OperandNumbers numbers(without_indices(cls, args));
  std::vector<std::string> out;
  for (std::size_t i = 0; i < args.size(); ++i) {
    const auto* constant = expr_cast<Constant>(args[i]);
    if (is_index(cls, i)) {
      out.push_back(index_text(args[i]));
    } else {
      out.push_back(constant != nullptr ? numbers.text(*constant, script_) : operand(args[i], kOr));
    }
  }
  return out;
}

std::string TirExprText::subscript(const ExprRef& tensor, const std::vector<ExprRef>& args,
                                   std::size_t first) {
  std::string out = operand(tensor, kAtom) + "[";
  if (first == args.size()) return out + "()]";
  for (std::size_t i = first; i < args.size(); ++i) {
    if (i > first) out += ", ";
    out += index_text(args[i]);
  }
  return out + "]";
}

// Where a coordinate is wanted, numbers, scalar variables and arithmetic over them are dimensions.
std::string TirExprText::index_text(const ExprRef& index) {
  if (const auto* value = expr_cast<DimValue>(index)) return dim_text(value->dim(), context_);
  if (const auto* constant = expr_cast<Constant>(index)) return number_text(*constant);
  return operand(index, kOr);
}

std::string TirExprText::operand(const ExprRef& arg, int least) {
  if (const auto* var = expr_cast<Var>(arg)) {
    const auto it = names_.vars.find(var);
    if (it != names_.vars.end()) return it->second;
    refuse_print("TF3074", fmt::format("the variable {} is bound nowhere", var->name()),
                 arg->span());
  }
  if (const auto* constant = expr_cast<Constant>(arg)) {
    return explicit_constant_text(*constant, script_);
  }
  if (const auto* value = expr_cast<DimValue>(arg)) {
    return fmt::format("{}({})", script_.use("DimValue"), dim_text(value->dim(), context_));
  }
  if (const auto* extent = expr_cast<ShapeOfExpr>(arg)) {
    return fmt::format("{}.shape_of({}, {})", script_.use("T"), operand(extent->param(), kOr),
                       extent->axis());
  }
  if (const auto* ref = expr_cast<SymbolRef>(arg)) {
    const std::string name = symbol_(ref->symbol());
    if (!name.empty() && !names_.params.contains(name)) return name;
    return fmt::format("{}.symbol({})", script_.use("T"), python_string_literal(ref->symbol()));
  }
  const Text& text = texts_.at(arg.get());
  return text.precedence < least ? "(" + text.text + ")" : text.text;
}

}  // namespace tilefoundry
