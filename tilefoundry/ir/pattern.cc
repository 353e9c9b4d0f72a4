#include "tilefoundry/ir/pattern.h"

#include <fmt/format.h>

#include "tilefoundry/support/text.h"

namespace tilefoundry {

Ref<const DimVarRangePat> DimVarRangePat::make(std::string dim_var, std::int64_t lo,
                                               std::int64_t hi) {
  return Ref<const DimVarRangePat>(new DimVarRangePat(std::move(dim_var), lo, hi));
}

std::string DimVarRangePat::range_text() const { return fmt::format("[{}, {})", lo_, hi_); }

std::string DimVarRangePat::repr() const {
  return fmt::format("DimVarRangePat({}, {}, {})", python_string_literal(dim_var_), lo_, hi_);
}

bool DimVarRangePat::equals(const Pattern& other) const {
  const auto* range = dynamic_cast<const DimVarRangePat*>(&other);
  return range != nullptr && range->dim_var_ == dim_var_ && range->lo_ == lo_ && range->hi_ == hi_;
}

const DimVarRangePat* as_range(const PatternRef& pattern) noexcept {
  return dynamic_cast<const DimVarRangePat*>(pattern.get());
}

}  // namespace tilefoundry
