// Compound statements.
#include <utility>

#include <fmt/format.h>

#include "tilefoundry/frontend/parser_impl.h"

namespace tilefoundry {

// Null when the current token begins no compound statement.
const StmtSyntax* Parser::parse_compound() {
  switch (current().kind) {
    case TokenKind::kw_def: return parse_function({}, begin(), begin(), false);
    case TokenKind::kw_class: return parse_class({}, begin());
    case TokenKind::at: return parse_decorated();
    case TokenKind::kw_if: return parse_if();
    case TokenKind::kw_for: return parse_for(begin(), false);
    case TokenKind::kw_while: return parse_while();
    case TokenKind::kw_with: return parse_with(begin(), false);
    case TokenKind::kw_try: return parse_try();
    case TokenKind::kw_async: return parse_async();
    case TokenKind::name: return at_match_statement() ? parse_match() : nullptr;
    default: return nullptr;
  }
}

// The statements after a colon. `owner` names the construct in messages: "the function".
SyntaxBlock Parser::parse_block(std::string_view owner, TextRange header) {
  const Nesting level(*this);
  std::vector<const StmtSyntax*> statements;
  if (!accept(TokenKind::newline)) {
    parse_simple_line(statements);
  } else if (at(TokenKind::indent)) {
    advance();
    while (!at(TokenKind::dedent) && !at(TokenKind::end_of_file)) parse_statement(statements);
    accept(TokenKind::dedent);
  } else {
    report("TF1103", {header.end - 1, header.end},
           fmt::format("expected an indented block after {}", owner),
           "indent the lines that belong to it; an empty block is written 'pass'");
  }
  return keep(statements);
}

SyntaxBlock Parser::parse_body(std::string_view owner, std::uint32_t start) {
  expect_colon(owner);
  return parse_block(owner, since(start));
}

// --- definitions ---

const StmtSyntax* Parser::parse_decorated() {
  const std::uint32_t start = begin();
  std::vector<const ExprSyntax*> decorators;
  while (accept(TokenKind::at)) {
    decorators.push_back(parse_named_expression());
    if (!accept(TokenKind::newline)) fail_expected("the end of the line after the decorator");
  }
  const auto kept = keep(decorators);
  if (at(TokenKind::kw_class)) return parse_class(kept, start);
  const std::uint32_t header = begin();
  const bool is_async = accept(TokenKind::kw_async);
  if (!at(TokenKind::kw_def)) {
    fail_expected(is_async ? "'def' after 'async'" : "a function or a class after its decorators");
  }
  return parse_function(kept, start, header, is_async);
}

const StmtSyntax* Parser::parse_async() {
  const std::uint32_t start = begin();
  advance();
  switch (current().kind) {
    case TokenKind::kw_def: return parse_function({}, start, start, true);
    case TokenKind::kw_for: return parse_for(start, true);
    case TokenKind::kw_with: return parse_with(start, true);
    default: fail_expected("'def', 'for' or 'with' after 'async'");
  }
}

const StmtSyntax* Parser::parse_function(std::span<const ExprSyntax* const> decorators,
                                         std::uint32_t decorators_begin, std::uint32_t start,
                                         bool is_async) {
  advance();
  auto* function = make<FunctionSyntax>(StmtSyntaxKind::function, {});
  function->is_async = is_async;
  function->decorators = decorators;
  function->name = parse_identifier("the name of the function");
  if (at(TokenKind::left_square)) {
    fail_expected("'(' after the name of the function", "type parameters cannot be declared");
  }
  expect(TokenKind::left_paren, "'(' after the name of the function");
  function->parameters = parse_parameters(TokenKind::right_paren, true);
  expect_close(TokenKind::right_paren, "',' or ')' after the parameter");
  if (accept(TokenKind::arrow)) function->returns = parse_expression();
  expect_colon("the signature of the function");
  function->header = since(start);
  function->body = parse_block("the signature of the function", function->header);
  const std::uint32_t end =
      function->body.empty() ? function->header.end : function->body.back()->range.end;
  function->range = {start, end};
  function->decorated_range = {decorators_begin, end};
  return function;
}

const StmtSyntax* Parser::parse_class(std::span<const ExprSyntax* const> decorators,
                                      std::uint32_t decorators_begin) {
  const std::uint32_t start = begin();
  advance();
  auto* node = make<ClassSyntax>(StmtSyntaxKind::class_definition, {});
  node->decorators = decorators;
  node->name = parse_identifier("the name of the class");
  if (accept(TokenKind::left_paren)) {
    node->arguments = keep(parse_arguments(false));
    expect_close(TokenKind::right_paren, "',' or ')' after the base class");
  }
  expect_colon("the head of the class");
  node->header = since(start);
  node->body = parse_block("the head of the class", node->header);
  const std::uint32_t end = node->body.empty() ? node->header.end : node->body.back()->range.end;
  node->range = {start, end};
  node->decorated_range = {decorators_begin, end};
  return node;
}

// --- branches and loops ---

namespace {

// Where a statement ends: its last block's last statement, or else `fallback`.
std::uint32_t block_end(SyntaxBlock block, std::uint32_t fallback) {
  return block.empty() ? fallback : block.back()->range.end;
}

}  // namespace

SyntaxBlock Parser::parse_else(std::string_view owner) {
  const std::uint32_t start = begin();
  if (!accept(TokenKind::kw_else)) return {};
  if (at(TokenKind::kw_if)) fail_expected("':' after 'else'", "write 'elif'");
  return parse_body(owner, start);
}

const StmtSyntax* Parser::parse_if() {
  const std::uint32_t start = begin();
  std::vector<IfBranchSyntax> branches;
  std::uint32_t end = start;
  do {
    IfBranchSyntax branch;
    const std::uint32_t branch_begin = begin();
    advance();
    branch.condition = parse_named_expression();
    branch.body = parse_body("the condition", branch_begin);
    end = block_end(branch.body, previous_end());
    branch.range = {branch_begin, end};
    branches.push_back(branch);
  } while (at(TokenKind::kw_elif));
  const SyntaxBlock else_body = parse_else("'else'");
  auto* node = make<IfSyntax>(StmtSyntaxKind::if_statement, {start, block_end(else_body, end)});
  node->branches = keep(branches);
  node->else_body = else_body;
  return node;
}

const StmtSyntax* Parser::parse_while() {
  const std::uint32_t start = begin();
  advance();
  auto* node = make<WhileSyntax>(StmtSyntaxKind::while_statement, {});
  node->condition = parse_named_expression();
  node->body = parse_body("the condition", start);
  const std::uint32_t end = block_end(node->body, previous_end());
  node->else_body = parse_else("'else'");
  node->range = {start, block_end(node->else_body, end)};
  return node;
}

const StmtSyntax* Parser::parse_for(std::uint32_t start, bool is_async) {
  advance();
  auto* node = make<ForSyntax>(StmtSyntaxKind::for_statement, {});
  node->is_async = is_async;
  node->target = parse_target_list(TargetUse::loop);
  expect(TokenKind::kw_in, "'in' after the loop variable");
  node->iterable = parse_star_expressions();
  node->body = parse_body("the head of the loop", start);
  const std::uint32_t end = block_end(node->body, previous_end());
  node->else_body = parse_else("'else'");
  node->range = {start, block_end(node->else_body, end)};
  return node;
}

// --- with ---

WithItemSyntax Parser::parse_with_item() {
  WithItemSyntax item;
  item.context = parse_expression();
  if (accept(TokenKind::kw_as)) {
    item.target = parse_star_element(false);
    check_target(item.target, TargetUse::with_item);
  }
  return item;
}

// Reads `(item, item)` when the parentheses are those of the statement, and not of an expression
// that begins with one. Leaves everything as it was otherwise.
bool Parser::parse_parenthesized_with_items(std::vector<WithItemSyntax>& items) {
  if (!at(TokenKind::left_paren)) return false;
  std::size_t depth = 0;
  std::size_t close = at_;
  for (; close < tokens_.size(); ++close) {
    const TokenKind kind = tokens_[close].kind;
    if (kind == TokenKind::newline || kind == TokenKind::error) return false;
    if (kind == TokenKind::left_paren) ++depth;
    if (kind == TokenKind::right_paren && --depth == 0) break;
  }
  if (close + 1 >= tokens_.size() || tokens_[close + 1].kind != TokenKind::colon) return false;
  const std::size_t start = at_;
  advance();
  while (!at(TokenKind::right_paren) && !at(TokenKind::star) && !at(TokenKind::kw_yield)) {
    items.push_back(parse_with_item());
    if (!accept(TokenKind::comma)) break;
  }
  if (at(TokenKind::right_paren) && !items.empty()) {
    advance();
    return true;
  }
  if (!items.empty() && items.back().target) fail_expected("',' or ')' after the name");
  at_ = start;
  items.clear();
  return false;
}

const StmtSyntax* Parser::parse_with(std::uint32_t start, bool is_async) {
  advance();
  std::vector<WithItemSyntax> items;
  if (!parse_parenthesized_with_items(items)) {
    do {
      items.push_back(parse_with_item());
    } while (accept(TokenKind::comma));
  }
  auto* node = make<WithSyntax>(StmtSyntaxKind::with_statement, {});
  node->is_async = is_async;
  node->items = keep(items);
  node->body = parse_body("the head of 'with'", start);
  node->range = {start, block_end(node->body, previous_end())};
  return node;
}

// --- try ---

ExceptSyntax Parser::parse_except(bool first, bool& is_star) {
  ExceptSyntax handler;
  const std::uint32_t start = begin();
  advance();
  const bool star = accept(TokenKind::star);
  if (!first && star != is_star) {
    fail("TF1101", {start, previous_end()}, "one 'try' cannot have both 'except' and 'except*'");
  }
  is_star = star;
  if (!at(TokenKind::colon)) {
    handler.type = parse_expression();
    if (at(TokenKind::comma)) {
      fail_expected("':' after the exception", "put several exceptions in parentheses");
    }
    if (accept(TokenKind::kw_as)) handler.name = parse_identifier("a name after 'as'");
  } else if (star) {
    fail_expected("an exception after 'except*'");
  }
  handler.body = parse_body("'except'", start);
  handler.range = {start, block_end(handler.body, previous_end())};
  return handler;
}

void Parser::parse_handlers(TrySyntax& node) {
  std::vector<ExceptSyntax> handlers;
  while (at(TokenKind::kw_except)) {
    handlers.push_back(parse_except(handlers.empty(), node.is_star));
  }
  node.handlers = keep(handlers);
}

const StmtSyntax* Parser::parse_try() {
  const std::uint32_t start = begin();
  advance();
  auto* node = make<TrySyntax>(StmtSyntaxKind::try_statement, {});
  node->body = parse_body("'try'", start);
  std::uint32_t end = block_end(node->body, previous_end());
  parse_handlers(*node);
  if (!node->handlers.empty()) {
    end = node->handlers.back().range.end;
    node->else_body = parse_else("'else'");
    end = block_end(node->else_body, end);
  } else if (!at(TokenKind::kw_finally)) {
    fail("TF1101", {start, start + 3}, "this 'try' has neither 'except' nor 'finally'");
  }
  if (at(TokenKind::kw_finally)) {
    const std::uint32_t final_begin = begin();
    advance();
    node->final_body = parse_body("'finally'", final_begin);
    end = block_end(node->final_body, end);
  }
  node->range = {start, end};
  return node;
}

// --- match ---

// `match` is a name unless its line opens a block that begins with `case`.
bool Parser::at_match_statement() const {
  if (!at_word("match")) return false;
  std::size_t i = at_;
  while (tokens_[i].kind != TokenKind::newline && tokens_[i].kind != TokenKind::end_of_file) ++i;
  return i + 2 < tokens_.size() && tokens_[i - 1].kind == TokenKind::colon && i - 1 > at_ &&
         tokens_[i + 1].kind == TokenKind::indent && tokens_[i + 2].kind == TokenKind::name &&
         text(tokens_[i + 2].range) == "case";
}

const StmtSyntax* Parser::parse_match() {
  const std::uint32_t start = begin();
  advance();
  auto* node = make<MatchSyntax>(StmtSyntaxKind::match_statement, {});
  const std::uint32_t subject_begin = begin();
  node->subject = finish_tuple(parse_star_element(true), subject_begin, true);
  expect(TokenKind::colon, "':' after the subject of 'match'");
  advance();
  std::size_t depth = 0;
  std::uint32_t end = previous_end();
  do {
    if (at(TokenKind::indent)) ++depth;
    if (at(TokenKind::dedent)) --depth;
    if (current().kind > TokenKind::dedent) end = current().range.end;
    advance();
  } while (depth > 0 && !at(TokenKind::end_of_file));
  node->range = {start, end};
  return node;
}

}  // namespace tilefoundry
