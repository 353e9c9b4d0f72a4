#include "tilefoundry/frontend/refusals.h"

#include <fmt/format.h>

#include "tilefoundry/frontend/evaluator.h"

namespace tilefoundry {

std::string statement_words(const StmtSyntax& stmt) {
  switch (stmt.kind) {
    case StmtSyntaxKind::expression: return "an expression";
    case StmtSyntaxKind::assign:
    case StmtSyntaxKind::annotated_assign: return "an assignment";
    case StmtSyntaxKind::augmented_assign: return "an augmented assignment";
    case StmtSyntaxKind::function:
      return fmt::format("the function '{}'", stmt.as<FunctionSyntax>()->name.text);
    case StmtSyntaxKind::class_definition:
      return fmt::format("the class '{}'", stmt.as<ClassSyntax>()->name.text);
    case StmtSyntaxKind::if_statement: return "'if'";
    case StmtSyntaxKind::while_statement: return "'while'";
    case StmtSyntaxKind::for_statement: return "'for'";
    case StmtSyntaxKind::with_statement: return "'with'";
    case StmtSyntaxKind::return_statement: return "'return'";
    case StmtSyntaxKind::pass_statement: return "'pass'";
    case StmtSyntaxKind::break_statement: return "'break'";
    case StmtSyntaxKind::continue_statement: return "'continue'";
    case StmtSyntaxKind::raise_statement: return "'raise'";
    case StmtSyntaxKind::assert_statement: return "'assert'";
    case StmtSyntaxKind::delete_statement: return "'del'";
    case StmtSyntaxKind::global_statement: return "'global'";
    case StmtSyntaxKind::nonlocal_statement: return "'nonlocal'";
    case StmtSyntaxKind::try_statement: return "'try'";
    case StmtSyntaxKind::match_statement: return "'match'";
    case StmtSyntaxKind::import_statement:
    case StmtSyntaxKind::import_from: return "'import'";
    case StmtSyntaxKind::type_alias: return "'type'";
  }
  return "this statement";
}

namespace {

std::string_view statement_hint(StmtSyntaxKind kind) {
  switch (kind) {
    case StmtSyntaxKind::function: return "define it outside, above, with @func, and call it";
    case StmtSyntaxKind::class_definition: return "define it outside";
    case StmtSyntaxKind::import_statement:
    case StmtSyntaxKind::import_from: return "import at the top of the file";
    case StmtSyntaxKind::assert_statement:
    case StmtSyntaxKind::raise_statement: return "shapes and dtypes are checked by the signature";
    case StmtSyntaxKind::try_statement: return "nothing here raises: write the steps alone";
    case StmtSyntaxKind::delete_statement: return "leave it out: values need no release";
    case StmtSyntaxKind::match_statement: return "choose element by element with 'where'";
    case StmtSyntaxKind::global_statement:
    case StmtSyntaxKind::nonlocal_statement: return "take values as parameters and return them";
    default: return "";
  }
}

}  // namespace

void refuse_foreign_statement(Sema& sema, const StmtSyntax& stmt, std::string_view place) {
  refuse("TF2134", sema.span(stmt), fmt::format("{} cannot stand {}", statement_words(stmt), place),
         std::string(statement_hint(stmt.kind)));
}

bool is_docstring(const StmtSyntax& stmt) {
  const auto* value = stmt.as<ValueStmtSyntax>();
  return stmt.kind == StmtSyntaxKind::expression && value->value->kind == ExprSyntaxKind::string;
}

bool is_call_of(const ExprSyntax& node, std::string_view name) {
  const auto* call = node.as<CallSyntax>();
  const auto* callee = call != nullptr ? call->callee->as<NameSyntax>() : nullptr;
  return callee != nullptr && callee->text == name;
}

bool refuses_by_kind(const ExprSyntax& node) {
  switch (node.kind) {
    case ExprSyntaxKind::lambda:
    case ExprSyntaxKind::named:
    case ExprSyntaxKind::await:
    case ExprSyntaxKind::yield:
    case ExprSyntaxKind::yield_from: return true;
    default: return false;
  }
}

void for_each_bound_name(const StmtSyntax& stmt,
                         const std::function<void(std::string_view)>& visit) {
  const auto target = [&](const ExprSyntax* syntax) {
    if (syntax == nullptr) return;
    for_each_target_name(*syntax, [&](const NameSyntax& name) { visit(name.text); });
  };
  const auto block = [&](SyntaxBlock body) {
    for (const StmtSyntax* inner : body) for_each_bound_name(*inner, visit);
  };
  if (const auto* assign = stmt.as<AssignSyntax>()) {
    for (const ExprSyntax* each : assign->targets) target(each);
  } else if (const auto* annotated = stmt.as<AnnotatedAssignSyntax>()) {
    target(annotated->target);
  } else if (const auto* augmented = stmt.as<AugmentedAssignSyntax>()) {
    target(augmented->target);
  } else if (const auto* function = stmt.as<FunctionSyntax>()) {
    visit(function->name.text);
  } else if (const auto* cls = stmt.as<ClassSyntax>()) {
    visit(cls->name.text);
  } else if (const auto* loop = stmt.as<ForSyntax>()) {
    target(loop->target);
    block(loop->body);
    block(loop->else_body);
  } else if (const auto* repeat = stmt.as<WhileSyntax>()) {
    block(repeat->body);
    block(repeat->else_body);
  } else if (const auto* branch = stmt.as<IfSyntax>()) {
    for (const IfBranchSyntax& each : branch->branches) block(each.body);
    block(branch->else_body);
  } else if (const auto* with = stmt.as<WithSyntax>()) {
    for (const WithItemSyntax& item : with->items) target(item.target);
    block(with->body);
  } else if (const auto* attempt = stmt.as<TrySyntax>()) {
    block(attempt->body);
    for (const ExceptSyntax& handler : attempt->handlers) block(handler.body);
    block(attempt->else_body);
    block(attempt->final_body);
  } else if (const auto* import = stmt.as<ImportSyntax>()) {
    for (const ImportNameSyntax& name : import->names) {
      const std::string_view bound = name.alias.text.empty() ? name.name.text : name.alias.text;
      visit(bound.substr(0, bound.find('.')));
    }
  } else if (const auto* from = stmt.as<ImportFromSyntax>()) {
    for (const ImportNameSyntax& name : from->names) {
      visit(name.alias.text.empty() ? name.name.text : name.alias.text);
    }
  }
}

}  // namespace tilefoundry
