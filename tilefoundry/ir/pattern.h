// What tells the variants of a prototype apart.
#pragma once

#include <cstdint>
#include <string>

#include "tilefoundry/support/ref.h"

namespace tilefoundry {

// Immutable. Classes from outside derive from it; only ranges of a dimension can be lowered.
class Pattern : public RefCounted {
 public:
  // How it prints: the constructor call of a known class, else whatever the class says.
  virtual std::string repr() const = 0;
  virtual bool equals(const Pattern& other) const { return this == &other; }
};
using PatternRef = Ref<const Pattern>;

// The dimension of that name lies in [lo, hi).
class DimVarRangePat final : public Pattern {
 public:
  static Ref<const DimVarRangePat> make(std::string dim_var, std::int64_t lo, std::int64_t hi);

  const std::string& dim_var() const noexcept { return dim_var_; }
  std::int64_t lo() const noexcept { return lo_; }
  std::int64_t hi() const noexcept { return hi_; }
  bool holds(std::int64_t extent) const noexcept { return lo_ <= extent && extent < hi_; }
  // "[1, 4)"
  std::string range_text() const;

  // `DimVarRangePat("S", 1, 4)`
  std::string repr() const override;
  bool equals(const Pattern& other) const override;

 private:
  DimVarRangePat(std::string dim_var, std::int64_t lo, std::int64_t hi)
      : dim_var_(std::move(dim_var)), lo_(lo), hi_(hi) {}
  std::string dim_var_;
  std::int64_t lo_;
  std::int64_t hi_;
};

// The pattern as a range, or null.
const DimVarRangePat* as_range(const PatternRef& pattern) noexcept;

}  // namespace tilefoundry
