// What ops that compare the elements of one axis share.
#pragma once

#include "tilefoundry/ops/common.h"
#include "tilefoundry/ops/host_loops.h"

namespace tilefoundry {

// Floats compare as f32, bool as i32, integers as they are.
DType ranking_dtype(DType dtype);
// Refuses dtypes that have no order.
void check_ranked(const Call& call, DType dtype, TypeInferContext& ctx);
// One compare per element of the first argument; every argument read, the result written.
Cost ranking_cost(const Call& call, CostContext& ctx);

// The rows of a host tensor along an axis: fn(row, base, stride); element k is base + k * stride.
template <class Fn>
void for_each_row(const Extents& shape, std::size_t axis, Fn fn) {
  std::int64_t inner = 1;
  for (std::size_t k = axis + 1; k < shape.size(); ++k) inner *= shape[k];
  std::int64_t outer = 1;
  for (std::size_t k = 0; k < axis; ++k) outer *= shape[k];
  for (std::int64_t o = 0; o < outer; ++o) {
    for (std::int64_t i = 0; i < inner; ++i) {
      fn(o * inner + i, o * shape[axis] * inner + i, inner);
    }
  }
}
// Whether element a of x ranks before element b by value alone; nan is the largest.
bool ranks_before(const HostTensor& x, std::int64_t a, std::int64_t b, bool largest);

}  // namespace tilefoundry
