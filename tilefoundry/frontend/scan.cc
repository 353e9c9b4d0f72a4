#include "tilefoundry/frontend/scan.h"

#include <algorithm>
#include <array>

#include <fmt/format.h>

#include "tilefoundry/support/unicode_identifier.h"
#include "tilefoundry/support/utf8.h"

namespace tilefoundry {
namespace {

bool digit(char c) { return c >= '0' && c <= '9'; }
bool ascii_word(char c) {
  return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || digit(c) || c == '_';
}
char lower(char c) { return c >= 'A' && c <= 'Z' ? static_cast<char>(c - 'A' + 'a') : c; }

bool digit_of_base(char c, int base) {
  if (base == 16) return digit(c) || (lower(c) >= 'a' && lower(c) <= 'f');
  return c >= '0' && c < '0' + std::min(base, 10);
}

// Reads one number. Every step either advances or records the first problem.
class NumberScanner {
 public:
  NumberScanner(std::string_view text, std::uint32_t at) : text_(text), at_(at), begin_(at) {}

  ScannedLiteral scan() {
    result_.kind = TokenKind::integer;
    const int base = prefix_base();
    if (base != 10) {
      at_ += 2;
      if (peek() == '_') ++at_;
      digits(base);
    } else {
      decimal();
    }
    check_end(base);
    if (!result_.problem.empty()) skip_word();
    result_.end = at_;
    return result_;
  }

 private:
  char peek(std::uint32_t ahead = 0) const {
    return at_ + ahead < text_.size() ? text_[at_ + ahead] : '\0';
  }

  int prefix_base() const {
    if (peek() != '0') return 10;
    switch (lower(peek(1))) {
      case 'x': return 16;
      case 'o': return 8;
      case 'b': return 2;
      default: return 10;
    }
  }

  void problem(std::string message, std::string hint = "") {
    if (!result_.problem.empty()) return;
    result_.problem = std::move(message);
    result_.hint = std::move(hint);
  }

  // digit ("_"? digit)*
  void digits(int base) {
    while (true) {
      if (!digit_of_base(peek(), base)) {
        if (digit(peek())) {
          problem(fmt::format("'{}' is not a digit in base {}", peek(), base));
        } else {
          problem("this number is incomplete",
                  "a digit goes here; single underscores go between digits");
        }
        return;
      }
      while (digit_of_base(peek(), base)) ++at_;
      if (peek() != '_') return;
      ++at_;
    }
  }

  void decimal() {
    if (peek() != '.') digits(10);
    const std::string_view whole = text_.substr(begin_, at_ - begin_);
    if (peek() == '.') {
      result_.kind = TokenKind::floating;
      ++at_;
      if (digit(peek())) digits(10);
    }
    exponent();
    if (lower(peek()) == 'j') {
      result_.kind = TokenKind::imaginary;
      ++at_;
    }
    const bool leading_zero = whole.size() > 1 && whole[0] == '0';
    if (result_.kind == TokenKind::integer && leading_zero &&
        whole.find_first_not_of("0_") != std::string_view::npos) {
      problem("a decimal number does not start with 0",
              "write it without the zeros, or with 0o for an octal number");
    }
  }

  void exponent() {
    if (lower(peek()) != 'e') return;
    const bool sign = peek(1) == '+' || peek(1) == '-';
    if (!digit(peek(sign ? 2 : 1))) {
      if (sign) problem("this exponent has no digits");
      return;
    }
    result_.kind = TokenKind::floating;
    at_ += sign ? 2 : 1;
    digits(10);
  }

  // A number may touch one of these keywords, as in `1if x else 2`, but no other letter.
  void check_end(int base) {
    if (digit(peek())) {
      problem(fmt::format("'{}' is not a digit in base {}", peek(), base));
      return;
    }
    if (identifier_end(text_, at_) == at_) return;
    static constexpr std::array<std::string_view, 8> kMayFollow = {"and", "else", "for", "if",
                                                                   "in",  "is",   "not", "or"};
    for (const std::string_view word : kMayFollow) {
      if (text_.substr(at_, word.size()) == word) return;
    }
    problem("a name cannot start with a digit, nor a number end with a letter",
            "put a blank or an operator between them");
  }

  void skip_word() {
    while (at_ < text_.size()) {
      const auto decoded = utf8_decode(text_, at_);
      if (!is_identifier_continue(decoded.value)) return;
      at_ += decoded.size;
    }
  }

  std::string_view text_;
  std::uint32_t at_;
  std::uint32_t begin_;
  ScannedLiteral result_;
};

}  // namespace

std::uint32_t identifier_end(std::string_view text, std::uint32_t at) {
  if (at >= text.size()) return at;
  auto decoded = utf8_decode(text, at);
  if (!is_identifier_start(decoded.value)) return at;
  do {
    at += decoded.size;
    while (at < text.size() && ascii_word(text[at])) ++at;
    if (at >= text.size()) break;
    decoded = utf8_decode(text, at);
  } while (is_identifier_continue(decoded.value));
  return at;
}

ScannedLiteral scan_number(std::string_view text, std::uint32_t at) {
  return NumberScanner(text, at).scan();
}

std::uint32_t line_ending_length(std::string_view text, std::uint32_t at) {
  if (at >= text.size()) return 0;
  if (text[at] == '\n') return 1;
  if (text[at] != '\r') return 0;
  return at + 1 < text.size() && text[at + 1] == '\n' ? 2 : 1;
}

int string_prefix_length(std::string_view text, std::uint32_t at) {
  bool raw = false;
  bool bytes = false;
  bool unicode = false;
  bool format = false;
  for (int length = 0; length <= 2 && at + length < text.size(); ++length) {
    const char c = lower(text[at + length]);
    if (c == '"' || c == '\'') return length;
    if (c == 'r' && !raw && !unicode) {
      raw = true;
    } else if (c == 'b' && !bytes && !unicode && !format) {
      bytes = true;
    } else if (c == 'f' && !format && !bytes && !unicode) {
      format = true;
    } else if (c == 'u' && length == 0) {
      unicode = true;
    } else {
      return -1;
    }
  }
  return -1;
}

ScannedLiteral scan_string(std::string_view text, std::uint32_t at) {
  ScannedLiteral result;
  result.kind = TokenKind::string;
  const int prefix = string_prefix_length(text, at);
  for (int i = 0; i < prefix; ++i, ++at) {
    if (lower(text[at]) == 'b') result.kind = TokenKind::bytes;
    if (lower(text[at]) == 'f') result.kind = TokenKind::f_string;
  }
  const char quote = text[at];
  const std::string triple(3, quote);
  const bool tripled = text.substr(at, 3) == triple;
  const std::uint32_t open_end = at + (tripled ? 3 : 1);
  for (at = open_end; at < text.size();) {
    if (text[at] == '\\') {
      ++at;
      const std::uint32_t ending = line_ending_length(text, at);
      at += std::max<std::uint32_t>(ending, at < text.size() ? 1 : 0);
    } else if (tripled ? text.substr(at, 3) == triple : text[at] == quote) {
      result.end = at + (tripled ? 3 : 1);
      return result;
    } else if (!tripled && line_ending_length(text, at) > 0) {
      break;
    } else {
      ++at;
    }
  }
  result.end = at;
  if (tripled) {
    result.problem = "this text in three quotes is never closed";
    result.hint = fmt::format("close it with {}", triple);
  } else {
    result.problem = "this string is not closed on its line";
    result.hint = fmt::format("add the closing {}, or use three quotes for several lines", quote);
  }
  return result;
}

}  // namespace tilefoundry
