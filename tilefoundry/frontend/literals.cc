#include "tilefoundry/frontend/literals.h"

#include <algorithm>
#include <charconv>
#include <cmath>
#include <limits>

#include <fmt/format.h>

#include "tilefoundry/frontend/scan.h"
#include "tilefoundry/support/utf8.h"

namespace tilefoundry {
namespace {

int digit_value(char c) {
  if (c >= '0' && c <= '9') return c - '0';
  if (c >= 'a' && c <= 'f') return c - 'a' + 10;
  if (c >= 'A' && c <= 'F') return c - 'A' + 10;
  return 99;
}

std::string without_underscores(std::string_view literal) {
  std::string out(literal);
  std::erase(out, '_');
  return out;
}

// Reads the escapes of one literal's body.
class StringDecoder {
 public:
  StringDecoder(std::string_view literal, std::string& out) : literal_(literal), out_(out) {}

  StringProblem decode() {
    while (literal_[at_] != '"' && literal_[at_] != '\'') {
      if (literal_[at_] == 'r' || literal_[at_] == 'R') raw_ = true;
      if (literal_[at_] == 'b' || literal_[at_] == 'B') bytes_ = true;
      ++at_;
    }
    const bool tripled =
        literal_.substr(at_, 3) == std::string(3, literal_[at_]) && literal_.size() - at_ >= 6;
    const std::size_t quotes = tripled ? 3 : 1;
    at_ += quotes;
    end_ = literal_.size() - quotes;
    while (at_ < end_ && problem_.message.empty()) step();
    return problem_;
  }

 private:
  void step() {
    const char c = literal_[at_];
    if (c == '\\' && !raw_) {
      escape();
    } else if (const auto ending = line_ending_length(literal_, at_); ending > 0) {
      out_ += '\n';
      at_ += ending;
    } else if (bytes_ && static_cast<signed char>(c) < 0) {
      fail(at_, at_ + utf8_decode(literal_, at_).size,
           "a bytes literal holds ASCII characters only", "write \\x and two hexadecimal digits");
    } else {
      out_ += c;
      ++at_;
    }
  }

  void fail(std::size_t begin, std::size_t end, std::string message, std::string hint) {
    problem_ = {std::move(message),
                std::move(hint),
                {static_cast<std::uint32_t>(begin), static_cast<std::uint32_t>(end)}};
  }

  void put(std::uint32_t value) {
    if (bytes_) {
      out_ += static_cast<char>(value);
    } else {
      utf8_append(out_, value);
    }
  }

  void escape() {
    const std::size_t begin = at_++;
    if (const auto ending = line_ending_length(literal_, at_); ending > 0) {
      at_ += ending;
      return;
    }
    const char c = literal_[at_];
    if (c >= '0' && c <= '7') {
      octal();
      return;
    }
    static constexpr std::string_view kFrom = "\\'\"abfnrtv";
    static constexpr std::string_view kTo = "\\'\"\a\b\f\n\r\t\v";
    if (const auto index = kFrom.find(c); index != std::string_view::npos) {
      out_ += kTo[index];
      ++at_;
    } else if (c == 'x') {
      hexadecimal(begin, 2);
    } else if (c == 'u' && !bytes_) {
      hexadecimal(begin, 4);
    } else if (c == 'U' && !bytes_) {
      hexadecimal(begin, 8);
    } else if (c == 'N' && !bytes_) {
      fail(begin, at_ + 1, "characters cannot be written by name here",
           "write the character itself, or its number after \\u");
    } else {
      out_ += '\\';
    }
  }

  void octal() {
    std::uint32_t value = 0;
    for (int i = 0; i < 3 && at_ < end_ && literal_[at_] >= '0' && literal_[at_] <= '7'; ++i) {
      value = value * 8 + static_cast<std::uint32_t>(digit_value(literal_[at_++]));
    }
    put(value);
  }

  void hexadecimal(std::size_t begin, int digits) {
    std::uint32_t value = 0;
    ++at_;
    for (int i = 0; i < digits; ++i, ++at_) {
      if (at_ >= end_ || digit_value(literal_[at_]) > 15) {
        fail(begin, at_, "this escape is incomplete",
             fmt::format("\\{} takes {} hexadecimal digits", literal_[begin + 1], digits));
        return;
      }
      value = value * 16 + static_cast<std::uint32_t>(digit_value(literal_[at_]));
    }
    if (digits > 2 && (value > 0x10FFFF || (value >= 0xD800 && value <= 0xDFFF))) {
      fail(begin, at_, fmt::format("U+{:04X} is not a character", value),
           "text holds Unicode characters up to U+10FFFF, without surrogates");
      return;
    }
    put(value);
  }

  std::string_view literal_;
  std::string& out_;
  std::size_t at_ = 0;
  std::size_t end_ = 0;
  bool raw_ = false;
  bool bytes_ = false;
  StringProblem problem_;
};

// The value of a float literal that std::from_chars finds out of range.
double out_of_range_value(std::string_view digits) {
  // The decimal exponent of the first digit that is not 0 tells overflow from underflow.
  const std::size_t mark = std::min(digits.find_first_of("eE"), digits.size());
  const std::string_view mantissa = digits.substr(0, mark);
  const std::size_t first = mantissa.find_first_of("123456789");
  if (first == std::string_view::npos) return 0.0;
  const auto point = static_cast<double>(std::min(mantissa.find('.'), mantissa.size()));
  double exponent = 0;
  for (std::size_t i = mark + 1; i < digits.size(); ++i) {
    if (digit_value(digits[i]) < 10) exponent = exponent * 10 + digit_value(digits[i]);
  }
  if (mark + 1 < digits.size() && digits[mark + 1] == '-') exponent = -exponent;
  const double magnitude = exponent + point - static_cast<double>(first);
  return magnitude > 0 ? std::numeric_limits<double>::infinity() : 0.0;
}

}  // namespace

IntegerValue integer_value(std::string_view literal) {
  std::uint64_t base = 10;
  if (literal.size() > 2 && literal[0] == '0') {
    const char mark = static_cast<char>(literal[1] | 0x20);
    base = mark == 'x' ? 16 : mark == 'o' ? 8 : mark == 'b' ? 2 : 10;
  }
  if (base != 10) literal.remove_prefix(2);
  IntegerValue result;
  for (const char c : literal) {
    if (c == '_') continue;
    const auto digit = static_cast<std::uint64_t>(digit_value(c));
    if (result.magnitude > (UINT64_MAX - digit) / base) result.too_large = true;
    result.magnitude = result.magnitude * base + digit;
  }
  return result;
}

double float_value(std::string_view literal) {
  const std::string digits = without_underscores(literal);
  double value = 0;
  const auto result = std::from_chars(digits.data(), digits.data() + digits.size(), value);
  if (result.ec == std::errc::result_out_of_range) return out_of_range_value(digits);
  return value;
}

StringProblem append_string_value(std::string_view literal, std::string& out) {
  return StringDecoder(literal, out).decode();
}

}  // namespace tilefoundry
