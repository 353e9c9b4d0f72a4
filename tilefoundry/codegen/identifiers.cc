#include "tilefoundry/codegen/identifiers.h"

#include <fmt/format.h>

#include <algorithm>

namespace tilefoundry {
namespace {

bool is_alnum(char c) {
  return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9');
}

// Keywords of C and C++ and the names that compilers predefine, each between spaces.
constexpr std::string_view kReservedWords =
    " "
    "alignas alignof and and_eq asm auto bitand bitor bool break case catch char char8_t "
    "char16_t char32_t class compl concept const consteval constexpr constinit const_cast "
    "continue co_await co_return co_yield decltype default delete do double dynamic_cast else "
    "enum explicit export extern false float for friend goto if inline int long mutable "
    "namespace new noexcept not not_eq nullptr operator or or_eq private protected public "
    "register reinterpret_cast requires restrict return short signed sizeof static static_assert "
    "static_cast struct switch template this thread_local throw true try typedef typeid typename "
    "typeof union unsigned using virtual void volatile wchar_t while xor xor_eq linux unix i386 "
    "NULL main ";

bool is_reserved(std::string_view name) {
  return kReservedWords.find(" " + std::string(name) + " ") != std::string_view::npos;
}

bool is_plain(std::string_view name) {
  if (name.empty() || !is_alnum(name[0]) || (name[0] >= '0' && name[0] <= '9')) return false;
  if (!std::all_of(name.begin(), name.end(), [](char c) { return is_alnum(c) || c == '_'; })) {
    return false;
  }
  return name.rfind("tf_", 0) != 0 && name.rfind("Tf", 0) != 0 &&
         name.find("__") == std::string_view::npos && !is_reserved(name);
}

}  // namespace

std::string c_identifier(std::string_view name) {
  if (is_plain(name)) return std::string(name);
  std::string out = "tf_n_";
  for (const char c : name) {
    if (is_alnum(c) && c != 'Z') {
      out += c;
    } else {
      out += fmt::format("Z{:02x}", static_cast<unsigned char>(c));
    }
  }
  return out;
}

std::string IdentifierScopes::declare(std::string_view name) {
  return declare_own(c_identifier(name.empty() ? "v" : name));
}

std::string IdentifierScopes::declare_own(const std::string& base) {
  std::string candidate = base;
  for (int n = 2; taken_.count(candidate) != 0; ++n) candidate = fmt::format("{}_{}", base, n);
  taken_.emplace(candidate, depth_);
  return candidate;
}

void IdentifierScopes::reserve(const std::string& identifier) {
  taken_.emplace(identifier, depth_);
}

void IdentifierScopes::push() { ++depth_; }

void IdentifierScopes::pop() {
  std::erase_if(taken_, [this](const auto& entry) { return entry.second == depth_; });
  --depth_;
}

int IdentifierScopes::depth_of(const std::string& identifier) const {
  const auto it = taken_.find(identifier);
  return it == taken_.end() ? -1 : it->second;
}

}  // namespace tilefoundry
