#include "tilefoundry/frontend/name_resolver.h"

#include <utility>

namespace tilefoundry {

std::optional<Value> Scope::find(std::string_view name) const {
  if (const Value* value = find_here(name)) return *value;
  return outer_ != nullptr ? outer_->find(name) : std::nullopt;
}

std::vector<std::string> Scope::known_names() const {
  std::vector<std::string> names;
  for (const auto& [name, value] : names_) names.push_back(name);
  if (outer_ != nullptr) {
    for (std::string& name : outer_->known_names()) names.push_back(std::move(name));
  }
  return names;
}

Span Scope::bound_later(std::string_view name) const {
  const auto it = announced_.find(name);
  if (it != announced_.end()) return it->second;
  return outer_ != nullptr ? outer_->bound_later(name) : Span();
}

void Scope::announce(std::string_view name, Span place) {
  announced_.emplace(std::string(name), std::move(place));
}

void Scope::bind(std::string_view name, Value value) {
  const auto it = names_.find(name);
  if (it == names_.end()) {
    names_.emplace(std::string(name), std::move(value));
  } else {
    it->second = std::move(value);
  }
}

const Value* Scope::find_here(std::string_view name) const {
  const auto it = names_.find(name);
  return it == names_.end() ? nullptr : &it->second;
}

}  // namespace tilefoundry
