// Expressions above the operators, tuples without parentheses, and assignment targets.
#include <fmt/format.h>

#include "tilefoundry/frontend/parser_impl.h"

namespace tilefoundry {

const ExprSyntax* Parser::parse_expression() {
  if (at(TokenKind::kw_lambda)) return parse_lambda();
  const std::uint32_t start = begin();
  const ExprSyntax* value = parse_operators(OperatorLevel::logical_or);
  return at(TokenKind::kw_if) ? parse_conditional(value, start) : value;
}

const ExprSyntax* Parser::parse_conditional(const ExprSyntax* then_value, std::uint32_t start) {
  const Nesting level(*this);
  advance();
  const ExprSyntax* condition = parse_operators(OperatorLevel::logical_or);
  if (!accept(TokenKind::kw_else)) {
    fail_expected("'else' after the condition",
                  "a conditional expression is written 'a if condition else b'");
  }
  const ExprSyntax* else_value = parse_expression();
  auto* node = make<ConditionalSyntax>(ExprSyntaxKind::conditional, since(start));
  node->condition = condition;
  node->then_value = then_value;
  node->else_value = else_value;
  return node;
}

const ExprSyntax* Parser::parse_lambda() {
  const Nesting level(*this);
  const std::uint32_t start = begin();
  advance();
  const auto parameters = parse_parameters(TokenKind::colon, false);
  expect(TokenKind::colon, "':' after the parameters of the lambda");
  const ExprSyntax* body = parse_expression();
  auto* node = make<LambdaSyntax>(ExprSyntaxKind::lambda, since(start));
  node->parameters = parameters;
  node->body = body;
  return node;
}

const ExprSyntax* Parser::parse_named_expression() {
  if (!at(TokenKind::name) || peek().kind != TokenKind::walrus) return parse_expression();
  const std::uint32_t start = begin();
  auto* target = make<NameSyntax>(ExprSyntaxKind::name, current().range);
  target->text = text(current().range);
  advance();
  advance();
  const ExprSyntax* value = parse_expression();
  auto* node = make<NamedSyntax>(ExprSyntaxKind::named, since(start));
  node->target = target;
  node->value = value;
  return node;
}

const ExprSyntax* Parser::parse_star_element(bool named) {
  if (!at(TokenKind::star)) return named ? parse_named_expression() : parse_expression();
  const std::uint32_t start = begin();
  advance();
  const ExprSyntax* value = parse_operators(OperatorLevel::bit_or);
  auto* node = make<WrapperSyntax>(ExprSyntaxKind::starred, since(start));
  node->value = value;
  return node;
}

const ExprSyntax* Parser::parse_star_expressions() {
  const std::uint32_t start = begin();
  return finish_tuple(parse_star_element(false), start, false);
}

const ExprSyntax* Parser::finish_tuple(const ExprSyntax* first, std::uint32_t start, bool named) {
  if (!at(TokenKind::comma)) return first;
  std::vector<const ExprSyntax*> elements = {first};
  while (accept(TokenKind::comma) && !at_expression_end()) {
    elements.push_back(parse_star_element(named));
  }
  auto* node = make<SequenceSyntax>(ExprSyntaxKind::tuple, since(start));
  node->elements = keep(elements);
  return node;
}

const ExprSyntax* Parser::parse_yield() {
  const std::uint32_t start = begin();
  advance();
  ExprSyntaxKind kind = ExprSyntaxKind::yield;
  const ExprSyntax* value = nullptr;
  if (accept(TokenKind::kw_from)) {
    kind = ExprSyntaxKind::yield_from;
    value = parse_expression();
  } else if (!at_expression_end()) {
    value = parse_star_expressions();
  }
  auto* node = make<WrapperSyntax>(kind, since(start));
  node->value = value;
  return node;
}

// Whether the current token can only come after an expression list, not go on with it.
bool Parser::at_expression_end() const {
  switch (current().kind) {
    case TokenKind::end_of_file:
    case TokenKind::newline:
    case TokenKind::semicolon:
    case TokenKind::colon:
    case TokenKind::kw_in:
    case TokenKind::right_paren:
    case TokenKind::right_square:
    case TokenKind::right_brace: return true;
    default: return current().kind == TokenKind::assign || current().kind >= TokenKind::plus_assign;
  }
}

// --- targets ---

const ExprSyntax* Parser::parse_target_list(TargetUse use) {
  const std::uint32_t start = begin();
  const auto element = [this] {
    return at(TokenKind::star) ? parse_star_element(false) : parse_operators(OperatorLevel::bit_or);
  };
  const ExprSyntax* target = element();
  if (at(TokenKind::comma)) {
    std::vector<const ExprSyntax*> elements = {target};
    while (accept(TokenKind::comma) && !at_expression_end()) elements.push_back(element());
    auto* node = make<SequenceSyntax>(ExprSyntaxKind::tuple, since(start));
    node->elements = keep(elements);
    target = node;
  }
  check_target(target, use);
  return target;
}

void Parser::check_target(const ExprSyntax* target, TargetUse use) {
  switch (target->kind) {
    case ExprSyntaxKind::name:
    case ExprSyntaxKind::attribute:
    case ExprSyntaxKind::subscript: return;
    case ExprSyntaxKind::tuple:
    case ExprSyntaxKind::list:
      for (const ExprSyntax* element : target->as<SequenceSyntax>()->elements) {
        check_target(element, use);
      }
      return;
    case ExprSyntaxKind::starred:
      if (use == TargetUse::del) break;
      check_target(target->as<WrapperSyntax>()->value, use);
      return;
    default: break;
  }
  fail_target(target, use);
}

namespace {

std::string_view expression_name(ExprSyntaxKind kind) {
  switch (kind) {
    case ExprSyntaxKind::none_literal: return "None";
    case ExprSyntaxKind::true_literal: return "True";
    case ExprSyntaxKind::false_literal: return "False";
    case ExprSyntaxKind::ellipsis: return "...";
    case ExprSyntaxKind::integer:
    case ExprSyntaxKind::floating:
    case ExprSyntaxKind::imaginary: return "a number";
    case ExprSyntaxKind::string:
    case ExprSyntaxKind::bytes:
    case ExprSyntaxKind::f_string: return "a string";
    case ExprSyntaxKind::call: return "a call";
    case ExprSyntaxKind::compare: return "a comparison";
    case ExprSyntaxKind::conditional: return "a conditional expression";
    case ExprSyntaxKind::lambda: return "a lambda";
    case ExprSyntaxKind::starred: return "a starred expression";
    case ExprSyntaxKind::unary:
    case ExprSyntaxKind::binary:
    case ExprSyntaxKind::boolean: return "the result of an operator";
    default: return "this expression";
  }
}

}  // namespace

void Parser::fail_target(const ExprSyntax* target, TargetUse use) {
  const std::string_view verb = use == TargetUse::del ? "delete" : "assign to";
  const bool may_mean_compare = use == TargetUse::assign && target->kind != ExprSyntaxKind::starred;
  fail("TF1104", target->range, fmt::format("cannot {} {}", verb, expression_name(target->kind)),
       may_mean_compare ? "write a name on the left of '=', or '==' to compare" : "");
}

}  // namespace tilefoundry
