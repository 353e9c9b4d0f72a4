// Tensors in host memory, as the reference interpreter computes on them.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <variant>
#include <vector>

#include "tilefoundry/types/dtype.h"
#include "tilefoundry/types/element.h"

namespace tilefoundry {

// C-contiguous; elements as in types/element.h. Copies share the bytes, which are written only
// while the tensor is being built.
class HostTensor {
 public:
  HostTensor() = default;
  HostTensor(DType dtype, std::vector<std::int64_t> shape);  // zeros
  HostTensor(DType dtype, std::vector<std::int64_t> shape, std::vector<std::byte> bytes);

  DType dtype() const noexcept { return dtype_; }
  const std::vector<std::int64_t>& shape() const noexcept { return shape_; }
  std::int64_t numel() const noexcept { return numel_; }
  const std::byte* data() const noexcept { return bytes_->data(); }
  std::byte* mutable_data() noexcept { return bytes_->data(); }
  std::size_t byte_size() const noexcept { return bytes_->size(); }

  double float_at(std::int64_t i) const { return load_float(dtype_, data() + i * size_); }
  std::int64_t int_at(std::int64_t i) const { return load_int(dtype_, data() + i * size_); }
  // Rounds once to the dtype.
  void set_float(std::int64_t i, double value) {
    store_float(dtype_, mutable_data() + i * size_, value);
  }
  void set_int(std::int64_t i, std::int64_t value) {
    store_int(dtype_, mutable_data() + i * size_, value);
  }
  // The same bytes under another shape of equal element count.
  HostTensor reshaped(std::vector<std::int64_t> shape) const;

 private:
  DType dtype_;
  std::vector<std::int64_t> shape_;
  std::int64_t numel_ = 1;
  std::int64_t size_ = 4;
  std::shared_ptr<std::vector<std::byte>> bytes_;
};

// A tensor or a tuple of values.
struct HostValue {
  std::variant<HostTensor, std::vector<HostValue>> value;
  HostValue() = default;
  HostValue(HostTensor tensor) : value(std::move(tensor)) {}              // NOLINT
  HostValue(std::vector<HostValue> fields) : value(std::move(fields)) {}  // NOLINT
  const HostTensor& tensor() const { return std::get<HostTensor>(value); }
  const std::vector<HostValue>& fields() const { return std::get<std::vector<HostValue>>(value); }
  bool is_tensor() const noexcept { return std::holds_alternative<HostTensor>(value); }
};

// Row-major strides and the next coordinate in row-major order (false past the last).
std::vector<std::int64_t> host_strides(const std::vector<std::int64_t>& shape);
bool next_coordinate(std::vector<std::int64_t>& coordinate, const std::vector<std::int64_t>& shape);
std::int64_t host_numel(const std::vector<std::int64_t>& shape);

}  // namespace tilefoundry
