// Minimal UTF-8 handling: decoding for the lexer, lengths and column widths for diagnostics.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>

namespace tilefoundry {

struct DecodedCodePoint {
  std::uint32_t value;  // the replacement character U+FFFD when the bytes are malformed
  std::uint32_t size;   // bytes consumed, at least 1
  bool valid;
};
// Decodes the code point at `offset`, which is inside `text`.
DecodedCodePoint utf8_decode(std::string_view text, std::size_t offset);

// Number of code points; malformed bytes count one each.
std::size_t utf8_length(std::string_view text);

void utf8_append(std::string& out, std::uint32_t code_point);

// Whether the whole text is well-formed UTF-8.
bool utf8_valid(std::string_view text);

}  // namespace tilefoundry
