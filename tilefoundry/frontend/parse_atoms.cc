// Primaries: names, literals, displays and what follows them.
#include <utility>

#include <fmt/format.h>

#include "tilefoundry/frontend/literals.h"
#include "tilefoundry/frontend/parser_impl.h"

namespace tilefoundry {

const ExprSyntax* Parser::parse_primary() {
  const std::uint32_t start = begin();
  const bool awaited = accept(TokenKind::kw_await);
  const std::uint32_t value_begin = begin();
  const ExprSyntax* node = parse_atom();
  while (true) {
    if (at(TokenKind::dot)) {
      node = parse_attribute(node, value_begin);
    } else if (at(TokenKind::left_paren)) {
      node = parse_call(node, value_begin);
    } else if (at(TokenKind::left_square)) {
      node = parse_subscript(node, value_begin);
    } else {
      break;
    }
  }
  if (!awaited) return node;
  auto* wrapper = make<WrapperSyntax>(ExprSyntaxKind::await, since(start));
  wrapper->value = node;
  return wrapper;
}

const ExprSyntax* Parser::parse_plain(ExprSyntaxKind kind) {
  auto* node = make<ExprSyntax>(kind, current().range);
  advance();
  return node;
}

const ExprSyntax* Parser::parse_atom() {
  switch (current().kind) {
    case TokenKind::name: {
      auto* node = make<NameSyntax>(ExprSyntaxKind::name, current().range);
      node->text = text(node->range);
      advance();
      return node;
    }
    case TokenKind::kw_none: return parse_plain(ExprSyntaxKind::none_literal);
    case TokenKind::kw_true: return parse_plain(ExprSyntaxKind::true_literal);
    case TokenKind::kw_false: return parse_plain(ExprSyntaxKind::false_literal);
    case TokenKind::ellipsis: return parse_plain(ExprSyntaxKind::ellipsis);
    case TokenKind::integer:
    case TokenKind::floating:
    case TokenKind::imaginary: return parse_number();
    case TokenKind::string:
    case TokenKind::bytes:
    case TokenKind::f_string: return parse_strings();
    case TokenKind::left_paren: return parse_group();
    case TokenKind::left_square: return parse_list();
    case TokenKind::left_brace: return parse_braces();
    case TokenKind::kw_yield: fail_expected("an expression", "put 'yield' in parentheses");
    case TokenKind::kw_lambda: fail_expected("an operand", "put the lambda in parentheses");
    case TokenKind::star:
    case TokenKind::double_star:
      fail_expected("an expression", "unpacking with a star is for calls and lists of elements");
    default: fail_no_expression();
  }
}

const ExprSyntax* Parser::parse_number() {
  const Token token = current();
  advance();
  const std::string_view written = text(token.range);
  if (token.kind == TokenKind::integer) {
    auto* node = make<IntegerSyntax>(ExprSyntaxKind::integer, token.range);
    const IntegerValue value = integer_value(written);
    node->text = written;
    node->magnitude = value.magnitude;
    node->too_large = value.too_large;
    return node;
  }
  if (token.kind == TokenKind::floating) {
    auto* node = make<FloatSyntax>(ExprSyntaxKind::floating, token.range);
    node->text = written;
    node->value = float_value(written);
    return node;
  }
  auto* node = make<ImaginarySyntax>(ExprSyntaxKind::imaginary, token.range);
  node->text = written;
  return node;
}

// Adjacent literals are one string.
const ExprSyntax* Parser::parse_strings() {
  const std::uint32_t start = begin();
  const bool bytes = at(TokenKind::bytes);
  ExprSyntaxKind kind = bytes ? ExprSyntaxKind::bytes : ExprSyntaxKind::string;
  std::string value;
  while (at(TokenKind::string) || at(TokenKind::bytes) || at(TokenKind::f_string)) {
    const TextRange range = current().range;
    if (at(TokenKind::bytes) != bytes) {
      fail("TF1014", range, "a bytes literal stands beside a string", "use one of the two kinds");
    }
    if (at(TokenKind::f_string)) {
      kind = ExprSyntaxKind::f_string;
    } else {
      const StringProblem problem = append_string_value(text(range), value);
      if (!problem.message.empty()) {
        fail("TF1013", {range.begin + problem.range.begin, range.begin + problem.range.end},
             problem.message, problem.hint);
      }
    }
    advance();
  }
  if (kind == ExprSyntaxKind::f_string) return make<ExprSyntax>(kind, since(start));
  auto* node = make<StringSyntax>(kind, since(start));
  node->value = tree_.arena().copy(value);
  return node;
}

// --- brackets ---

void Parser::expect_close(TokenKind close, std::string_view wanted) {
  if (accept(close)) return;
  fail_expected(wanted, at(TokenKind::assign) ? "write '==' to compare" : "");
}

const ExprSyntax* Parser::parse_group() {
  const Nesting level(*this);
  const std::uint32_t start = begin();
  advance();
  if (accept(TokenKind::right_paren))
    return make<SequenceSyntax>(ExprSyntaxKind::tuple, since(start));
  if (at(TokenKind::kw_yield)) {
    const ExprSyntax* value = parse_yield();
    expect_close(TokenKind::right_paren, "')' after the expression");
    return value;
  }
  const std::uint32_t first_begin = begin();
  const ExprSyntax* first = parse_star_element(true);
  if (at_comprehension()) {
    auto* node = parse_comprehension(ExprSyntaxKind::generator, start, first, nullptr);
    expect_close(TokenKind::right_paren, "')' after the generator");
    node->range = since(start);
    return node;
  }
  if (!at(TokenKind::comma)) {
    expect_close(TokenKind::right_paren, "',' or ')' after the expression");
    if (first->kind == ExprSyntaxKind::starred) {
      fail("TF1101", first->range, "a starred expression cannot stand alone in parentheses",
           "add a comma to make a tuple");
    }
    return first;
  }
  const ExprSyntax* tuple = finish_tuple(first, first_begin, true);
  expect_close(TokenKind::right_paren, "',' or ')' after the element");
  auto* node = make<SequenceSyntax>(ExprSyntaxKind::tuple, since(start));
  node->elements = tuple->as<SequenceSyntax>()->elements;
  return node;
}

const ExprSyntax* Parser::parse_list() {
  const Nesting level(*this);
  const std::uint32_t start = begin();
  advance();
  std::vector<const ExprSyntax*> elements;
  while (!at(TokenKind::right_square)) {
    elements.push_back(parse_star_element(true));
    if (elements.size() == 1 && at_comprehension()) {
      auto* node =
          parse_comprehension(ExprSyntaxKind::list_comprehension, start, elements[0], nullptr);
      expect_close(TokenKind::right_square, "']' after the comprehension");
      node->range = since(start);
      return node;
    }
    if (!accept(TokenKind::comma)) break;
  }
  expect_close(TokenKind::right_square, "',' or ']' after the element");
  auto* node = make<SequenceSyntax>(ExprSyntaxKind::list, since(start));
  node->elements = keep(elements);
  return node;
}

// A set or a dict.
const ExprSyntax* Parser::parse_braces() {
  const Nesting level(*this);
  const std::uint32_t start = begin();
  advance();
  if (at(TokenKind::right_brace) || at(TokenKind::double_star)) return parse_dict(start, {});
  const bool named = at(TokenKind::name) && peek().kind == TokenKind::walrus;
  const ExprSyntax* element = parse_star_element(true);
  if (!at(TokenKind::colon) || element->kind == ExprSyntaxKind::starred || named) {
    return parse_set(start, element);
  }
  advance();
  const DictEntrySyntax entry{element, parse_expression()};
  if (at_comprehension()) {
    auto* node =
        parse_comprehension(ExprSyntaxKind::dict_comprehension, start, entry.key, entry.value);
    expect_close(TokenKind::right_brace, "'}' after the comprehension");
    node->range = since(start);
    return node;
  }
  return parse_dict(start, {entry});
}

const ExprSyntax* Parser::parse_set(std::uint32_t start, const ExprSyntax* first) {
  if (at_comprehension()) {
    auto* node = parse_comprehension(ExprSyntaxKind::set_comprehension, start, first, nullptr);
    expect_close(TokenKind::right_brace, "'}' after the comprehension");
    node->range = since(start);
    return node;
  }
  std::vector<const ExprSyntax*> elements = {first};
  while (accept(TokenKind::comma) && !at(TokenKind::right_brace)) {
    elements.push_back(parse_star_element(true));
  }
  expect_close(TokenKind::right_brace, "',' or '}' after the element");
  auto* node = make<SequenceSyntax>(ExprSyntaxKind::set, since(start));
  node->elements = keep(elements);
  return node;
}

DictEntrySyntax Parser::parse_dict_entry() {
  if (accept(TokenKind::double_star)) return {nullptr, parse_operators(OperatorLevel::bit_or)};
  const ExprSyntax* key = parse_expression();
  expect(TokenKind::colon, "':' after the key");
  return {key, parse_expression()};
}

const ExprSyntax* Parser::parse_dict(std::uint32_t start, std::vector<DictEntrySyntax> entries) {
  while (!at(TokenKind::right_brace)) {
    if (!entries.empty() && !accept(TokenKind::comma)) break;
    if (at(TokenKind::right_brace)) break;
    entries.push_back(parse_dict_entry());
  }
  expect_close(TokenKind::right_brace, "',' or '}' after the entry");
  auto* node = make<DictSyntax>(ExprSyntaxKind::dict, since(start));
  node->entries = keep(entries);
  return node;
}

// --- comprehensions ---

bool Parser::at_comprehension() const {
  return at(TokenKind::kw_for) || (at(TokenKind::kw_async) && peek().kind == TokenKind::kw_for);
}

ComprehensionSyntax* Parser::parse_comprehension(ExprSyntaxKind kind, std::uint32_t start,
                                                 const ExprSyntax* element,
                                                 const ExprSyntax* value) {
  if (element->kind == ExprSyntaxKind::starred) {
    fail("TF1101", element->range, "a comprehension cannot unpack its element",
         "use a second 'for'");
  }
  const auto clauses = parse_clauses();
  auto* node = make<ComprehensionSyntax>(kind, since(start));
  node->element = element;
  node->value = value;
  node->clauses = clauses;
  return node;
}

std::span<const ComprehensionClause> Parser::parse_clauses() {
  std::vector<ComprehensionClause> clauses;
  while (at_comprehension()) {
    ComprehensionClause clause;
    clause.is_async = accept(TokenKind::kw_async);
    advance();
    clause.target = parse_target_list(TargetUse::loop);
    expect(TokenKind::kw_in, "'in' after the variable of the comprehension");
    clause.iterable = parse_operators(OperatorLevel::logical_or);
    std::vector<const ExprSyntax*> conditions;
    while (accept(TokenKind::kw_if)) {
      conditions.push_back(parse_operators(OperatorLevel::logical_or));
    }
    clause.conditions = keep(conditions);
    clauses.push_back(clause);
  }
  return keep(clauses);
}

}  // namespace tilefoundry
