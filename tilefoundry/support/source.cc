#include "tilefoundry/support/source.h"

#include <algorithm>
#include <utility>

#include "tilefoundry/support/utf8.h"

namespace tilefoundry {

SourceBuffer::SourceBuffer(std::string name, std::string text)
    : name_(std::move(name)), text_(std::move(text)) {
  starts_.push_back(0);
  for (std::uint32_t i = 0; i < text_.size(); ++i) {
    const bool lone_cr = text_[i] == '\r' && (i + 1 >= text_.size() || text_[i + 1] != '\n');
    if (text_[i] == '\n' || lone_cr) starts_.push_back(i + 1);
  }
}

SourceBuffer::Position SourceBuffer::position(std::uint32_t offset) const {
  const auto after = std::upper_bound(starts_.begin(), starts_.end(), offset);
  const auto line = static_cast<std::uint32_t>(after - starts_.begin());
  const std::uint32_t start = starts_[line - 1];
  const std::uint32_t stop = std::min<std::uint32_t>(offset, text_.size());
  const auto before = std::string_view(text_).substr(start, stop - start);
  return {line, static_cast<std::uint32_t>(utf8_length(before)) + 1};
}

std::string_view SourceBuffer::line(std::uint32_t number) const {
  const std::uint32_t begin = starts_[number - 1];
  const std::uint32_t end =
      number < starts_.size() ? starts_[number] : static_cast<std::uint32_t>(text_.size());
  std::string_view view = std::string_view(text_).substr(begin, end - begin);
  while (!view.empty() && (view.back() == '\n' || view.back() == '\r')) view.remove_suffix(1);
  return view;
}

std::string_view Span::text() const {
  if (!buffer) return {};
  return std::string_view(buffer->text()).substr(begin, end - begin);
}

std::string Span::location() const {
  if (!buffer) return "<unknown>";
  const auto place = buffer->position(begin);
  return buffer->name() + ":" + std::to_string(place.line) + ":" + std::to_string(place.column);
}

}  // namespace tilefoundry
