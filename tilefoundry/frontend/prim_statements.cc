// Statements of bodies of `@prim_func`.

#include <utility>

#include <fmt/format.h>

#include "tilefoundry/frontend/arithmetic.h"
#include "tilefoundry/frontend/op_binding.h"
#include "tilefoundry/frontend/operators.h"
#include "tilefoundry/frontend/prim_body.h"
#include "tilefoundry/frontend/refusals.h"
#include "tilefoundry/ir/tir/ops.h"
#include "tilefoundry/support/text.h"

namespace tilefoundry {

Block PrimBody::run(SyntaxBlock body) {
  Block block;
  for (const StmtSyntax* stmt : body) {
    if (sema_.sink().full()) break;
    try {
      statement(*stmt, block);
    } catch (...) {
      failed_ = true;
      effect_node_ = nullptr;
      effect_ = nullptr;
      for_each_bound_name(*stmt,
                          [&](std::string_view name) { scope_->bind(name, PoisonedValue{}); });
      sema_.report_current(sema_.span(*stmt));
    }
  }
  return block;
}

void PrimBody::statement(const StmtSyntax& stmt, Block& block) {
  switch (stmt.kind) {
    case StmtSyntaxKind::assign: return assign(*stmt.as<AssignSyntax>(), block);
    case StmtSyntaxKind::expression: return effect(*stmt.as<ValueStmtSyntax>(), block);
    case StmtSyntaxKind::for_statement: return loop(*stmt.as<ForSyntax>(), block);
    case StmtSyntaxKind::while_statement: return repeat(*stmt.as<WhileSyntax>(), block);
    case StmtSyntaxKind::if_statement: return branch(*stmt.as<IfSyntax>(), 0, block);
    case StmtSyntaxKind::with_statement:
      if (const CallSyntax* head = form_block(stmt, "dispatch")) {
        return dispatch(*head, *stmt.as<WithSyntax>(), block);
      }
      return mesh_scope(*stmt.as<WithSyntax>(), 0, block);
    case StmtSyntaxKind::pass_statement: return;
    case StmtSyntaxKind::return_statement:
      if (const ExprSyntax* value = stmt.as<ValueStmtSyntax>()->value) {
        refuse_here("TF2144", *value, "a @prim_func returns nothing",
                    "write the result to an output: y[i] = value");
      }
      block.push_back(BlockItem::of(Return::make(place_of(stmt))));
      return;
    default: refuse_statement(stmt);
  }
}

void PrimBody::refuse_statement(const StmtSyntax& stmt) {
  if (const auto* assign = stmt.as<AugmentedAssignSyntax>()) {
    const std::string target(sema_.tree().text(assign->target->range));
    refuse("TF2132", sema_.span(stmt),
           fmt::format("'{}=' cannot stand in @prim_func", operator_text(assign->op)),
           fmt::format("write '{} = {} {} ...'", target, target, operator_text(assign->op)));
  }
  if (const auto* annotated = stmt.as<AnnotatedAssignSyntax>()) {
    refuse("TF2110", sema_.span(*annotated->annotation),
           "a value inside of a body has no annotation", "leave it out: types are inferred");
  }
  refuse_foreign_statement(sema_, stmt, "in @prim_func");
}

StmtRef PrimBody::inner_block(SyntaxBlock body) {
  const InnerScope inner(*this);
  return make_block(run(body));
}

void PrimBody::assign(const AssignSyntax& stmt, Block& block) {
  if (stmt.targets.size() != 1) {
    refuse("TF2106", sema_.span(stmt), "a statement of TIR assigns once");
  }
  const ExprSyntax& target = *stmt.targets[0];
  if (const auto* element = target.as<SubscriptSyntax>()) {
    return store_element(*element, *stmt.value, block);
  }
  const auto* name = target.as<NameSyntax>();
  if (name == nullptr) {
    refuse_here("TF2106", target, "only names and elements of tensors can be assigned");
  }
  const Value value = evaluate_named(*stmt.value, name->text);
  const bool runtime = value.is_runtime();
  if (!runtime) {
    scope_->bind(name->text, value);
    return;
  }
  ExprRef expr = as_operand(operand(*stmt.value, value));
  VarRef var = Var::make(std::string(name->text), expr->type(), false, span(target));
  scope_->bind(name->text, Value(ExprRef(var)));
  block.push_back(
      BlockItem::let(std::move(var), std::move(expr), {std::string(name->text), sema_.span(stmt)}));
}

void PrimBody::store_element(const SubscriptSyntax& target, const ExprSyntax& value, Block& block) {
  std::vector<CallArg> operands{{evaluate(*target.value), span(*target.value)},
                                {evaluate(value), span(value)}};
  for (CallArg& index : indices(*target.index)) operands.push_back(std::move(index));
  effect_node_ = &target;
  emit_named(kSetElementOp.class_name, target, std::move(operands));
  effect_node_ = nullptr;
  block.push_back(BlockItem::of(std::exchange(effect_, nullptr)));
}

// `f(a, b)` for a prim function that stands further down.
bool PrimBody::later_call(const ValueStmtSyntax& stmt, Block& block) {
  const auto* call = stmt.value->as<CallSyntax>();
  const auto* name = call != nullptr ? call->callee->as<NameSyntax>() : nullptr;
  if (name == nullptr || names().find(name->text)) return false;
  std::string symbol_name;
  const Ref<const CallableType> type = later_signature(name->text, symbol_name);
  if (!type) return false;
  std::vector<ExprRef> operands;
  const CallArgs args = evaluate_arguments(*call, ArgumentKindWanted::operands);
  for (const CallArg& arg : args.positional) operands.push_back(as_operand(arg));
  block.push_back(
      BlockItem::of(Evaluate::call(SymbolRef::make(symbol_name, type, {"", span(*call->callee)}),
                                   std::move(operands), place_of(stmt))));
  return true;
}

void PrimBody::effect(const ValueStmtSyntax& stmt, Block& block) {
  if (later_call(stmt, block)) return;
  effect_node_ = stmt.value;
  evaluate(*stmt.value);
  effect_node_ = nullptr;
  if (!effect_) {
    refuse("TF2133", sema_.span(stmt), "the value of this statement is not used",
           "name it: x = ...");
  }
  block.push_back(BlockItem::of(std::exchange(effect_, nullptr)));
}

void PrimBody::loop(const ForSyntax& stmt, Block& block) {
  const auto* name = stmt.target->as<NameSyntax>();
  const auto* call = stmt.iterable->as<CallSyntax>();
  const Value form = call != nullptr ? evaluate(*call->callee) : Value();
  const auto* builtin = form.as<const Builtin*>();
  ForMode mode = ForMode::serial;
  bool known = builtin != nullptr && (*builtin)->name == "range";
  if (builtin != nullptr && (*builtin)->kind == BuiltinKind::tir_form) {
    known = true;
    if ((*builtin)->name == "parallel") {
      mode = ForMode::parallel;
    } else if ((*builtin)->name == "vectorized") {
      mode = ForMode::vectorized;
    } else {
      mode = ForMode::unrolled;
      known = (*builtin)->name == "unrolled";
    }
  }
  const bool plain = name != nullptr && !stmt.is_async && stmt.else_body.empty();
  if (!known || !plain || call->arguments.empty() || call->arguments.size() > 3) {
    refuse("TF2145", sema_.span(stmt), "a loop of TIR runs over a range",
           "for i in range(stop), range(start, stop, step), T.parallel(...), T.vectorized(...) or "
           "T.unrolled(...)");
  }
  std::vector<Dim> bounds;
  for (const CallArg& arg :
       evaluate_arguments(*call, ArgumentKindWanted::compile_time).positional) {
    bounds.push_back(dim_argument(arg));
  }
  if (bounds.size() != call->arguments.size()) {
    refuse("TF2145", span(*call), "the bounds of a loop have no names");
  }
  const Dim start = bounds.size() > 1 ? bounds[0] : Dim(0);
  const Dim stop = bounds.size() > 1 ? bounds[1] : bounds[0];
  const Dim step = bounds.size() > 2 ? bounds[2] : Dim(1);
  VarRef var = Var::make(std::string(name->text), scalar_type(DType::i64), false, span(*name));
  InnerScope inner(*this);
  inner.scope().bind(name->text, Value(ExprRef(var)));
  StmtRef body = make_block(run(stmt.body));
  block.push_back(BlockItem::of(
      For::make(std::move(var), start, stop, step, std::move(body), mode, place_of(stmt))));
}

ExprRef PrimBody::condition(const ExprSyntax& node) {
  return as_operand({evaluate(node), span(node)});
}

void PrimBody::repeat(const WhileSyntax& stmt, Block& block) {
  if (!stmt.else_body.empty()) {
    refuse("TF2145", sema_.span(stmt), "a loop of TIR has no 'else'");
  }
  ExprRef cond = condition(*stmt.condition);
  block.push_back(
      BlockItem::of(While::make(std::move(cond), inner_block(stmt.body), place_of(stmt))));
}

void PrimBody::branch(const IfSyntax& stmt, std::size_t index, Block& block) {
  // From the last `elif` inwards; each is the `else` of the one before.
  std::vector<ExprRef> conditions;
  std::vector<StmtRef> bodies;
  for (; index < stmt.branches.size(); ++index) {
    conditions.push_back(condition(*stmt.branches[index].condition));
    bodies.push_back(inner_block(stmt.branches[index].body));
  }
  StmtRef rest = stmt.else_body.empty() ? nullptr : inner_block(stmt.else_body);
  for (std::size_t i = conditions.size(); i-- > 0;) {
    rest = If::make(conditions[i], bodies[i], rest, {"", sema_.span(stmt.branches[i].range)});
  }
  block.push_back(BlockItem::of(std::move(rest)));
}

void PrimBody::mesh_scope(const WithSyntax& stmt, std::size_t index, Block& block) {
  const WithItemSyntax& item = stmt.items[index];
  const Value value = evaluate(*item.context);
  const auto* mesh = value.as<MeshRef>();
  const auto* name = item.target != nullptr ? item.target->as<NameSyntax>() : nullptr;
  if (mesh == nullptr || (item.target != nullptr && name == nullptr)) {
    refuse_here("TF2122", *item.context,
                fmt::format("'with' opens a Mesh, not {}", describe(value)), "with mesh as m:");
  }
  const std::string binding(name != nullptr ? name->text : "");
  InnerScope inner(*this);
  if (name != nullptr) inner.scope().bind(name->text, value);
  StmtRef body;
  if (index + 1 < stmt.items.size()) {
    Block nested;
    mesh_scope(stmt, index + 1, nested);
    body = make_block(nested);
  } else {
    body = make_block(run(stmt.body));
  }
  block.push_back(BlockItem::of(MeshScope::make(*mesh, binding, std::move(body), place_of(stmt))));
}

}  // namespace tilefoundry
