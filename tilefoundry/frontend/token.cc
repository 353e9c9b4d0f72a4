#include "tilefoundry/frontend/token.h"

#include <algorithm>
#include <array>
#include <cstddef>

namespace tilefoundry {
namespace {

constexpr auto kFirst = static_cast<std::size_t>(TokenKind::kw_false);

// In the order of the enumeration; the keywords are in ASCII order.
constexpr std::array<std::string_view, 82> kSpellings = {
    "False", "None",     "True",  "and",    "as",   "assert", "async",  "await",    "break",
    "class", "continue", "def",   "del",    "elif", "else",   "except", "finally",  "for",
    "from",  "global",   "if",    "import", "in",   "is",     "lambda", "nonlocal", "not",
    "or",    "pass",     "raise", "return", "try",  "while",  "with",   "yield",    "(",
    ")",     "[",        "]",     "{",      "}",    ",",      ":",      ".",        ";",
    "@",     "=",        "->",    "...",    ":=",   "+",      "-",      "*",        "**",
    "/",     "//",       "%",     "<<",     ">>",   "&",      "|",      "^",        "~",
    "<",     ">",        "<=",    ">=",     "==",   "!=",     "+=",     "-=",       "*=",
    "**=",   "/=",       "//=",   "%=",     "@=",   "<<=",    ">>=",    "&=",       "|=",
    "^="};

constexpr std::size_t kKeywords = 35;

// For each ASCII character, the spellings of operators that begin with it.
constexpr std::size_t kMostPerCharacter = 6;
constexpr auto kByFirst = [] {
  std::array<std::array<std::uint8_t, kMostPerCharacter>, 128> table{};
  for (std::size_t i = kKeywords; i < kSpellings.size(); ++i) {
    auto& row = table[static_cast<unsigned char>(kSpellings[i][0])];
    std::size_t slot = 0;
    while (row[slot] != 0) ++slot;
    row[slot] = static_cast<std::uint8_t>(i);
  }
  return table;
}();

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
  const auto first = static_cast<unsigned char>(text.empty() ? '\0' : text[0]);
  if (first >= kByFirst.size()) return TokenKind::error;
  std::size_t best = 0;
  for (const std::size_t candidate : kByFirst[first]) {
    if (candidate == 0) break;
    const std::string_view spelling = kSpellings[candidate];
    const bool longer = best == 0 || spelling.size() > kSpellings[best].size();
    if (longer && text.starts_with(spelling)) best = candidate;
  }
  return best == 0 ? TokenKind::error : static_cast<TokenKind>(kFirst + best);
}

}  // namespace tilefoundry
