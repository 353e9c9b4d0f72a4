#include "tilefoundry/ops/host_loops.h"

#include <algorithm>
#include <cstring>

namespace tilefoundry {

Extents broadcast_extents(const std::vector<const HostTensor*>& operands) {
  std::size_t rank = 0;
  for (const HostTensor* operand : operands) rank = std::max(rank, operand->shape().size());
  Extents result(rank, 1);
  for (const HostTensor* operand : operands) {
    const std::size_t shift = rank - operand->shape().size();
    for (std::size_t axis = shift; axis < rank; ++axis) {
      const std::int64_t extent = operand->shape()[axis - shift];
      if (extent != 1) result[axis] = extent;
    }
  }
  return result;
}

Extents broadcast_strides(const Extents& operand, const Extents& result) {
  const std::size_t shift = result.size() - operand.size();
  const Extents own = host_strides(operand);
  Extents strides(result.size(), 0);
  for (std::size_t axis = 0; axis < operand.size(); ++axis) {
    if (operand[axis] != 1) strides[axis + shift] = own[axis];
  }
  return strides;
}

std::vector<const HostTensor*> host_operands(const std::vector<HostValue>& args) {
  std::vector<const HostTensor*> out;
  for (const HostValue& arg : args) out.push_back(&arg.tensor());
  return out;
}

void copy_elements(const HostTensor& from, std::int64_t at, HostTensor& to, std::int64_t to_at,
                   std::int64_t count) {
  if (count <= 0) return;
  const auto size = static_cast<std::int64_t>(element_size(from.dtype()));
  std::memcpy(to.mutable_data() + to_at * size, from.data() + at * size,
              static_cast<std::size_t>(count * size));
}

HostTensor cloned(const HostTensor& tensor) {
  HostTensor copy(tensor.dtype(), tensor.shape());
  copy_elements(tensor, 0, copy, 0, tensor.numel());
  return copy;
}

std::int64_t wrap_add(std::int64_t a, std::int64_t b) {
  return static_cast<std::int64_t>(static_cast<std::uint64_t>(a) + static_cast<std::uint64_t>(b));
}
std::int64_t wrap_sub(std::int64_t a, std::int64_t b) {
  return static_cast<std::int64_t>(static_cast<std::uint64_t>(a) - static_cast<std::uint64_t>(b));
}
std::int64_t wrap_mul(std::int64_t a, std::int64_t b) {
  return static_cast<std::int64_t>(static_cast<std::uint64_t>(a) * static_cast<std::uint64_t>(b));
}

}  // namespace tilefoundry
