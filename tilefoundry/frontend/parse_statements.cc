// Simple statements.
#include <optional>
#include <utility>

#include <fmt/format.h>

#include "tilefoundry/frontend/parser_impl.h"

namespace tilefoundry {
namespace {

// The operator of an augmented assignment.
std::optional<BinaryOperator> augmented_operator(TokenKind kind) {
  switch (kind) {
    case TokenKind::plus_assign: return BinaryOperator::add;
    case TokenKind::minus_assign: return BinaryOperator::subtract;
    case TokenKind::star_assign: return BinaryOperator::multiply;
    case TokenKind::double_star_assign: return BinaryOperator::power;
    case TokenKind::slash_assign: return BinaryOperator::divide;
    case TokenKind::double_slash_assign: return BinaryOperator::floor_divide;
    case TokenKind::percent_assign: return BinaryOperator::modulo;
    case TokenKind::at_assign: return BinaryOperator::matmul;
    case TokenKind::left_shift_assign: return BinaryOperator::left_shift;
    case TokenKind::right_shift_assign: return BinaryOperator::right_shift;
    case TokenKind::ampersand_assign: return BinaryOperator::bit_and;
    case TokenKind::pipe_assign: return BinaryOperator::bit_or;
    case TokenKind::caret_assign: return BinaryOperator::bit_xor;
    default: return std::nullopt;
  }
}

}  // namespace

void Parser::parse_statement(std::vector<const StmtSyntax*>& out) {
  const std::size_t nesting = nesting_;
  try {
    parse_statement_unguarded(out);
  } catch (const Abandon&) {
    nesting_ = nesting;
    recover();
  }
}

void Parser::parse_statement_unguarded(std::vector<const StmtSyntax*>& out) {
  if (at(TokenKind::indent)) {
    report("TF1102", current().range, "this line is indented, but opens no block",
           "indent it like the line above");
    const Nesting level(*this);
    parse_orphan_block(out);
  } else if (const StmtSyntax* statement = parse_compound()) {
    out.push_back(statement);
  } else {
    parse_simple_line(out);
  }
}

// Simple statements with semicolons between them, and the end of the line.
void Parser::parse_simple_line(std::vector<const StmtSyntax*>& out) {
  do {
    out.push_back(parse_simple_statement());
  } while (accept(TokenKind::semicolon) && !at(TokenKind::newline));
  if (!accept(TokenKind::newline)) fail_statement_end();
}

const StmtSyntax* Parser::parse_simple_statement() {
  if (is_keyword(current().kind)) {
    if (const StmtSyntax* statement = parse_keyword_statement()) return statement;
  }
  if (at_word("type") && peek().kind == TokenKind::name) return parse_type_alias();
  return parse_expression_statement();
}

const StmtSyntax* Parser::parse_keyword_statement() {
  const auto alone = [&](StmtSyntaxKind kind) {
    const TextRange range = current().range;
    advance();
    return make<StmtSyntax>(kind, range);
  };
  switch (current().kind) {
    case TokenKind::kw_pass: return alone(StmtSyntaxKind::pass_statement);
    case TokenKind::kw_break: return alone(StmtSyntaxKind::break_statement);
    case TokenKind::kw_continue: return alone(StmtSyntaxKind::continue_statement);
    case TokenKind::kw_return: return parse_return();
    case TokenKind::kw_raise: return parse_raise();
    case TokenKind::kw_assert: return parse_assert();
    case TokenKind::kw_del: return parse_delete();
    case TokenKind::kw_global: return parse_scope(StmtSyntaxKind::global_statement);
    case TokenKind::kw_nonlocal: return parse_scope(StmtSyntaxKind::nonlocal_statement);
    case TokenKind::kw_import: return parse_import();
    case TokenKind::kw_from: return parse_import_from();
    case TokenKind::kw_elif:
    case TokenKind::kw_else:
    case TokenKind::kw_except:
    case TokenKind::kw_finally:
    case TokenKind::kw_if:
    case TokenKind::kw_for:
    case TokenKind::kw_while:
    case TokenKind::kw_with:
    case TokenKind::kw_try:
    case TokenKind::kw_def:
    case TokenKind::kw_class:
    case TokenKind::kw_async: fail_misplaced_keyword();
    default: return nullptr;
  }
}

const ExprSyntax* Parser::parse_right_side() {
  return at(TokenKind::kw_yield) ? parse_yield() : parse_star_expressions();
}

const StmtSyntax* Parser::parse_expression_statement() {
  const std::uint32_t start = begin();
  const ExprSyntax* value = parse_right_side();
  if (at(TokenKind::assign)) return parse_assignment(value, start);
  if (at(TokenKind::colon) && peek().kind != TokenKind::newline) {
    return parse_annotated(value, start);
  }
  if (augmented_operator(current().kind)) return parse_augmented(value, start);
  auto* statement = make<ValueStmtSyntax>(StmtSyntaxKind::expression, since(start));
  statement->value = value;
  return statement;
}

// For an annotation or an augmented assignment, whose mark is the current token.
void Parser::check_single_target(const ExprSyntax* target) {
  switch (target->kind) {
    case ExprSyntaxKind::name:
    case ExprSyntaxKind::attribute:
    case ExprSyntaxKind::subscript: return;
    default:
      fail("TF1104", target->range,
           fmt::format("'{}' needs a single name, attribute or item on its left",
                       text(current().range)));
  }
}

const StmtSyntax* Parser::parse_annotated(const ExprSyntax* target, std::uint32_t start) {
  check_single_target(target);
  advance();
  const ExprSyntax* annotation = parse_expression();
  const ExprSyntax* value = accept(TokenKind::assign) ? parse_right_side() : nullptr;
  auto* statement = make<AnnotatedAssignSyntax>(StmtSyntaxKind::annotated_assign, since(start));
  statement->target = target;
  statement->annotation = annotation;
  statement->value = value;
  return statement;
}

const StmtSyntax* Parser::parse_assignment(const ExprSyntax* first, std::uint32_t start) {
  std::vector<const ExprSyntax*> targets;
  const ExprSyntax* value = first;
  while (accept(TokenKind::assign)) {
    check_target(value, TargetUse::assign);
    targets.push_back(value);
    value = parse_right_side();
  }
  auto* statement = make<AssignSyntax>(StmtSyntaxKind::assign, since(start));
  statement->targets = keep(targets);
  statement->value = value;
  return statement;
}

const StmtSyntax* Parser::parse_augmented(const ExprSyntax* target, std::uint32_t start) {
  check_single_target(target);
  const Token op = current();
  advance();
  const ExprSyntax* value = parse_right_side();
  auto* statement = make<AugmentedAssignSyntax>(StmtSyntaxKind::augmented_assign, since(start));
  statement->target = target;
  statement->op = *augmented_operator(op.kind);
  statement->op_range = op.range;
  statement->value = value;
  return statement;
}

const StmtSyntax* Parser::parse_return() {
  const std::uint32_t start = begin();
  advance();
  const ExprSyntax* value = at_expression_end() ? nullptr : parse_star_expressions();
  auto* statement = make<ValueStmtSyntax>(StmtSyntaxKind::return_statement, since(start));
  statement->value = value;
  return statement;
}

const StmtSyntax* Parser::parse_raise() {
  const std::uint32_t start = begin();
  advance();
  const ExprSyntax* exception = at_expression_end() ? nullptr : parse_expression();
  const ExprSyntax* cause = exception && accept(TokenKind::kw_from) ? parse_expression() : nullptr;
  auto* statement = make<RaiseSyntax>(StmtSyntaxKind::raise_statement, since(start));
  statement->exception = exception;
  statement->cause = cause;
  return statement;
}

const StmtSyntax* Parser::parse_assert() {
  const std::uint32_t start = begin();
  advance();
  const ExprSyntax* condition = parse_expression();
  const ExprSyntax* message = accept(TokenKind::comma) ? parse_expression() : nullptr;
  auto* statement = make<AssertSyntax>(StmtSyntaxKind::assert_statement, since(start));
  statement->condition = condition;
  statement->message = message;
  return statement;
}

const StmtSyntax* Parser::parse_delete() {
  const std::uint32_t start = begin();
  advance();
  std::vector<const ExprSyntax*> targets;
  do {
    targets.push_back(parse_star_element(false));
    check_target(targets.back(), TargetUse::del);
  } while (accept(TokenKind::comma) && !at_expression_end());
  auto* statement = make<DeleteSyntax>(StmtSyntaxKind::delete_statement, since(start));
  statement->targets = keep(targets);
  return statement;
}

const StmtSyntax* Parser::parse_scope(StmtSyntaxKind kind) {
  const std::uint32_t start = begin();
  advance();
  std::vector<Identifier> names;
  do {
    names.push_back(parse_identifier("a name"));
  } while (accept(TokenKind::comma));
  auto* statement = make<ScopeSyntax>(kind, since(start));
  statement->names = keep(names);
  return statement;
}

const StmtSyntax* Parser::parse_type_alias() {
  const std::uint32_t start = begin();
  advance();
  const Identifier name = parse_identifier("the name of the type");
  expect(TokenKind::assign, "'=' after the name of the type");
  const ExprSyntax* value = parse_expression();
  auto* statement = make<TypeAliasSyntax>(StmtSyntaxKind::type_alias, since(start));
  statement->name = name;
  statement->value = value;
  return statement;
}

// --- imports ---

Identifier Parser::parse_dotted_name() {
  const std::uint32_t start = begin();
  bool dotted = false;
  std::string joined(parse_identifier("the name of a module").text);
  while (accept(TokenKind::dot)) {
    dotted = true;
    joined += '.';
    joined += parse_identifier("a name after the dot").text;
  }
  const TextRange range = since(start);
  const bool as_written = !dotted || text(range) == joined;
  return {as_written ? text(range) : tree_.arena().copy(joined), range};
}

const StmtSyntax* Parser::parse_import() {
  const std::uint32_t start = begin();
  advance();
  std::vector<ImportNameSyntax> names;
  do {
    ImportNameSyntax& item = names.emplace_back();
    item.name = parse_dotted_name();
    if (accept(TokenKind::kw_as)) item.alias = parse_identifier("a name after 'as'");
  } while (accept(TokenKind::comma));
  auto* statement = make<ImportSyntax>(StmtSyntaxKind::import_statement, since(start));
  statement->names = keep(names);
  return statement;
}

std::vector<ImportNameSyntax> Parser::parse_imported_names() {
  std::vector<ImportNameSyntax> names;
  const bool parenthesized = accept(TokenKind::left_paren);
  do {
    if (parenthesized && !names.empty() && at(TokenKind::right_paren)) break;
    ImportNameSyntax& item = names.emplace_back();
    item.name = parse_identifier("a name to import");
    if (accept(TokenKind::kw_as)) item.alias = parse_identifier("a name after 'as'");
    if (!parenthesized && at(TokenKind::comma) && peek().kind == TokenKind::newline) {
      fail("TF1101", current().range, "a list of imported names ends with a comma",
           "remove it, or put the names in parentheses");
    }
  } while (accept(TokenKind::comma));
  if (parenthesized) expect_close(TokenKind::right_paren, "',' or ')' after the imported name");
  return names;
}

const StmtSyntax* Parser::parse_import_from() {
  const std::uint32_t start = begin();
  advance();
  std::uint32_t level = 0;
  while (at(TokenKind::dot) || at(TokenKind::ellipsis)) {
    level += at(TokenKind::dot) ? 1 : 3;
    advance();
  }
  Identifier module;
  if (level == 0 || !at(TokenKind::kw_import)) module = parse_dotted_name();
  expect(TokenKind::kw_import, "'import' after the name of the module");
  const bool star = accept(TokenKind::star);
  std::vector<ImportNameSyntax> names;
  if (!star) names = parse_imported_names();
  auto* statement = make<ImportFromSyntax>(StmtSyntaxKind::import_from, since(start));
  statement->level = level;
  statement->module = module;
  statement->names = keep(names);
  statement->is_star = star;
  return statement;
}

}  // namespace tilefoundry
