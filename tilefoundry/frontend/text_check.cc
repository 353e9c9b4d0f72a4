#include "tilefoundry/frontend/text_check.h"

#include <algorithm>
#include <cstdint>
#include <string>
#include <string_view>

#include <fmt/format.h>

#include "tilefoundry/support/utf8.h"

namespace tilefoundry {
namespace {

constexpr std::size_t kLargestFile = std::size_t{1} << 30;

constexpr std::string_view kNotTextHint =
    "a program is a file of UTF-8 text; was another kind of file named?";

// The encoding that a comment such as `# -*- coding: latin-1 -*-` on this line declares.
std::string_view declared_encoding(std::string_view line) {
  const std::size_t start = line.find_first_not_of(" \t\f");
  if (start == std::string_view::npos || line[start] != '#') return {};
  std::size_t at = line.find("coding");
  if (at == std::string_view::npos) return {};
  at += 6;
  if (at >= line.size() || (line[at] != ':' && line[at] != '=')) return {};
  at = line.find_first_not_of(" \t", at + 1);
  if (at == std::string_view::npos) return {};
  const auto part_of_name = [](char c) {
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '-' ||
           c == '_' || c == '.';
  };
  std::size_t end = at;
  while (end < line.size() && part_of_name(line[end])) ++end;
  return line.substr(at, end - at);
}

bool is_utf8_name(std::string_view encoding) {
  std::string name;
  for (const char c : encoding) {
    if (c == '-' || c == '_') continue;
    name += c >= 'A' && c <= 'Z' ? static_cast<char>(c - 'A' + 'a') : c;
  }
  return name == "utf8" || name == "utf8sig" || name == "u8" || name == "utf";
}

Diagnostic not_text(const Ref<const SourceBuffer>& source, std::size_t at, std::string message) {
  const auto begin = static_cast<std::uint32_t>(at);
  return {
      "TF1001", std::move(message), Span{source, begin, begin + 1}, {}, std::string(kNotTextHint)};
}

std::optional<Diagnostic> check_encoding(const Ref<const SourceBuffer>& source) {
  const std::string_view text = source->text();
  const bool ascii = std::all_of(text.begin(), text.end(),
                                 [](char c) { return static_cast<signed char>(c) >= 0; });
  if (ascii) return std::nullopt;
  for (std::uint32_t number = 1; number <= std::min<std::uint32_t>(2, source->line_count());
       ++number) {
    const std::string_view line = source->line(number);
    const std::string_view encoding = declared_encoding(line);
    if (!encoding.empty()) {
      if (is_utf8_name(encoding)) return std::nullopt;
      const auto begin = static_cast<std::uint32_t>(encoding.data() - text.data());
      return Diagnostic{"TF1002",
                        fmt::format("this file declares the encoding '{}'", encoding),
                        Span{source, begin, begin + static_cast<std::uint32_t>(encoding.size())},
                        {},
                        "save it as UTF-8 and remove the declaration"};
    }
    const std::size_t first = line.find_first_not_of(" \t\f\xEF\xBB\xBF");
    if (first != std::string_view::npos && line[first] != '#') break;
  }
  return std::nullopt;
}

}  // namespace

std::optional<Diagnostic> check_source_text(const Ref<const SourceBuffer>& source) {
  const std::string_view text = source->text();
  if (text.size() > kLargestFile) {
    return Diagnostic{"TF1001",
                      "this file is larger than 1 GiB",
                      Span{source, 0, 0},
                      {},
                      std::string(kNotTextHint)};
  }
  if (const std::size_t nul = text.find('\0'); nul != std::string_view::npos) {
    return not_text(source, nul, "this is a binary file: it holds a NUL byte");
  }
  if (!utf8_valid(text)) {
    std::size_t at = 0;
    for (auto decoded = utf8_decode(text, at); decoded.valid; decoded = utf8_decode(text, at)) {
      at += decoded.size;
    }
    return not_text(source, at,
                    fmt::format("this file is not UTF-8 text: the byte 0x{:02X} is malformed",
                                static_cast<unsigned>(static_cast<unsigned char>(text[at]))));
  }
  return check_encoding(source);
}

}  // namespace tilefoundry
