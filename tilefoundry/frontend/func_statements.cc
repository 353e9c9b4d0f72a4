// Statements of bodies of `@func`.

#include <utility>

#include <fmt/format.h>

#include "tilefoundry/frontend/func_body.h"
#include "tilefoundry/frontend/refusals.h"
#include "tilefoundry/support/text.h"
#include "tilefoundry/text/type_text.h"

namespace tilefoundry {

bool FuncBody::run(SyntaxBlock body) {
  const bool docstring = !body.empty() && is_docstring(*body[0]);
  run_block(docstring ? body.subspan(1) : body);
  return !failed_;
}

void FuncBody::run_block(SyntaxBlock body) {
  for (const StmtSyntax* stmt : body) {
    if (sema_.sink().full()) return;
    const std::size_t open = meshes_.size();
    try {
      run_statement(*stmt);
    } catch (...) {
      failed_ = true;
      meshes_.resize(open);
      execution_scope_ = meshes_.empty() ? nullptr : ExecutionScope::make(meshes_);
      poison_targets(*stmt);
      sema_.report_current(sema_.span(*stmt));
    }
  }
}

void FuncBody::run_statement(const StmtSyntax& stmt) {
  if (returned_) {
    refuse("TF2120", sema_.span(stmt), "nothing runs after 'return'",
           "a function returns once, at its end");
  }
  if (loop_depth_ > 0 && stmt.kind == StmtSyntaxKind::return_statement) {
    refuse("TF2406", sema_.span(stmt), "'return' cannot stand in a loop",
           "return the carried value after the loop");
  }
  if (loop_depth_ > 0 && stmt.kind == StmtSyntaxKind::with_statement) {
    refuse("TF2406", sema_.span(stmt), "'with' cannot stand in a loop",
           "open the Mesh around the loop");
  }
  switch (stmt.kind) {
    case StmtSyntaxKind::assign: return run_assign(*stmt.as<AssignSyntax>());
    case StmtSyntaxKind::annotated_assign: return run_annotated(*stmt.as<AnnotatedAssignSyntax>());
    case StmtSyntaxKind::return_statement: return run_return(*stmt.as<ValueStmtSyntax>());
    case StmtSyntaxKind::with_statement: return run_with(*stmt.as<WithSyntax>());
    case StmtSyntaxKind::for_statement: return run_for(*stmt.as<ForSyntax>());
    case StmtSyntaxKind::pass_statement: return;
    default: refuse_statement(stmt);
  }
}

void FuncBody::poison_targets(const StmtSyntax& stmt) {
  // `x += y` leaves x as it was.
  if (stmt.kind == StmtSyntaxKind::augmented_assign) return;
  for_each_bound_name(stmt, [&](std::string_view name) { scope_.bind(name, PoisonedValue{}); });
  if (stmt.kind == StmtSyntaxKind::return_statement && loop_depth_ == 0) returned_ = true;
}

void FuncBody::run_assign(const AssignSyntax& stmt) {
  const auto* name = stmt.targets[0]->as<NameSyntax>();
  const Value value =
      name != nullptr ? evaluate_named(*stmt.value, name->text) : evaluate(*stmt.value);
  for (const ExprSyntax* target : stmt.targets) assign(*target, value);
}

void FuncBody::assign(const ExprSyntax& target, const Value& value) {
  if (const auto* name = target.as<NameSyntax>()) {
    scope_.bind(name->text, value);
    return;
  }
  const auto* pattern = target.as<SequenceSyntax>();
  if (pattern == nullptr) {
    const bool item = target.kind == ExprSyntaxKind::subscript;
    refuse_here("TF2106", target, "only names can be assigned: values do not change",
                item ? "make a new value that differs in this part, and name it" : "");
  }
  const auto* expr = value.as<ExprRef>();
  const TupleType* fields = expr != nullptr ? as_tuple((*expr)->type()) : nullptr;
  if (fields == nullptr) {
    const std::vector<Value>* items = value.items();
    if (items != nullptr && items->size() == pattern->elements.size()) {
      for (std::size_t i = 0; i < items->size(); ++i) assign(*pattern->elements[i], (*items)[i]);
      return;
    }
  }
  if (fields == nullptr || fields->fields().size() != pattern->elements.size()) {
    refuse_here("TF2107", target,
                fmt::format("{} cannot be unpacked into {}", describe(value),
                            counted(pattern->elements.size(), "name")));
  }
  for (std::size_t i = 0; i < pattern->elements.size(); ++i) {
    const ExprSyntax& part = *pattern->elements[i];
    if (part.kind == ExprSyntaxKind::starred) {
      refuse_here("TF2107", part, "a starred name takes no part of a tuple",
                  "name every field: a, b = value");
    }
    const auto* name = part.as<NameSyntax>();
    Metadata meta{name != nullptr ? std::string(name->text) : std::string(), (*expr)->span()};
    assign(part, Value(tuple_item(*expr, i, std::move(meta))));
  }
}

void FuncBody::run_annotated(const AnnotatedAssignSyntax& stmt) {
  if (is_call_of(*stmt.annotation, "where")) {
    refuse("TF2109", sema_.span(*stmt.annotation),
           "scheduling constraints are not supported yet: 'x: where(...)'",
           "leave the annotation out");
  }
  refuse("TF2110", sema_.span(*stmt.annotation), "a value inside of a body has no annotation",
         "leave it out: types are inferred");
}

void FuncBody::run_return(const ValueStmtSyntax& stmt) {
  returned_ = true;
  if (stmt.value == nullptr) {
    refuse("TF2121", sema_.span(stmt), "'return' gives no value", "return the result: return x");
  }
  return_span_ = span(*stmt.value);
  result_ = as_result(evaluate(*stmt.value), return_span_);
}

void FuncBody::run_with(const WithSyntax& stmt) {
  if (stmt.is_async) {
    refuse("TF2130", sema_.span(stmt), "'async with' cannot stand here", "write 'with'");
  }
  const std::size_t outer = meshes_.size();
  for (const WithItemSyntax& item : stmt.items) {
    const Value value = evaluate(*item.context);
    const auto* mesh = value.as<MeshRef>();
    if (mesh == nullptr) {
      refuse_here("TF2122", *item.context,
                  fmt::format("'with' opens a Mesh, not {}", describe(value)),
                  "with Mesh((\"cta\",), Layout((4,), (1,)), names=(\"x\",)) as m:");
    }
    meshes_.push_back(*mesh);
    if (item.target != nullptr) bind_target(sema_, *item.target, value, scope_);
  }
  execution_scope_ = ExecutionScope::make(meshes_);
  run_block(stmt.body);
  meshes_.resize(outer);
  execution_scope_ = meshes_.empty() ? nullptr : ExecutionScope::make(meshes_);
}

void FuncBody::refuse_statement(const StmtSyntax& stmt) {
  switch (stmt.kind) {
    case StmtSyntaxKind::if_statement:
      refuse("TF2104", sema_.span(stmt), "'if' cannot stand in @func",
             "choose element by element with 'where(condition, a, b)'");
    case StmtSyntaxKind::while_statement:
      refuse("TF2131", sema_.span(stmt), "'while' cannot stand in @func",
             "the number of steps is known before a loop runs: 'for i in range(n)'");
    case StmtSyntaxKind::augmented_assign: {
      const auto& assign = *stmt.as<AugmentedAssignSyntax>();
      const std::string target(sema_.tree().text(assign.target->range));
      refuse("TF2132", sema_.span(stmt),
             fmt::format("'{}=' cannot stand in @func: values do not change",
                         operator_text(assign.op)),
             fmt::format("write '{} = {} {} ...'", target, target, operator_text(assign.op)));
    }
    case StmtSyntaxKind::expression: {
      const ExprSyntax& value = *stmt.as<ValueStmtSyntax>()->value;
      if (value.kind == ExprSyntaxKind::call || value.kind == ExprSyntaxKind::name) {
        evaluate(value);  // its own errors come first
      } else if (refuses_by_kind(value)) {
        evaluate(value);
      }
      refuse("TF2133", sema_.span(stmt), "the value of this statement is not used",
             "name it: x = ..., or return it");
    }
    default: refuse_foreign_statement(sema_, stmt, "in @func");
  }
}

}  // namespace tilefoundry
