#include "tilefoundry/frontend/parser.h"

#include <algorithm>
#include <iterator>
#include <utility>

#include <fmt/format.h>

#include "tilefoundry/frontend/parser_impl.h"

namespace tilefoundry {

Parser::Parser(SyntaxTree& tree, const LexedSource& lexed, std::vector<Diagnostic>& errors,
               std::size_t error_limit)
    : tree_(tree),
      tokens_(lexed.tokens),
      errors_(errors),
      error_limit_(error_limit),
      trusted_(lexed.tokens.size()) {
  if (!lexed.truncated) return;
  while (trusted_ > 0 && tokens_[trusted_ - 1].kind != TokenKind::error) --trusted_;
}

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

void Parser::report(const char* code, TextRange range, std::string_view message,
                    std::string_view hint) {
  if (at_ >= trusted_) return;
  errors_.push_back({code, std::string(message), tree_.span(range), {}, std::string(hint)});
  if (errors_.size() >= error_limit_) at_ = tokens_.size() - 1;
}

void Parser::fail(const char* code, TextRange range, std::string_view message,
                  std::string_view hint) {
  if (!line_has_lexer_error()) report(code, range, message, hint);
  throw Abandon();
}

void Parser::fail_expected(std::string_view wanted, std::string_view hint) {
  fail("TF1101", place_of_current(),
       fmt::format("expected {}, found {}", wanted, describe(current())), hint);
}

void Parser::expect(TokenKind kind, std::string_view wanted) {
  if (!accept(kind)) fail_expected(wanted);
}

void Parser::expect_colon(std::string_view owner) {
  if (accept(TokenKind::colon)) return;
  const bool equals = at(TokenKind::assign);
  fail_expected(fmt::format("':' after {}", owner), equals ? "write '==' to compare" : "");
}

void Parser::fail_misplaced_keyword() {
  const std::string_view word = text(current().range);
  switch (current().kind) {
    case TokenKind::kw_elif:
    case TokenKind::kw_else:
    case TokenKind::kw_except:
    case TokenKind::kw_finally:
      fail("TF1101", current().range, fmt::format("this '{}' belongs to no statement above", word),
           "it must be indented like the line that begins its statement");
    default:
      fail("TF1101", current().range, fmt::format("'{}' must begin a line of its own", word),
           "start a new line here");
  }
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
  fail_expected("the end of the statement", hint);
}

std::string Parser::keyword_hint() const {
  return fmt::format("'{}' is a keyword of Python; choose another name", text(current().range));
}

// With advice for a place where an expression is missing.
void Parser::fail_no_expression() {
  const TokenKind before = at_ == 0 ? TokenKind::newline : tokens_[at_ - 1].kind;
  const TokenKind before_that = at_ < 2 ? TokenKind::newline : tokens_[at_ - 2].kind;
  std::string_view hint;
  if (before == current().kind) {
    if (before == TokenKind::ampersand) hint = "write 'and'";
    if (before == TokenKind::pipe) hint = "write 'or'";
    if (before == TokenKind::assign) hint = "write '=' or '=='";
  } else if (before == before_that && at(TokenKind::newline)) {
    if (before == TokenKind::plus) hint = "there is no '++'; write 'x = x + 1'";
    if (before == TokenKind::minus) hint = "there is no '--'; write 'x = x - 1'";
  }
  fail_expected("an expression", hint);
}

Identifier Parser::parse_identifier(std::string_view what) {
  if (at(TokenKind::name)) {
    const TextRange range = current().range;
    advance();
    return {text(range), range};
  }
  if (is_keyword(current().kind)) fail_expected(what, keyword_hint());
  fail_expected(what);
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
    if (at(TokenKind::indent)) {
      ++nesting_;
      parse_orphan_block(orphans);
      --nesting_;
    }
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
