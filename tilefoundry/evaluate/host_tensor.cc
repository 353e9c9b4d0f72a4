#include "tilefoundry/evaluate/host_tensor.h"

#include <fmt/format.h>

#include "tilefoundry/dims/dim_arithmetic.h"
#include "tilefoundry/support/diagnostic.h"

namespace tilefoundry {

HostTensor::HostTensor(DType dtype, std::vector<std::int64_t> shape)
    : dtype_(dtype),
      shape_(std::move(shape)),
      numel_(host_numel(shape_)),
      size_(static_cast<std::int64_t>(element_size(dtype))),
      bytes_(std::make_shared<std::vector<std::byte>>(
          static_cast<std::size_t>(checked_mul(numel_, size_)))) {}

HostTensor::HostTensor(DType dtype, std::vector<std::int64_t> shape, std::vector<std::byte> bytes)
    : dtype_(dtype),
      shape_(std::move(shape)),
      numel_(host_numel(shape_)),
      size_(static_cast<std::int64_t>(element_size(dtype))),
      bytes_(std::make_shared<std::vector<std::byte>>(std::move(bytes))) {
  TF_CHECK(static_cast<std::int64_t>(bytes_->size()) == checked_mul(numel_, size_),
           "a host tensor's bytes do not fit its shape");
}

HostTensor HostTensor::reshaped(std::vector<std::int64_t> shape) const {
  TF_CHECK(host_numel(shape) == numel_, "reshaped: element counts differ");
  HostTensor out = *this;
  out.shape_ = std::move(shape);
  return out;
}

std::int64_t host_numel(const std::vector<std::int64_t>& shape) {
  std::int64_t count = 1;
  for (const std::int64_t extent : shape) {
    if (extent == 0) return 0;
  }
  for (const std::int64_t extent : shape) count = checked_mul(count, extent);
  return count;
}

std::vector<std::int64_t> host_strides(const std::vector<std::int64_t>& shape) {
  std::vector<std::int64_t> strides(shape.size(), 1);
  for (std::size_t axis = shape.size(); axis-- > 1;) {
    strides[axis - 1] = checked_mul(strides[axis], shape[axis]);
  }
  return strides;
}

bool next_coordinate(std::vector<std::int64_t>& coordinate,
                     const std::vector<std::int64_t>& shape) {
  for (std::size_t axis = shape.size(); axis-- > 0;) {
    if (++coordinate[axis] < shape[axis]) return true;
    coordinate[axis] = 0;
  }
  return false;
}

}  // namespace tilefoundry
