#include "tilefoundry/support/utf8.h"

namespace tilefoundry {
namespace {

constexpr DecodedCodePoint kMalformed{0xFFFD, 1, false};

}  // namespace

DecodedCodePoint utf8_decode(std::string_view text, std::size_t offset) {
  const auto byte = [&](std::size_t i) -> std::uint32_t {
    return static_cast<unsigned char>(text[i]);
  };
  const std::uint32_t lead = byte(offset);
  if (lead < 0x80) return {lead, 1, true};
  std::uint32_t size = 0;
  std::uint32_t value = 0;
  std::uint32_t least = 0;
  if ((lead & 0xE0) == 0xC0) {
    size = 2, value = lead & 0x1F, least = 0x80;
  } else if ((lead & 0xF0) == 0xE0) {
    size = 3, value = lead & 0x0F, least = 0x800;
  } else if ((lead & 0xF8) == 0xF0) {
    size = 4, value = lead & 0x07, least = 0x10000;
  } else {
    return kMalformed;
  }
  if (offset + size > text.size()) return kMalformed;
  for (std::uint32_t i = 1; i < size; ++i) {
    const std::uint32_t next = byte(offset + i);
    if ((next & 0xC0) != 0x80) return kMalformed;
    value = (value << 6) | (next & 0x3F);
  }
  const bool surrogate = value >= 0xD800 && value <= 0xDFFF;
  if (value < least || value > 0x10FFFF || surrogate) return kMalformed;
  return {value, size, true};
}

std::size_t utf8_length(std::string_view text) {
  std::size_t count = 0;
  for (std::size_t i = 0; i < text.size(); ++count) i += utf8_decode(text, i).size;
  return count;
}

void utf8_append(std::string& out, std::uint32_t c) {
  const auto put = [&](std::uint32_t byte) { out.push_back(static_cast<char>(byte)); };
  if (c < 0x80) {
    put(c);
  } else if (c < 0x800) {
    put(0xC0 | (c >> 6));
    put(0x80 | (c & 0x3F));
  } else if (c < 0x10000) {
    put(0xE0 | (c >> 12));
    put(0x80 | ((c >> 6) & 0x3F));
    put(0x80 | (c & 0x3F));
  } else {
    put(0xF0 | (c >> 18));
    put(0x80 | ((c >> 12) & 0x3F));
    put(0x80 | ((c >> 6) & 0x3F));
    put(0x80 | (c & 0x3F));
  }
}

bool utf8_valid(std::string_view text) {
  for (std::size_t i = 0; i < text.size();) {
    const auto decoded = utf8_decode(text, i);
    if (!decoded.valid) return false;
    i += decoded.size;
  }
  return true;
}

}  // namespace tilefoundry
