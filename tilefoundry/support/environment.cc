#include "tilefoundry/support/environment.h"

#include <fmt/core.h>

#include <algorithm>
#include <charconv>
#include <cstdlib>

#include "tilefoundry/support/diagnostic.h"
#include "tilefoundry/support/text.h"

namespace tilefoundry {
namespace {

[[noreturn]] void refuse(const char* name, const std::string& value, const std::string& wanted) {
  Diagnostic diagnostic;
  diagnostic.code = "TF7201";
  diagnostic.message = fmt::format("the environment variable {} is {}, which is not {}", name,
                                   python_string_literal(value), wanted);
  diagnostic.hint = fmt::format("set {} to {}, or unset it", name, wanted);
  throw ValueError(std::move(diagnostic));
}

}  // namespace

std::optional<std::string> environment_text(const char* name) {
  const char* value = std::getenv(name);
  if (value == nullptr || *value == '\0') return std::nullopt;
  return std::string(value);
}

bool environment_flag(const char* name, bool fallback) {
  const std::optional<std::string> value = environment_text(name);
  if (!value) return fallback;
  std::string lower = *value;
  std::transform(lower.begin(), lower.end(), lower.begin(),
                 [](char c) { return c >= 'A' && c <= 'Z' ? static_cast<char>(c + 32) : c; });
  if (lower == "1" || lower == "true" || lower == "yes" || lower == "on") return true;
  if (lower == "0" || lower == "false" || lower == "no" || lower == "off") return false;
  refuse(name, *value, "one of 1, true, yes, on, 0, false, no, off");
}

std::int64_t environment_integer(const char* name, std::int64_t fallback, std::int64_t lowest,
                                 std::int64_t highest) {
  const std::optional<std::string> value = environment_text(name);
  if (!value) return fallback;
  std::int64_t number = 0;
  const char* end = value->data() + value->size();
  const auto [stop, error] = std::from_chars(value->data(), end, number);
  if (error != std::errc() || stop != end || number < lowest || number > highest) {
    refuse(name, *value, fmt::format("an integer from {} to {}", lowest, highest));
  }
  return number;
}

}  // namespace tilefoundry
