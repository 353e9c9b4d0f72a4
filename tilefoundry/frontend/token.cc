#include "tilefoundry/frontend/token.h"

#include <algorithm>
#include <array>
#include <cstddef>

namespace tilefoundry {
namespace {

constexpr auto kFirst = static_cast<std::size_t>(TokenKind::kw_false);

// In the order of the enumeration; the keywords are in ASCII order.
constexpr std::array<std::string_view, 82> kSpellings = {
    "False",  "None",   "True",  "and",    "as",   "assert", "async",  "await",    "break",
    "class",  "continue", "def", "del",    "elif", "else",   "except", "finally",  "for",
    "from",   "global", "if",    "import", "in",   "is",     "lambda", "nonlocal", "not",
    "or",     "pass",   "raise", "return", "try",  "while",  "with",   "yield",
    "(",      ")",      "[",     "]",      "{",    "}",
    ",",      ":",      ".",     ";",      "@",    "=",      "->",     "...",      ":=",
    "+",      "-",      "*",     "**",     "/",    "//",     "%",      "<<",       ">>",
    "&",      "|",      "^",     "~",      "<",    ">",      "<=",     ">=",       "==",  "!=",
    "+=",     "-=",     "*=",    "**=",    "/=",   "//=",
    "%=",     "@=",     "<<=",   ">>=",    "&=",   "|=",     "^="};

constexpr std::size_t kKeywords = 35;

static_assert(static_cast<std::size_t>(TokenKind::caret_assign) + 1 - kFirst == kSpellings.size());

}  // namespace

std::string_view token_spelling(TokenKind kind) {
  const auto index = static_cast<std::size_t>(kind);
  return index < kFirst ? std::string_view() : kSpellings[index - kFirst];
}

TokenKind keyword_kind(std::string_view word) {
  const auto* const end = kSpellings.begin() + kKeywords;
  const auto* const found = std::lower_bound(kSpellings.begin(), end, word);
  if (found == end || *found != word) return TokenKind::name;
  return static_cast<TokenKind>(kFirst + static_cast<std::size_t>(found - kSpellings.begin()));
}

TokenKind longest_operator(std::string_view text) {
  TokenKind best = TokenKind::error;
  std::size_t length = 0;
  for (std::size_t i = kKeywords; i < kSpellings.size(); ++i) {
    if (kSpellings[i].size() > length && text.substr(0, kSpellings[i].size()) == kSpellings[i]) {
      best = static_cast<TokenKind>(kFirst + i);
      length = kSpellings[i].size();
    }
  }
  return best;
}

}  // namespace tilefoundry
