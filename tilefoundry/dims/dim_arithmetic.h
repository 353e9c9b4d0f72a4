// Checked int64 arithmetic and the normal-form builder behind the operators of dim.h.
#pragma once

#include <cstdint>
#include <vector>

#include "tilefoundry/dims/dim.h"

namespace tilefoundry {

// Throw ValueError (TF3001) on overflow.
std::int64_t checked_add(std::int64_t a, std::int64_t b);
std::int64_t checked_mul(std::int64_t a, std::int64_t b);

// Python's floor division and remainder. The divisor is not zero.
std::int64_t python_floordiv(std::int64_t a, std::int64_t b);
std::int64_t python_mod(std::int64_t a, std::int64_t b);

// Applies an operation in normal form; `operands` as in DimApply.
Dim dim_apply(DimOp op, const std::vector<Dim>& operands);

// The polynomial view of a dimension: constants have no terms, atoms one.
DimSum dim_as_sum(const Dim& dim);
// Builds the normal form of a polynomial whose terms are sorted and merged.
Dim dim_from_sum(DimSum sum);

}  // namespace tilefoundry
