#include "tilefoundry/frontend/parser.h"

#include <algorithm>
#include <iterator>
#include <utility>

#include <fmt/format.h>

#include "tilefoundry/frontend/parser_impl.h"

namespace tilefoundry {

Parser::Parser(SyntaxTree& tree, const LexedSource& lexed, std::vector<Diagnostic>& errors,
               std::size_t error_limit)
    : tree_(tree), tokens_(lexed.tokens), errors_(errors), error_limit_(error_limit) {}

void Parser::parse_file() {
  std::vector<const StmtSyntax*> statements;
  while (!at(TokenKind::end_of_file)) parse_statement(statements);
  tree_.set_statements(keep(statements));
}

// --- tokens ---

const Token& Parser::peek(std::size_t ahead) const {
  return tokens_[std::min(at_ + ahead, tokens_.size() - 1)];
}

bool Parser::at_word(std::string_view word) const {
  return at(TokenKind::name) && text(current().range) == word;
}

bool Parser::accept(TokenKind kind) {
  if (!at(kind)) return false;
  advance();
  return true;
}

void Parser::advance() {
  if (at_ + 1 < tokens_.size()) ++at_;
}

void Parser::enter() {
  if (nesting_ >= kNestingLimit) {
    fail("TF1105", place_of_current(), "this is nested too deeply",
         fmt::format("at most {} levels can be read; give the inner part a name", kNestingLimit));
  }
  ++nesting_;
}

// --- errors ---

void Parser::report(const char* code, TextRange range, std::string message, std::string hint) {
  errors_.push_back({code, std::move(message), tree_.span(range), {}, std::move(hint)});
  if (errors_.size() >= error_limit_) at_ = tokens_.size() - 1;
}

void Parser::fail(const char* code, TextRange range, std::string message, std::string hint) {
  if (!line_has_lexer_error()) report(code, range, std::move(message), std::move(hint));
  throw Abandon();
}

void Parser::fail_expected(std::string_view wanted, std::string hint) {
  fail("TF1101", place_of_current(),
       fmt::format("expected {}, found {}", wanted, describe(current())), std::move(hint));
}

void Parser::expect(TokenKind kind, std::string_view wanted) {
  if (!accept(kind)) fail_expected(wanted);
}

// Whether the lexer has reported something in the rest of the logical line: the better report.
bool Parser::line_has_lexer_error() const {
  for (std::size_t i = at_; i < tokens_.size(); ++i) {
    if (tokens_[i].kind == TokenKind::error) return true;
    if (tokens_[i].kind == TokenKind::newline) return false;
  }
  return false;
}

// The current token, or the end of the text before it if nothing is written there.
TextRange Parser::place_of_current() const {
  switch (current().kind) {
    case TokenKind::newline:
    case TokenKind::end_of_file:
    case TokenKind::indent:
    case TokenKind::dedent: {
      std::size_t i = at_;
      while (i > 0 && tokens_[i - 1].kind <= TokenKind::dedent) --i;
      const std::uint32_t end = i == 0 ? 0 : tokens_[i - 1].range.end;
      return {end, end};
    }
    default: return current().range;
  }
}

std::string Parser::describe(const Token& token) const {
  switch (token.kind) {
    case TokenKind::end_of_file: return "the end of the file";
    case TokenKind::newline: return "the end of the line";
    case TokenKind::indent:
    case TokenKind::dedent: return "a change of indentation";
    case TokenKind::string:
    case TokenKind::bytes: return "a string";
    case TokenKind::f_string: return "an f-string";
    case TokenKind::integer:
    case TokenKind::floating:
    case TokenKind::imaginary: return fmt::format("the number {}", text(token.range).substr(0, 40));
    default:
      return fmt::format("{}'{}'", is_keyword(token.kind) ? "the keyword " : "",
                         text(token.range).substr(0, 80));
  }
}

// Advice for a statement that goes on where it should end.
void Parser::fail_statement_end() {
  std::string hint;
  const Token& before = tokens_[at_ == 0 ? 0 : at_ - 1];
  const std::string_view word = text(before.range);
  if (before.kind == TokenKind::name && (word == "print" || word == "exec")) {
    hint = fmt::format("write {}(...)", word);
  } else if (at(TokenKind::colon)) {
    hint = "a block is opened by if, for, while, with, def or class";
  } else if (at(TokenKind::walrus)) {
    hint = "write '=' to assign in a statement";
  } else if (before.kind == TokenKind::name && at(TokenKind::name)) {
    hint = "one statement per line; is an operator or a comma missing?";
  }
  fail_expected("the end of the statement", std::move(hint));
}

std::string Parser::keyword_hint() const {
  return fmt::format("'{}' is a keyword of Python; choose another name", text(current().range));
}

// Advice for a place where an expression is missing.
std::string Parser::expression_hint() const {
  const TokenKind before = at_ == 0 ? TokenKind::newline : tokens_[at_ - 1].kind;
  const bool twice = before == current().kind;
  if (twice && before == TokenKind::ampersand) return "write 'and'";
  if (twice && before == TokenKind::pipe) return "write 'or'";
  const TokenKind before_that = at_ < 2 ? TokenKind::newline : tokens_[at_ - 2].kind;
  if (before == before_that && at(TokenKind::newline)) {
    if (before == TokenKind::plus) return "there is no '++'; write 'x = x + 1'";
    if (before == TokenKind::minus) return "there is no '--'; write 'x = x - 1'";
  }
  if (at(TokenKind::assign) && before == TokenKind::assign) return "write '=' or '=='";
  return "";
}

Identifier Parser::parse_identifier(std::string_view what) {
  if (at(TokenKind::name)) {
    const TextRange range = current().range;
    advance();
    return {text(range), range};
  }
  fail_expected(what, is_keyword(current().kind) ? keyword_hint() : "");
}

// --- recovery ---

// Goes on after the logical line. A block below it is read for its own errors; so are the clauses
// that would belong to the abandoned statement.
void Parser::recover() {
  operands_.clear();
  operators_.clear();
  std::vector<const StmtSyntax*> orphans;
  while (true) {
    while (!at(TokenKind::newline) && !at(TokenKind::end_of_file)) advance();
    accept(TokenKind::newline);
    if (at(TokenKind::indent)) parse_orphan_block(orphans);
    switch (current().kind) {
      case TokenKind::kw_elif:
      case TokenKind::kw_else:
      case TokenKind::kw_except:
      case TokenKind::kw_finally: break;
      default: return;
    }
  }
}

void Parser::parse_orphan_block(std::vector<const StmtSyntax*>& out) {
  advance();
  while (!at(TokenKind::dedent) && !at(TokenKind::end_of_file)) parse_statement(out);
  accept(TokenKind::dedent);
}

// --- the door ---

SyntaxTree parse_source(const Ref<const SourceBuffer>& source, DiagnosticSink& sink) {
  constexpr std::size_t kErrorLimit = 20;
  SyntaxTree tree(source);
  LexedSource lexed = lex(source, kErrorLimit);
  std::vector<Diagnostic> errors;
  Parser(tree, lexed, errors, kErrorLimit).parse_file();
  tree.set_comments(std::move(lexed.comments));
  std::move(lexed.errors.begin(), lexed.errors.end(), std::back_inserter(errors));
  std::stable_sort(errors.begin(), errors.end(), [](const Diagnostic& a, const Diagnostic& b) {
    return a.span.begin < b.span.begin;
  });
  for (Diagnostic& error : errors) sink.report(std::move(error));
  return tree;
}

}  // namespace tilefoundry
