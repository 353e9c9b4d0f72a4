// Where the names of a function or class come from.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "tilefoundry/frontend/value.h"

namespace tilefoundry {

// Free names as the place that defines a function sees them. The native door answers from the
// scopes of the file, the Python door from frames, globals and builtins.
class NameResolver {
 public:
  virtual ~NameResolver() = default;
  // Nothing when the name is undefined.
  virtual std::optional<Value> find(std::string_view name) const = 0;
  // Names to suggest for one that is undefined.
  virtual std::vector<std::string> known_names() const = 0;
  // Where an undefined name is going to be bound further down, if it is.
  virtual Span bound_later(std::string_view name) const { return (void)name, Span(); }
};

// Names of one block over those of an outer resolver (null: none).
class Scope final : public NameResolver {
 public:
  explicit Scope(const NameResolver* outer) : outer_(outer) {}

  std::optional<Value> find(std::string_view name) const override;
  std::vector<std::string> known_names() const override;
  Span bound_later(std::string_view name) const override;

  void announce(std::string_view name, Span place);
  void bind(std::string_view name, Value value);
  // The value bound in this very scope, or null.
  const Value* find_here(std::string_view name) const;
  const NameResolver* outer() const noexcept { return outer_; }

 private:
  struct Hash {
    using is_transparent = void;
    std::size_t operator()(std::string_view text) const {
      return std::hash<std::string_view>()(text);
    }
  };
  const NameResolver* outer_;
  std::unordered_map<std::string, Value, Hash, std::equal_to<>> names_;
  std::unordered_map<std::string, Span, Hash, std::equal_to<>> announced_;
};

}  // namespace tilefoundry
