#include "tilefoundry/text/names.h"

#include "tilefoundry/support/text.h"
#include "tilefoundry/support/unicode_identifier.h"
#include "tilefoundry/support/utf8.h"

namespace tilefoundry {
namespace {

bool fits(const DecodedCodePoint& point, bool first) {
  if (!point.valid) return false;
  const bool known = first ? is_identifier_start(point.value) : is_identifier_continue(point.value);
  return known && (point.value < 0x80 || is_normalized_identifier_character(point.value));
}

}  // namespace

bool is_valid_name(std::string_view name) {
  if (name.empty() || is_python_keyword(name)) return false;
  for (std::size_t at = 0; at < name.size();) {
    const DecodedCodePoint point = utf8_decode(name, at);
    if (!fits(point, at == 0)) return false;
    at += point.size;
  }
  return true;
}

std::string valid_name(std::string_view name) {
  std::string out;
  for (std::size_t at = 0; at < name.size();) {
    const DecodedCodePoint point = utf8_decode(name, at);
    if (fits(point, false)) {
      if (out.empty() && !fits(point, true)) out = "_";
      out += name.substr(at, point.size);
    } else {
      out += '_';
    }
    at += point.size;
  }
  if (out.empty()) return "_";
  return is_python_keyword(out) ? out + "_1" : out;
}

void NameScope::take(const std::string& name) {
  if (visible_.insert(name).second) taken_.push_back(name);
}

bool NameScope::is_free(const std::string& name) const {
  return !visible_.contains(name) && !avoided_->contains(name);
}

std::string NameScope::fresh(const std::string& authored) {
  std::string name;
  if (authored.empty()) {
    do {
      name = "v" + std::to_string(next_unnamed_++);
    } while (!is_free(name) || reserved_.contains(name));
  } else {
    name = is_valid_name(authored) ? authored : valid_name(authored);
    if (!is_free(name)) {
      const std::string stem = name;
      std::size_t& suffix = next_suffix_[stem];
      do {
        name = stem + "_" + std::to_string(++suffix);
      } while (!is_free(name) || reserved_.contains(name));
    }
  }
  take(name);
  return name;
}

void NameScope::release(std::size_t mark) {
  while (taken_.size() > mark) {
    visible_.erase(taken_.back());
    taken_.pop_back();
  }
}

}  // namespace tilefoundry
