// Values of TIR, and `@prim_func` as a whole.
#include "tilefoundry/frontend/prim_body.h"

#include <algorithm>
#include <utility>

#include <fmt/format.h>

#include "tilefoundry/frontend/arithmetic.h"
#include "tilefoundry/frontend/op_binding.h"
#include "tilefoundry/frontend/operators.h"
#include "tilefoundry/frontend/refusals.h"
#include "tilefoundry/registry/verify.h"
#include "tilefoundry/support/text.h"

namespace tilefoundry {

PrimBody::PrimBody(Sema& sema, Scope& scope, const DefinitionSite& site)
    : BodyEvaluator(sema, scope), site_(site), scope_(&scope) {
  set_topologies(site.topologies);
}

Value PrimBody::emit(const ExprSyntax& node, OpRef op, std::vector<ExprRef> args) {
  const bool alone = &node == effect_node_;
  if (op->op_class().is_effect()) {
    if (!alone) {
      refuse_here(
          "TF2140", node,
          fmt::format("'{}' writes its operands and has no value", op->op_class().dsl_name()),
          "write it as a statement");
    }
    effect_ = Evaluate::make(std::move(op), std::move(args), {"", span(node)});
    return NoneValue{};
  }
  return ExprRef(make_call(ctx_, std::move(op), std::move(args), meta_of(node)));
}

Value PrimBody::emit_named(std::string_view alias, const ExprSyntax& node,
                           std::vector<CallArg> operands) {
  const OpGroup* group = sema_.op_group(Dialect::T, alias);
  if (group == nullptr) {
    refuse_here("TF2070", node, fmt::format("no op is registered for this operator: '{}'", alias));
  }
  BoundOp bound = bind_op(*group, CallArgs{span(node), std::move(operands), {}});
  return emit(node, std::move(bound.op), std::move(bound.args));
}

Value PrimBody::runtime_unary(const UnarySyntax& node, const Value& x) {
  if (node.op == UnaryOperator::plus) return x;
  if (node.op == UnaryOperator::minus && stays_dimension({&x})) {
    return static_unary(node.op, x, span(node));
  }
  return emit_named(operator_alias(Dialect::T, node.op), node, {operand(*node.operand, x)});
}

Value PrimBody::runtime_binary(const BinarySyntax& node, const Value& a, const Value& b) {
  if (stays_dimension({&a, &b})) return static_binary(node.op, a, b, span(node));
  const std::string_view alias = operator_alias(Dialect::T, node.op);
  if (alias.empty()) {
    refuse_here("TF2072", node,
                fmt::format("'{}' is not defined on scalars", operator_text(node.op)));
  }
  return emit_named(alias, node, {operand(*node.left, a), operand(*node.right, b)});
}

Value PrimBody::runtime_compare(const CompareSyntax& node, const std::vector<Value>& operands) {
  if (node.steps.size() > 1) {
    refuse_here("TF2141", node, "comparisons of scalars do not chain", "write 'a < b and b < c'");
  }
  const CompareStep& step = node.steps[0];
  const std::string_view alias = operator_alias(Dialect::T, step.op);
  if (alias.empty()) {
    refuse("TF2072", sema_.span(step.op_range),
           fmt::format("'{}' is not defined on scalars", operator_text(step.op)));
  }
  return emit_named(alias, node,
                    {operand(*node.first, operands[0]), operand(*step.operand, operands[1])});
}

Value PrimBody::runtime_logic(const BooleanSyntax& node, const std::vector<Value>& operands) {
  Value result = operands[0];
  for (std::size_t i = 1; i < operands.size(); ++i) {
    result = emit_named(logic_alias(Dialect::T, node.is_and), node,
                        {operand(node, result), operand(node, operands[i])});
  }
  return result;
}

std::vector<CallArg> PrimBody::indices(const ExprSyntax& index) {
  std::vector<CallArg> items;
  const auto add = [&](const ExprSyntax& item) {
    if (item.kind == ExprSyntaxKind::slice || item.kind == ExprSyntaxKind::ellipsis ||
        item.kind == ExprSyntaxKind::none_literal) {
      refuse_here("TF2142", item, "a subscript of TIR names one element",
                  "write T.tensor_view(memory, starts..., shape=...) for a window");
    }
    items.push_back({evaluate_dimension(item), span(item)});
  };
  const auto* tuple = index.as<SequenceSyntax>();
  if (tuple == nullptr || tuple->kind != ExprSyntaxKind::tuple) {
    add(index);
  } else {
    for (const ExprSyntax* item : tuple->elements) add(*item);
  }
  return items;
}

Value PrimBody::runtime_subscript(const SubscriptSyntax& node, const ExprRef& base) {
  std::vector<CallArg> operands{{Value(base), span(*node.value)}};
  for (CallArg& index : indices(*node.index)) operands.push_back(std::move(index));
  return emit_named(kElementOp.class_name, node, std::move(operands));
}

Value PrimBody::runtime_attribute(const AttributeSyntax& node, const Value& base) {
  refuse("TF2045", sema_.span(node.name.range),
         fmt::format("{} has no attribute '{}'", describe(base), node.name.text));
}

Value PrimBody::call_op(const CallSyntax& node, const OpGroup& group, const CallArgs& args) {
  if (group.dialect != Dialect::T) {
    const bool both = sema_.op_group(Dialect::T, group.name) != nullptr;
    refuse_here("TF2004", *node.callee,
                fmt::format("'{}' is an op of @func, unknown in @prim_func", group.name),
                both ? fmt::format("write 'T.{}'", group.name)
                     : "the ops of @prim_func are those of the namespace T");
  }
  BoundOp bound = bind_op(group, args);
  return emit(node, std::move(bound.op), std::move(bound.args));
}

ExprRef PrimBody::as_operand(const CallArg& arg) const {
  if (const auto* expr = arg.value.as<ExprRef>()) return *expr;
  if (arg.value.is<Dim>()) return index_operand(arg);
  if (const std::vector<Value>* items = arg.value.items()) {
    std::vector<ExprRef> elements;
    std::vector<TypeRef> types;
    for (const Value& item : *items) {
      elements.push_back(as_operand({item, arg.span}));
      types.push_back(elements.back()->type());
    }
    return Tuple::make(std::move(elements), TupleType::make(std::move(types)), {"", arg.span});
  }
  refuse("TF2069", arg.span,
         fmt::format("nothing decides the dtype of {} here", describe(arg.value)),
         "write Constant(value, \"f32\") or DimValue(value)");
}

Ref<const SymbolRef> PrimBody::symbol(const std::string& name, const std::vector<ExprRef>& args,
                                      const Span& place) {
  Ref<const CallableType> type;
  for (const PrimFunctionRef& function : *site_.prim_functions) {
    if (function->name() == name) type = function->callable_type();
  }
  std::string symbol_name = name;
  if (!type) type = later_signature(name, symbol_name);
  if (!type) {
    std::vector<TypeRef> types;
    for (const ExprRef& arg : args) types.push_back(arg->type());
    type = CallableType::make(UnitType::make(), std::move(types));
  }
  return SymbolRef::make(std::move(symbol_name), std::move(type), {"", place});
}

Ref<const CallableType> PrimBody::later_signature(std::string_view name, std::string& symbol_name) {
  for (const StmtSyntax* stmt : site_.block) {
    const auto* function = stmt->as<FunctionSyntax>();
    if (function == nullptr || function->decorators.empty()) continue;
    try {
      Evaluator evaluator(sema_, *site_.scope);
      const Decoration decoration = read_decoration(sema_, evaluator, function->decorators);
      if (decoration.kind != BuiltinKind::prim_func) continue;
      const std::string& renamed = decoration.renaming.name;
      if (function->name.text != name && renamed != name) continue;
      std::vector<TypeRef> types;
      for (const ParameterSyntax& parameter : function->parameters) {
        if (parameter.annotation == nullptr) return nullptr;
        types.push_back(annotation_type(sema_, evaluator, *parameter.annotation).type);
      }
      symbol_name = renamed.empty() ? std::string(function->name.text) : renamed;
      return CallableType::make(UnitType::make(), std::move(types));
    } catch (const Error&) {
      // Its own definition reports what is wrong with it.
    } catch (const PoisonedUse&) {
    }
  }
  return nullptr;
}

Value PrimBody::call_form(const CallSyntax& node, const Builtin& form, const CallArgs& args) {
  if (form.name == "shape_of") return shape_of(node, args);
  const bool has_text = !args.positional.empty() && args.positional[0].value.is<std::string>() &&
                        args.keywords.empty();
  const std::string text = has_text ? *args.positional[0].value.as<std::string>() : "";
  std::vector<ExprRef> operands;
  for (std::size_t i = 1; i < args.positional.size(); ++i) {
    operands.push_back(as_operand(args.positional[i]));
  }
  if (form.name == "symbol" && has_text && operands.empty()) {
    return ExprRef(symbol(text, {}, span(node)));
  }
  const bool alone = &node == effect_node_;
  if (form.name == "call" && has_text && alone) {
    effect_ = Evaluate::call(symbol(text, operands, span(node)), operands, {"", span(node)});
    return NoneValue{};
  }
  if (form.name == "abort" && has_text && operands.empty() && alone) {
    effect_ = Abort::make(text, {"", span(node)});
    return NoneValue{};
  }
  refuse_here(
      "TF2143", node, fmt::format("'T.{}' is used in another way", form.name),
      "T.abort(\"text\") and T.call(\"symbol\", ...) are statements; T.symbol(\"name\") and "
      "T.shape_of(tensor, axis) are values; T.dispatch, T.case and T.fallback stand behind 'with'; "
      "T.parallel, T.vectorized and T.unrolled stand behind 'for i in'");
}

Value PrimBody::call_function(const CallSyntax& node, const Value& callee, const CallArgs& args) {
  const auto* callable = callee.as<CallableRef>();
  const PrimFunction* function = callable != nullptr ? as_prim_function(**callable) : nullptr;
  if (function == nullptr) {
    refuse_here("TF2004", node,
                fmt::format("{} cannot be called from a @prim_func", describe(callee)),
                "a @prim_func calls other @prim_funcs");
  }
  if (&node != effect_node_) {
    refuse_here("TF2140", node, fmt::format("'{}' has no value", function->name()),
                "write the call as a statement; outputs are its last arguments");
  }
  if (!args.keywords.empty()) {
    refuse("TF2075", args.keywords[0].name_span, "arguments of a @prim_func have no names here");
  }
  std::vector<ExprRef> operands;
  for (const CallArg& arg : args.positional) operands.push_back(as_operand(arg));
  if (operands.size() != function->params().size()) {
    refuse_here("TF2075", node,
                fmt::format("'{}' takes {}, not {}", function->name(),
                            counted(function->params().size(), "argument"), operands.size()));
  }
  effect_ = Evaluate::call(
      SymbolRef::make(function->name(), function->callable_type(), {"", span(*node.callee)}),
      std::move(operands), {"", span(node)});
  return NoneValue{};
}

namespace {

PrimFunctionRef build(Sema& sema, const FunctionSyntax& syntax, const DefinitionSite& site,
                      const Decoration& decoration) {
  if (syntax.is_async) {
    refuse("TF2130", sema.span(syntax.header), "a function cannot be asynchronous", "write 'def'");
  }
  if (syntax.returns != nullptr && syntax.returns->kind != ExprSyntaxKind::none_literal) {
    refuse("TF2144", sema.span(*syntax.returns), "a @prim_func returns nothing",
           "outputs are its last parameters: @prim_func(outputs=1)");
  }
  DefinitionSite inner = site;
  if (decoration.topologies) inner.topologies = &*decoration.topologies;
  Evaluator annotations(sema, *site.scope);
  annotations.set_topologies(inner.topologies);
  Scope scope(site.scope);
  Parameters parameters = build_parameters(sema, syntax, annotations, decoration.renaming, scope);
  PrimBody body(sema, scope, inner);
  SyntaxBlock statements = syntax.body;
  if (!statements.empty() && is_docstring(*statements[0])) statements = statements.subspan(1);
  const Block block = body.run(statements);
  if (body.failed() || !parameters.complete) return nullptr;
  const std::string& renamed = decoration.renaming.name;
  std::string name = renamed.empty() ? std::string(syntax.name.text) : renamed;
  const Metadata meta{name, sema.span(syntax.name.range)};
  return PrimFunction::make(std::move(name), std::move(parameters.vars), make_block(block),
                            decoration.outputs, decoration.target, meta);
}

}  // namespace

PrimFunctionRef build_prim_function(Sema& sema, const FunctionSyntax& syntax,
                                    const DefinitionSite& site, const Decoration& decoration) {
  try {
    return build(sema, syntax, site, decoration);
  } catch (...) {
    sema.report_current(sema.span(syntax.name.range));
    return nullptr;
  }
}

bool verify_prim_functions(Sema& sema, const ModuleRef& module, const Span& place) {
  try {
    verify_module(module);
    return true;
  } catch (...) {
    sema.report_current(place);
    return false;
  }
}

}  // namespace tilefoundry
