#include "tilefoundry/frontend/evaluator.h"

#include <algorithm>
#include <utility>

#include <fmt/format.h>

#include "tilefoundry/frontend/arithmetic.h"
#include "tilefoundry/frontend/operators.h"
#include "tilefoundry/support/text.h"

namespace tilefoundry {
namespace {

[[noreturn]] void refuse_runtime(const Span& place) {
  refuse("TF2034", place, "only compile-time values can stand here");
}

}  // namespace

Value Evaluator::runtime_unary(const UnarySyntax& node, const Value&) {
  refuse_runtime(span(node));
}
Value Evaluator::runtime_binary(const BinarySyntax& node, const Value&, const Value&) {
  refuse_runtime(span(node));
}
Value Evaluator::runtime_compare(const CompareSyntax& node, const std::vector<Value>&) {
  refuse_runtime(span(node));
}
Value Evaluator::runtime_logic(const BooleanSyntax& node, const std::vector<Value>&) {
  refuse_runtime(span(node));
}
Value Evaluator::runtime_subscript(const SubscriptSyntax& node, const ExprRef&) {
  refuse_runtime(span(node));
}
Value Evaluator::runtime_attribute(const AttributeSyntax& node, const Value& base) {
  refuse_here("TF2045", node,
              fmt::format("{} has no attribute '{}'", describe(base), node.name.text));
}
Value Evaluator::call_op(const CallSyntax& node, const OpGroup& group, const CallArgs&) {
  refuse_here("TF2046", node, fmt::format("the op '{}' can be called in a body only", group.name),
              "call it inside of a decorated function");
}
Value Evaluator::call_function(const CallSyntax& node, const Value& callee, const CallArgs&) {
  refuse_here("TF2046", node, fmt::format("{} can be called in a body only", describe(callee)),
              "call it inside of a decorated function");
}
Value Evaluator::call_form(const CallSyntax& node, const Builtin& form, const CallArgs&) {
  refuse_here("TF2004", node, fmt::format("'T.{}' belongs to @prim_func", form.name));
}
Value Evaluator::use_name(const NameSyntax&, Value value) { return value; }

Value Evaluator::evaluate(const ExprSyntax& node) {
  switch (node.kind) {
    case ExprSyntaxKind::name: return lookup(*node.as<NameSyntax>());
    case ExprSyntaxKind::none_literal: return NoneValue{};
    case ExprSyntaxKind::true_literal: return true;
    case ExprSyntaxKind::false_literal: return false;
    case ExprSyntaxKind::ellipsis: return EllipsisValue{};
    case ExprSyntaxKind::integer: {
      const auto value = node.as<IntegerSyntax>()->as_int64();
      if (!value) refuse_here("TF2032", node, "the number needs more than 64 bits");
      return *value;
    }
    case ExprSyntaxKind::floating: return node.as<FloatSyntax>()->value;
    case ExprSyntaxKind::string: return std::string(node.as<StringSyntax>()->value);
    case ExprSyntaxKind::tuple:
    case ExprSyntaxKind::list: return evaluate_sequence(*node.as<SequenceSyntax>());
    case ExprSyntaxKind::list_comprehension:
    case ExprSyntaxKind::generator: return evaluate_comprehension(*node.as<ComprehensionSyntax>());
    case ExprSyntaxKind::unary: return evaluate_unary(*node.as<UnarySyntax>());
    case ExprSyntaxKind::binary: return evaluate_binary(*node.as<BinarySyntax>());
    case ExprSyntaxKind::boolean: return evaluate_boolean(*node.as<BooleanSyntax>());
    case ExprSyntaxKind::compare: return evaluate_compare(*node.as<CompareSyntax>());
    case ExprSyntaxKind::conditional: return evaluate_conditional(*node.as<ConditionalSyntax>());
    case ExprSyntaxKind::call:
    case ExprSyntaxKind::attribute:
    case ExprSyntaxKind::subscript: return evaluate_postfix(node);
    default: refuse_kind(node);
  }
}

void Evaluator::refuse_kind(const ExprSyntax& node) {
  const auto no = [&](std::string_view what, std::string hint = "") {
    refuse_here("TF2103", node, fmt::format("{} cannot stand here", what), std::move(hint));
  };
  switch (node.kind) {
    case ExprSyntaxKind::lambda:
      no("a lambda", "write the computation as a decorated function and call it");
      break;
    case ExprSyntaxKind::set:
      no("a set", "layout sugar is not supported yet; write ShardLayout(...)");
      break;
    case ExprSyntaxKind::dict:
    case ExprSyntaxKind::dict_comprehension:
    case ExprSyntaxKind::set_comprehension: no("a dict or set", "use a tuple"); break;
    case ExprSyntaxKind::f_string: no("an f-string", "write the text as a plain string"); break;
    case ExprSyntaxKind::bytes: no("a bytes literal", "write a string"); break;
    case ExprSyntaxKind::imaginary: no("a complex number"); break;
    case ExprSyntaxKind::starred:
      no("a starred value", "name each value: f(a, b) instead of f(*values)");
      break;
    case ExprSyntaxKind::named: no("':='", "assign on a line of its own"); break;
    case ExprSyntaxKind::await: no("'await'", "remove it: nothing here is asynchronous"); break;
    case ExprSyntaxKind::yield:
    case ExprSyntaxKind::yield_from: no("'yield'", "use 'return'"); break;
    case ExprSyntaxKind::slice: no("a slice", "slices stand inside of x[...]"); break;
    default: no("this expression"); break;
  }
  refuse_here("TF2103", node, "this expression cannot stand here");
}

Value Evaluator::lookup(const NameSyntax& node) {
  std::optional<Value> value = names_->find(node.text);
  if (!value) {
    if (const Builtin* builtin = find_python_builtin(node.text)) return Value(builtin);
    undefined_name(node);
  }
  if (value->is<PoisonedValue>()) throw PoisonedUse();
  return use_name(node, std::move(*value));
}

void Evaluator::undefined_name(const NameSyntax& node) {
  if (const Span later = names_->bound_later(node.text)) {
    throw ParseError(
        Diagnostic{.code = "TF2003",
                   .message = fmt::format("'{}' is defined further down", node.text),
                   .span = span(node),
                   .notes = {{"it is defined here", later}},
                   .hint = "definitions see only what stands above them: move this one below"});
  }
  std::string hint = did_you_mean(node.text, names_->known_names());
  if (const std::string_view usual = usual_spelling(node.text); !usual.empty()) {
    hint = fmt::format("the language calls it '{}'", usual);
  }
  refuse_here("TF2001", node, fmt::format("the name '{}' is not defined here", node.text),
              std::move(hint));
}

Value Evaluator::evaluate_sequence(const SequenceSyntax& node) {
  std::vector<Value> items;
  items.reserve(node.elements.size());
  for (const ExprSyntax* element : node.elements) items.push_back(evaluate(*element));
  return node.kind == ExprSyntaxKind::list ? Value::list(std::move(items))
                                           : Value::tuple(std::move(items));
}

Value Evaluator::evaluate_unary(const UnarySyntax& node) {
  if (node.op == UnaryOperator::minus) {
    if (const auto* literal = node.operand->as<IntegerSyntax>()) {
      const auto value = literal->as_int64(true);
      if (!value) refuse_here("TF2032", node, "the number needs more than 64 bits");
      return *value;
    }
  }
  const Value x = evaluate(*node.operand);
  if (x.is<ExprRef>()) return runtime_unary(node, x);
  return static_unary(node.op, x, span(node));
}

Value Evaluator::evaluate_binary(const BinarySyntax& node) {
  std::vector<const BinarySyntax*> spine;
  const ExprSyntax* left = &node;
  while (const auto* binary = left->as<BinarySyntax>()) {
    spine.push_back(binary);
    left = binary->left;
  }
  Value value = evaluate(*left);
  for (auto it = spine.rbegin(); it != spine.rend(); ++it) {
    const Value right = evaluate(*(*it)->right);
    value = value.is<ExprRef>() || right.is<ExprRef>()
                ? runtime_binary(**it, value, right)
                : static_binary((*it)->op, value, right, span(**it));
  }
  return value;
}

Value Evaluator::evaluate_boolean(const BooleanSyntax& node) {
  // Python stops at the first compile-time operand that decides.
  std::vector<Value> operands;
  bool runtime = false;
  for (const ExprSyntax* operand : node.operands) {
    Value value = evaluate(*operand);
    runtime = runtime || value.is<ExprRef>();
    if (!runtime) {
      const bool last = operand == node.operands.back();
      if (last || static_truth(value, span(*operand)) != node.is_and) return value;
      if (!value.is<bool>()) continue;
    }
    operands.push_back(std::move(value));
  }
  return runtime_logic(node, operands);
}

Value Evaluator::evaluate_compare(const CompareSyntax& node) {
  std::vector<Value> operands{evaluate(*node.first)};
  bool runtime = operands[0].is<ExprRef>();
  for (const CompareStep& step : node.steps) {
    operands.push_back(evaluate(*step.operand));
    runtime = runtime || operands.back().is<ExprRef>();
  }
  if (runtime) return runtime_compare(node, operands);
  for (std::size_t i = 0; i < node.steps.size(); ++i) {
    if (!static_compare(node.steps[i].op, operands[i], operands[i + 1], span(node))) return false;
  }
  return true;
}

Value Evaluator::evaluate_conditional(const ConditionalSyntax& node) {
  const Value condition = evaluate(*node.condition);
  if (condition.is_runtime()) {
    refuse_here("TF2104", node, "a condition is known at run time only",
                "choose element by element with 'where(condition, a, b)'");
  }
  return static_truth(condition, span(*node.condition)) ? evaluate(*node.then_value)
                                                        : evaluate(*node.else_value);
}

Value Evaluator::evaluate_comprehension(const ComprehensionSyntax& node) {
  if (node.clauses.size() != 1) {
    refuse_here("TF2105", node, "a comprehension has one plain 'for'",
                "nest the list in a second comprehension, or write the items out");
  }
  const ComprehensionClause& clause = node.clauses[0];
  if (!clause.conditions.empty()) {
    refuse_here("TF2105", *clause.conditions[0], "a comprehension has no 'if'",
                "choose the items in the sequence that it runs over");
  }
  if (clause.is_async) refuse_here("TF2105", node, "a comprehension cannot be asynchronous");
  const Value sequence = evaluate(*clause.iterable);
  const std::vector<Value>* items = sequence.items();
  if (items == nullptr) {
    refuse_here(
        "TF2105", *clause.iterable,
        fmt::format("a comprehension runs over range(...) or a compile-time sequence, not {}",
                    describe(sequence)));
  }
  Scope scope(names_);
  const NameResolver* outer = std::exchange(names_, &scope);
  std::vector<Value> results;
  results.reserve(items->size());
  try {
    for (const Value& item : *items) {
      bind_target(sema_, *clause.target, item, scope);
      results.push_back(evaluate(*node.element));
    }
  } catch (...) {
    names_ = outer;
    throw;
  }
  names_ = outer;
  return Value::list(std::move(results));
}

void for_each_target_name(const ExprSyntax& target,
                          const std::function<void(const NameSyntax&)>& visit) {
  if (const auto* name = target.as<NameSyntax>()) {
    visit(*name);
  } else if (const auto* sequence = target.as<SequenceSyntax>()) {
    for (const ExprSyntax* element : sequence->elements) for_each_target_name(*element, visit);
  }
}

void bind_target(Sema& sema, const ExprSyntax& target, const Value& value, Scope& scope) {
  if (const auto* name = target.as<NameSyntax>()) {
    scope.bind(name->text, value);
    return;
  }
  const auto* sequence = target.as<SequenceSyntax>();
  if (sequence == nullptr || target.kind == ExprSyntaxKind::set) {
    refuse("TF2106", sema.span(target), "only names and tuples of names can be assigned");
  }
  const std::vector<Value>* items = value.items();
  if (items == nullptr || items->size() != sequence->elements.size()) {
    refuse("TF2107", sema.span(target),
           fmt::format("{} cannot be unpacked into {}", describe(value),
                       counted(sequence->elements.size(), "name")));
  }
  for (std::size_t i = 0; i < items->size(); ++i) {
    bind_target(sema, *sequence->elements[i], (*items)[i], scope);
  }
}

}  // namespace tilefoundry
