// Loops over host tensors for the value semantics of ops.
#pragma once

#include <cstdint>
#include <vector>

#include "tilefoundry/evaluate/evaluator.h"
#include "tilefoundry/evaluate/host_tensor.h"

namespace tilefoundry {

using Extents = std::vector<std::int64_t>;

// Right-aligned broadcast of shapes that agree.
Extents broadcast_extents(const std::vector<const HostTensor*>& operands);
// Element strides of an operand along the axes of the result, 0 where it is repeated.
Extents broadcast_strides(const Extents& operand, const Extents& result);
// The arguments as tensors.
std::vector<const HostTensor*> host_operands(const std::vector<HostValue>& args);

// Calls fn(i, at) for every element i of the result in row-major order; at[k] is the element of
// operand k that it reads, by the operand's strides along the axes of the result.
template <class Fn>
void for_each_strided(const Extents& result, const std::vector<Extents>& strides, Fn fn) {
  Extents coordinate(result.size(), 0);
  Extents at(strides.size(), 0);
  const std::int64_t total = host_numel(result);
  for (std::int64_t i = 0; i < total; ++i) {
    fn(i, at);
    for (std::size_t axis = result.size(); axis-- > 0;) {
      const bool carry = ++coordinate[axis] == result[axis];
      for (std::size_t k = 0; k < at.size(); ++k) {
        at[k] += strides[k][axis] * (carry ? 1 - result[axis] : 1);
      }
      if (!carry) break;
      coordinate[axis] = 0;
    }
  }
}
template <class Fn>
void for_each_broadcast(const Extents& result, const std::vector<const HostTensor*>& operands,
                        Fn fn) {
  std::vector<Extents> strides;
  for (const HostTensor* operand : operands) {
    strides.push_back(broadcast_strides(operand->shape(), result));
  }
  for_each_strided(result, strides, fn);
}

// Copies `count` elements between tensors of one dtype, positions in elements.
void copy_elements(const HostTensor& from, std::int64_t at, HostTensor& to, std::int64_t to_at,
                   std::int64_t count);

// A tensor with bytes of its own.
HostTensor cloned(const HostTensor& tensor);

// Integer arithmetic that wraps as two's complement of 64 bits.
std::int64_t wrap_add(std::int64_t a, std::int64_t b);
std::int64_t wrap_sub(std::int64_t a, std::int64_t b);
std::int64_t wrap_mul(std::int64_t a, std::int64_t b);

// Pairwise sum of `value(i)` for i in [begin, end), in double.
template <class Fn>
double pairwise_sum(std::int64_t begin, std::int64_t end, const Fn& value) {
  if (end - begin <= 64) {
    double sum = 0;
    for (std::int64_t i = begin; i < end; ++i) sum += value(i);
    return sum;
  }
  const std::int64_t middle = begin + (end - begin) / 2;
  return pairwise_sum(begin, middle, value) + pairwise_sum(middle, end, value);
}

}  // namespace tilefoundry
