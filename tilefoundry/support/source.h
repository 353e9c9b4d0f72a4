// Source text with line lookup, and spans into it.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "tilefoundry/support/ref.h"

namespace tilefoundry {

// One file's text. `name` is what diagnostics show. Line endings are kept as they are.
class SourceBuffer : public RefCounted {
 public:
  SourceBuffer(std::string name, std::string text);

  const std::string& name() const noexcept { return name_; }
  const std::string& text() const noexcept { return text_; }

  struct Position {
    std::uint32_t line;    // from 1
    std::uint32_t column;  // from 1, in code points
  };
  Position position(std::uint32_t offset) const;
  // The text of a line (from 1) without its end.
  std::string_view line(std::uint32_t number) const;
  std::uint32_t line_count() const noexcept { return static_cast<std::uint32_t>(starts_.size()); }

 private:
  std::string name_;
  std::string text_;
  std::vector<std::uint32_t> starts_;
};

// A half-open byte range of a buffer; a null buffer means "no place".
struct Span {
  Ref<const SourceBuffer> buffer;
  std::uint32_t begin = 0;
  std::uint32_t end = 0;

  explicit operator bool() const noexcept { return static_cast<bool>(buffer); }
  std::string_view text() const;
  // "file:line:column", or "<unknown>" without a place.
  std::string location() const;
  friend bool operator==(const Span&, const Span&) = default;
};

}  // namespace tilefoundry
