#include "tilefoundry/frontend/syntax.h"

#include <array>
#include <cstddef>

namespace tilefoundry {

std::string_view SyntaxArena::copy(std::string_view text) {
  if (text.empty()) return {};
  auto* data = static_cast<char*>(memory_->allocate(text.size(), 1));
  text.copy(data, text.size());
  return {data, text.size()};
}

std::string_view operator_text(UnaryOperator op) {
  static constexpr std::array<std::string_view, 4> kTexts = {"+", "-", "~", "not"};
  return kTexts[static_cast<std::size_t>(op)];
}

std::string_view operator_text(BinaryOperator op) {
  static constexpr std::array<std::string_view, 13> kTexts = {"+", "-",  "*",  "/", "//", "%", "**",
                                                              "@", "<<", ">>", "&", "|",  "^"};
  return kTexts[static_cast<std::size_t>(op)];
}

std::string_view operator_text(CompareOperator op) {
  static constexpr std::array<std::string_view, 10> kTexts = {"==", "!=", "<",      "<=", ">",
                                                              ">=", "is", "is not", "in", "not in"};
  return kTexts[static_cast<std::size_t>(op)];
}

}  // namespace tilefoundry
