// Tokens of the language, which are Python's.
#pragma once

#include <cstdint>
#include <string_view>

namespace tilefoundry {

// A half-open byte range of the file that is being read.
struct TextRange {
  std::uint32_t begin = 0;
  std::uint32_t end = 0;
  friend bool operator==(const TextRange&, const TextRange&) = default;
};

// clang-format off
enum class TokenKind : std::uint8_t {
  // Layout. An `error` token stands where the lexer has already reported something.
  end_of_file, newline, indent, dedent, error,
  // Names and literals. One literal token each; adjacent strings are joined by the parser.
  name, integer, floating, imaginary, string, bytes, f_string,
  // Keywords.
  kw_false, kw_none, kw_true, kw_and, kw_as, kw_assert, kw_async, kw_await, kw_break, kw_class,
  kw_continue, kw_def, kw_del, kw_elif, kw_else, kw_except, kw_finally, kw_for, kw_from, kw_global,
  kw_if, kw_import, kw_in, kw_is, kw_lambda, kw_nonlocal, kw_not, kw_or, kw_pass, kw_raise,
  kw_return, kw_try, kw_while, kw_with, kw_yield,
  // Brackets and punctuation.
  left_paren, right_paren, left_square, right_square, left_brace, right_brace,
  comma, colon, dot, semicolon, at, assign, arrow, ellipsis, walrus,
  // Operators.
  plus, minus, star, double_star, slash, double_slash, percent, left_shift, right_shift,
  ampersand, pipe, caret, tilde, less, greater, less_equal, greater_equal, equal, not_equal,
  // Augmented assignments.
  plus_assign, minus_assign, star_assign, double_star_assign, slash_assign, double_slash_assign,
  percent_assign, at_assign, left_shift_assign, right_shift_assign, ampersand_assign, pipe_assign,
  caret_assign,
};
// clang-format on

struct Token {
  TokenKind kind;
  TextRange range;
};

// How a keyword, an operator or a punctuation mark is written; empty for every other kind.
std::string_view token_spelling(TokenKind kind);

// The keyword that `word` is, or `name`.
TokenKind keyword_kind(std::string_view word);

inline bool is_keyword(TokenKind kind) {
  return kind >= TokenKind::kw_false && kind <= TokenKind::kw_yield;
}

// The longest operator or punctuation mark that `text` begins with; `error` when there is none.
TokenKind longest_operator(std::string_view text);

}  // namespace tilefoundry
