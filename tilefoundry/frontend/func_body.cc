// Operators and calls in bodies of `@func`.
#include "tilefoundry/frontend/func_body.h"

#include <algorithm>
#include <utility>

#include <fmt/format.h>

#include "tilefoundry/frontend/arithmetic.h"
#include "tilefoundry/frontend/op_binding.h"
#include "tilefoundry/frontend/operators.h"
#include "tilefoundry/support/text.h"
#include "tilefoundry/text/type_text.h"

namespace tilefoundry {
namespace {

bool is_bool_tensor(const Value& value) {
  const auto* expr = value.as<ExprRef>();
  const TensorType* type = expr != nullptr ? as_tensor((*expr)->type()) : nullptr;
  return type != nullptr && type->dtype().is_bool();
}

}  // namespace

FuncBody::FuncBody(Sema& sema, Scope& scope, const FunctionSite& site)
    : BodyEvaluator(sema, scope), scope_(scope), site_(site) {
  set_topologies(site.topologies);
}

ExprRef FuncBody::emit(CallableRef target, std::vector<ExprRef> args, Metadata meta) {
  return make_call(ctx_, std::move(target), std::move(args), std::move(meta), execution_scope_);
}

Value FuncBody::emit_named(std::string_view alias, const ExprSyntax& node,
                           std::vector<CallArg> operands) {
  const OpGroup* group = sema_.op_group(Dialect::tf, alias);
  if (group == nullptr) {
    refuse_here("TF2070", node, fmt::format("no op is registered for this operator: '{}'", alias));
  }
  BoundOp bound = bind_op(*group, CallArgs{span(node), std::move(operands), {}});
  return emit(std::move(bound.op), std::move(bound.args), meta_of(node));
}

ExprRef FuncBody::emit_construct(std::string_view class_name,
                                 const std::vector<KeywordArg>& attributes,
                                 std::vector<ExprRef> args, Metadata meta) {
  const OpClass* cls = find_op_class(Dialect::tf, class_name);
  if (cls == nullptr) {
    refuse("TF2070", meta.span,
           fmt::format("no op is registered for this construct: {}", class_name));
  }
  return emit(make_op_with(*cls, attributes), std::move(args), std::move(meta));
}

Value FuncBody::runtime_unary(const UnarySyntax& node, const Value& x) {
  if (node.op == UnaryOperator::plus) return x;
  if (node.op == UnaryOperator::minus && stays_dimension({&x})) {
    return static_unary(node.op, x, span(node));
  }
  if (node.op == UnaryOperator::invert && !is_bool_tensor(x)) {
    refuse_here("TF2071", node, fmt::format("'~' is defined on bool only, not on {}", describe(x)));
  }
  return emit_named(operator_alias(Dialect::tf, node.op), node, {operand(*node.operand, x)});
}

Value FuncBody::runtime_binary(const BinarySyntax& node, const Value& a, const Value& b) {
  if (stays_dimension({&a, &b})) {
    return static_binary(node.op, a, b, span(node));
  }
  const std::string_view alias = operator_alias(Dialect::tf, node.op);
  const std::string_view text = operator_text(node.op);
  if (alias.empty()) {
    refuse_here("TF2072", node, fmt::format("'{}' is not defined on tensors", text));
  }
  if (node.op == BinaryOperator::bit_and || node.op == BinaryOperator::bit_or) {
    for (const Value* side : {&a, &b}) {
      if (is_bool_tensor(*side) || side->is<bool>()) continue;
      refuse_here("TF2071", node,
                  fmt::format("'{}' is defined on bool only, not on {}", text, describe(*side)),
                  "compare first: (a > 0) & (b > 0)");
    }
  }
  return emit_named(alias, node, {operand(*node.left, a), operand(*node.right, b)});
}

Value FuncBody::compare_step(const CompareSyntax& node, std::size_t step,
                             const std::vector<Value>& operands) {
  const CompareOperator op = node.steps[step].op;
  const std::string_view alias = operator_alias(Dialect::tf, op);
  if (alias.empty()) {
    refuse("TF2072", sema_.span(node.steps[step].op_range),
           fmt::format("'{}' is not defined on tensors", operator_text(op)),
           op == CompareOperator::is ? "write '=='" : "");
  }
  const Value& left = operands[step];
  const Value& right = operands[step + 1];
  if (!left.is_runtime() && !right.is_runtime()) {
    return static_compare(op, left, right, span(node));
  }
  const ExprSyntax& left_node = step == 0 ? *node.first : *node.steps[step - 1].operand;
  return emit_named(alias, node,
                    {operand(left_node, left), operand(*node.steps[step].operand, right)});
}

Value FuncBody::runtime_compare(const CompareSyntax& node, const std::vector<Value>& operands) {
  if (node.steps.size() == 1) return compare_step(node, 0, operands);
  // `a < b < c` is `a < b and b < c`.
  std::vector<Value> parts;
  {
    const Unnamed unnamed(*this);
    for (std::size_t i = 0; i < node.steps.size(); ++i) {
      parts.push_back(compare_step(node, i, operands));
    }
  }
  return join_logic(node, true, parts);
}

// Combines two or more operands, of which at least one is an IR value.
Value FuncBody::join_logic(const ExprSyntax& node, bool is_and,
                           const std::vector<Value>& operands) {
  const std::string_view alias = logic_alias(Dialect::tf, is_and);
  Value result = operands[0];
  for (std::size_t i = 1; i < operands.size(); ++i) {
    std::vector<CallArg> sides{operand(node, result), operand(node, operands[i])};
    if (i + 1 == operands.size()) return emit_named(alias, node, std::move(sides));
    if (!result.is_runtime() && !operands[i].is_runtime()) {
      const bool left = static_truth(result, span(node));
      const bool right = static_truth(operands[i], span(node));
      result = is_and ? left && right : left || right;
      continue;
    }
    const Unnamed unnamed(*this);
    result = emit_named(alias, node, std::move(sides));
  }
  return result;
}

Value FuncBody::runtime_logic(const BooleanSyntax& node, const std::vector<Value>& operands) {
  if (operands.size() == 1) return operands[0];
  return join_logic(node, node.is_and, operands);
}

Value FuncBody::runtime_attribute(const AttributeSyntax& node, const Value& base) {
  const std::string_view name = node.name.text;
  std::string hint;
  if (const auto* module = base.as<ModuleRef>()) {
    hint = fmt::format("call the child Module itself: {}(...)", (*module)->name());
  } else if (base.is<ExprRef>()) {
    if (sema_.op_group(Dialect::tf, name) != nullptr) {
      hint = fmt::format("ops are functions: {}(value)", name);
    } else if (name == "T") {
      hint = "reverse the axes with a function of the namespace tf";
    } else if (name == "shape" || name == "dtype" || name == "ndim") {
      hint = "write the dimensions and the dtype of the signature by name";
    }
  }
  refuse("TF2045", sema_.span(node.name.range),
         fmt::format("{} has no attribute '{}'", describe(base), name), std::move(hint));
}

Value FuncBody::use_name(const NameSyntax& node, Value value) {
  if (const auto* local = value.as<LoopLocalValue>()) {
    throw ParseError(
        Diagnostic{.code = "TF2404",
                   .message = fmt::format("'{}' is defined inside of a loop only", node.text),
                   .span = span(node),
                   .notes = {{"the loop that defines it", local->loop}},
                   .hint = "give the name a value before the loop, so that the loop carries it"});
  }
  const auto* group = value.as<const OpGroup*>();
  if (group != nullptr && (*group)->dialect == Dialect::T) {
    refuse_here("TF2004", node,
                fmt::format("'{}' is an op of @prim_func, unknown in @func", node.text),
                "the ops of @func are those of the namespace tf");
  }
  return value;
}

Value FuncBody::call_op(const CallSyntax& node, const OpGroup& group, const CallArgs& args) {
  if (group.dialect != Dialect::tf) {
    const bool both = sema_.op_group(Dialect::tf, group.name) != nullptr;
    refuse_here("TF2004", *node.callee,
                fmt::format("'T.{}' belongs to @prim_func and is unknown in @func", group.name),
                both ? fmt::format("write 'tf.{}'", group.name)
                     : "the ops of @func are those of the namespace tf");
  }
  BoundOp bound = bind_op(group, args);
  if (bound.op->op_class().is_effect()) {
    refuse_here("TF2004", *node.callee, fmt::format("'{}' has no value", group.name));
  }
  return emit(std::move(bound.op), std::move(bound.args), meta_of(node));
}

ExprRef FuncBody::as_result(const Value& value, const Span& place) {
  if (const auto* expr = value.as<ExprRef>()) return *expr;
  if (value.is<Dim>()) return index_operand({value, place});
  const std::vector<Value>* items = value.items();
  if (items == nullptr) {
    refuse("TF2073", place, fmt::format("{} is no value of a tensor program", describe(value)),
           "compile-time numbers become values beside a tensor");
  }
  std::vector<ExprRef> elements;
  std::vector<TypeRef> types;
  for (const Value& item : *items) {
    elements.push_back(as_result(item, place));
    types.push_back(elements.back()->type());
  }
  return Tuple::make(std::move(elements), TupleType::make(std::move(types)), {"", place});
}

ExprRef FuncBody::function_argument(const CallArg& arg, const Var& param) {
  const TensorType* type = as_tensor(param.type());
  if (arg.value.is_number() && type != nullptr && type->rank() == 0) {
    return constant_of_number(arg, type->dtype());
  }
  return as_result(arg.value, arg.span);
}

namespace {

std::string signature_hint(const Function& function) {
  std::vector<std::string> names;
  for (const VarRef& param : function.params()) names.push_back(param->name());
  return fmt::format("it is {}({})", function.name(), join(names, ", "));
}

}  // namespace

// The entry of a child Module of the class that is being read.
CallableRef FuncBody::child_entry(const CallSyntax& node, const ModuleRef& module) {
  const bool is_child =
      site_.children != nullptr &&
      std::find(site_.children->begin(), site_.children->end(), module) != site_.children->end();
  if (!is_child) {
    refuse_here("TF2074", node,
                fmt::format("the Module '{}' is no child of this one", module->name()),
                "bind it in the class body above: child = " + module->name());
  }
  CallableRef entry = module->entry_function();
  if (!entry) {
    refuse_here("TF2074", node, fmt::format("the Module '{}' has no entry", module->name()),
                "name it: @module(entry=\"function\")");
  }
  return entry;
}

Value FuncBody::call_function(const CallSyntax& node, const Value& callee, const CallArgs& args) {
  const auto* module = callee.as<ModuleRef>();
  const bool weights_optional = module != nullptr;
  CallableRef target = module != nullptr ? child_entry(node, *module) : *callee.as<CallableRef>();
  const Function* function = as_function(*target);
  if (function == nullptr) {
    refuse_here(
        "TF2004", node,
        fmt::format("'{}' is a @prim_func, which @func cannot call", callable_name(*target)));
  }
  const std::vector<VarRef>& params = function->params();
  std::vector<const CallArg*> bound(params.size(), nullptr);
  const std::size_t given = args.positional.size() + args.keywords.size();
  const bool only_inputs = weights_optional && given < params.size();
  std::size_t next = 0;
  for (const CallArg& arg : args.positional) {
    while (only_inputs && next < params.size() && params[next]->is_const()) ++next;
    if (next == params.size()) {
      refuse("TF2075", arg.span, fmt::format("'{}' gets too many arguments", function->name()),
             signature_hint(*function));
    }
    bound[next++] = &arg;
  }
  for (const KeywordArg& keyword : args.keywords) {
    const auto it = std::find_if(params.begin(), params.end(), [&](const VarRef& param) {
      return param->name() == keyword.name;
    });
    if (it == params.end()) {
      refuse("TF2075", keyword.name_span,
             fmt::format("'{}' has no parameter '{}'", function->name(), keyword.name),
             signature_hint(*function));
    }
    const CallArg*& slot = bound[static_cast<std::size_t>(it - params.begin())];
    if (slot != nullptr) {
      refuse("TF2075", keyword.name_span,
             fmt::format("'{}' gets '{}' twice", function->name(), keyword.name),
             signature_hint(*function));
    }
    slot = &keyword.arg;
  }
  std::vector<ExprRef> operands;
  for (std::size_t i = 0; i < params.size(); ++i) {
    if (bound[i] != nullptr) {
      operands.push_back(function_argument(*bound[i], *params[i]));
    } else if (!only_inputs || !params[i]->is_const()) {
      refuse_here("TF2075", node,
                  fmt::format("'{}' lacks its argument '{}'", function->name(), params[i]->name()),
                  params[i]->is_const()
                      ? "weights are left out only in a call of a child Module, all or none"
                      : signature_hint(*function));
    }
  }
  const std::size_t inputs = function->inputs().size();
  if (only_inputs && operands.size() != inputs) {
    refuse_here("TF2075", node, fmt::format("'{}' gets some of its weights", function->name()),
                "pass all of them, or none");
  }
  return emit_function(FunctionRef(function), std::move(operands), meta_of(node));
}

ExprRef FuncBody::emit_function(const FunctionRef& callee, std::vector<ExprRef> operands,
                                Metadata meta) {
  std::vector<TypeRef> types;
  for (const ExprRef& argument : operands) types.push_back(argument->type());
  // Names the call in errors; it never becomes part of the program.
  const CallRef shown = Call::make(callee, operands, nullptr, meta, execution_scope_);
  FunctionRef instance = site_.instances->instance(ctx_, callee, types, *shown);
  return emit(std::move(instance), std::move(operands), std::move(meta));
}

}  // namespace tilefoundry
