// Choosing names for printed values: authored ones where they can stand, stable others where not.
#pragma once

#include <string>
#include <string_view>
#include <unordered_map>
#include <unordered_set>
#include <vector>

namespace tilefoundry {

// Whether a name can be written as it is: an identifier of the language that is no keyword.
bool is_valid_name(std::string_view name);
// A valid name close to `name`: characters that cannot stand become underscores.
std::string valid_name(std::string_view name);

using NameSet = std::unordered_set<std::string>;

// Hands out names that are unique among the visible ones. A name that was handed out once stays as
// it is when the printed program is loaded and printed again.
class NameScope {
 public:
  // `avoided` outlives the scope: names that mean something else where these names are seen.
  explicit NameScope(const NameSet* avoided) : avoided_(avoided) {}

  // Names that unnamed values must not take, though nobody has them yet.
  void reserve(const std::string& name) { reserved_.insert(name); }
  // Takes a name as it is.
  void take(const std::string& name);
  // The authored name when it is valid and free, else with `_1`, `_2`...; without one `v0`, `v1`...
  std::string fresh(const std::string& authored);

  // Names taken after `mark` are given back by `release`.
  std::size_t mark() const noexcept { return taken_.size(); }
  void release(std::size_t mark);

 private:
  bool is_free(const std::string& name) const;

  const NameSet* avoided_;
  NameSet visible_;
  NameSet reserved_;
  std::vector<std::string> taken_;
  std::unordered_map<std::string, std::size_t> next_suffix_;
  std::size_t next_unnamed_ = 0;
};

}  // namespace tilefoundry
