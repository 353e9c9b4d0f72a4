#include "tilefoundry/relation/isl_session.h"

#include <isl/options.h>

#include <algorithm>
#include <array>
#include <cctype>
#include <cstdlib>
#include <string_view>

#include <fmt/format.h>

#include "tilefoundry/support/diagnostic.h"

namespace tilefoundry {
namespace {

// Far above what a relation of an op needs, far below what a user would wait for.
constexpr unsigned long kWorkBudget = 2'000'000;
constexpr std::string_view kEscape = "tfesc_";

bool starts_name(char c) {
  const auto byte = static_cast<unsigned char>(c);
  return std::isalpha(byte) != 0 || c == '_' || c == '$' || byte >= 0x80;
}
bool in_name(char c) { return starts_name(c) || std::isdigit(static_cast<unsigned char>(c)) != 0; }

// Replaces every name of a text.
template <class Replace>
std::string map_names(const std::string& text, Replace replace) {
  std::string out;
  for (std::size_t i = 0; i < text.size();) {
    if (!starts_name(text[i])) {
      // A number keeps its digits apart from a name that follows: isl reads `2i` as `2 * i`.
      out += text[i++];
      continue;
    }
    std::size_t end = i;
    while (end < text.size() && in_name(text[end])) ++end;
    out += replace(text.substr(i, end - i));
    i = end;
  }
  return out;
}

bool plain(const std::string& name) {
  return !name.starts_with(kEscape) && std::all_of(name.begin(), name.end(), [](char c) {
    return c != '$' && static_cast<unsigned char>(c) < 0x80;
  });
}

}  // namespace

std::string isl_encode_names(const std::string& text) {
  return map_names(text, [](const std::string& name) {
    if (plain(name)) return name;
    std::string out(kEscape);
    for (const char c : name) out += fmt::format("{:02x}", static_cast<unsigned char>(c));
    return out;
  });
}

std::string isl_decode_names(const std::string& text) {
  return map_names(text, [](const std::string& name) {
    if (!name.starts_with(kEscape)) return name;
    std::string out;
    for (std::size_t i = kEscape.size(); i + 1 < name.size(); i += 2) {
      out += static_cast<char>(std::strtol(name.substr(i, 2).c_str(), nullptr, 16));
    }
    return out;
  });
}

bool isl_accepts_name(const std::string& name) {
  // isl compares its keywords without case.
  static constexpr std::array<std::string_view, 19> kReserved = {
      "exists", "and",  "or",    "implies", "not",    "infty", "infinity", "nan",   "min", "max",
      "rat",    "true", "false", "ceild",   "floord", "mod",   "ceil",     "floor", "inf"};
  if (name.empty() || name.front() == '$' || !starts_name(name.front())) return false;
  if (!std::all_of(name.begin(), name.end(), in_name)) return false;
  std::string lower;
  for (const char c : name) lower += static_cast<char>(std::tolower(static_cast<unsigned char>(c)));
  return std::find(kReserved.begin(), kReserved.end(), lower) == kReserved.end();
}

IslSession::IslSession() : ctx_(isl_ctx_alloc()) {
  isl_options_set_on_error(ctx_, ISL_ON_ERROR_CONTINUE);
  isl_ctx_set_max_operations(ctx_, kWorkBudget);
}

IslSession::~IslSession() { isl_ctx_free(ctx_); }

void IslSession::fail(const std::string& subject) const {
  if (isl_ctx_last_error(ctx_) == isl_error_quota) {
    throw ValueError(Diagnostic{
        .code = "TF3062",
        .message = fmt::format("an integer set operation needs more than {} steps", kWorkBudget),
        .hint = "simplify the relation, or mark the boundary as opaque"});
  }
  const char* reason = isl_ctx_last_error_msg(ctx_);
  throw ValueError(Diagnostic{
      .code = "TF3061",
      .message = subject.empty()
                     ? fmt::format("isl: {}", reason != nullptr ? reason : "the operation failed")
                     : fmt::format("isl does not read \"{}\": {}", subject,
                                   reason != nullptr ? reason : "syntax error")});
}

IslPtr<isl_set> IslSession::set(const std::string& text) const {
  return own(isl_set_read_from_str(ctx_, isl_encode_names(text).c_str()), text);
}
IslPtr<isl_map> IslSession::map(const std::string& text) const {
  return own(isl_map_read_from_str(ctx_, isl_encode_names(text).c_str()), text);
}
IslPtr<isl_multi_aff> IslSession::multi_aff(const std::string& text) const {
  return own(isl_multi_aff_read_from_str(ctx_, isl_encode_names(text).c_str()), text);
}

std::string IslSession::printed(char* text) const {
  if (text == nullptr) fail("");
  const std::unique_ptr<char, decltype(&std::free)> owner(text, &std::free);
  return isl_decode_names(text);
}

IslSet IslSession::value(const isl_set& object) const {
  return IslSet(printed(isl_set_to_str(const_cast<isl_set*>(&object))));
}
IslMap IslSession::value(const isl_map& object) const {
  return IslMap(printed(isl_map_to_str(const_cast<isl_map*>(&object))));
}
IslMultiAff IslSession::value(const isl_multi_aff& object) const {
  return IslMultiAff(printed(isl_multi_aff_to_str(const_cast<isl_multi_aff*>(&object))));
}

}  // namespace tilefoundry
