// Finds where one name, number or string ends. Pure functions over text: no layout, no state.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

#include "tilefoundry/frontend/token.h"

namespace tilefoundry {

// Offset after the identifier that starts at `at`; `at` itself when none does.
std::uint32_t identifier_end(std::string_view text, std::uint32_t at);

// A number or string literal. `problem` is empty when it is well formed.
struct ScannedLiteral {
  TokenKind kind = TokenKind::error;
  std::uint32_t end = 0;
  std::string problem;
  std::string hint;
};

// Scans from a digit, or from a dot before a digit.
ScannedLiteral scan_number(std::string_view text, std::uint32_t at);

// Length of a string prefix such as `rb` if a quote follows it at `at`; -1 when no string starts
// there. 0 means a plain quote.
int string_prefix_length(std::string_view text, std::uint32_t at);

// Scans a string literal from its prefix. Escapes are not looked into.
ScannedLiteral scan_string(std::string_view text, std::uint32_t at);

// Length of the line ending at `at`: 2 for CRLF, 1 for LF or CR, 0 for anything else.
std::uint32_t line_ending_length(std::string_view text, std::uint32_t at);

}  // namespace tilefoundry
