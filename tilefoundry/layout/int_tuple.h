// Nested tuples of dimensions, with a flat view.
#pragma once

#include <functional>
#include <string>
#include <variant>
#include <vector>

#include "tilefoundry/dims/dim.h"

namespace tilefoundry {

class IntTuple {
 public:
  IntTuple() = default;                                                // the empty tuple
  IntTuple(Dim leaf) : value_(std::move(leaf)) {}                      // NOLINT
  IntTuple(std::vector<IntTuple> items) : value_(std::move(items)) {}  // NOLINT
  static IntTuple flat(const Shape& leaves);

  bool is_leaf() const noexcept { return std::holds_alternative<Dim>(value_); }
  const Dim& leaf() const { return std::get<Dim>(value_); }
  const std::vector<IntTuple>& items() const { return std::get<std::vector<IntTuple>>(value_); }
  // Leaves, left to right.
  Shape flatten() const;
  IntTuple map(const std::function<Dim(const Dim&)>& replace) const;
  // Same nesting.
  bool congruent(const IntTuple& other) const;
  // Language text: "4", "(4, (2, 8))", "(4,)".
  std::string text() const;
  std::size_t hash() const;

  friend bool operator==(const IntTuple&, const IntTuple&) = default;

 private:
  std::variant<std::vector<IntTuple>, Dim> value_;
};

}  // namespace tilefoundry
