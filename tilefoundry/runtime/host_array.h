// Owned, aligned host memory and arrays over it.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <utility>
#include <vector>

#include "tilefoundry/runtime/abi.h"

namespace tilefoundry {

// Bytes aligned to 64, not initialized. Blocks from 1 MiB on come from the system in huge-page-
// friendly pieces and go back to a pool that later buffers take from (at most a quarter GiB idle).
class HostBuffer {
 public:
  HostBuffer() noexcept = default;
  // std::bad_alloc when the system has no memory.
  explicit HostBuffer(std::size_t bytes);
  HostBuffer(HostBuffer&& other) noexcept
      : data_(std::exchange(other.data_, nullptr)),
        size_(std::exchange(other.size_, 0)),
        capacity_(std::exchange(other.capacity_, 0)) {}
  HostBuffer& operator=(HostBuffer&& other) noexcept;
  HostBuffer(const HostBuffer&) = delete;
  HostBuffer& operator=(const HostBuffer&) = delete;
  ~HostBuffer();

  // Never null, also for 0 bytes, unless default-constructed or moved from.
  std::byte* data() noexcept { return data_; }
  const std::byte* data() const noexcept { return data_; }
  std::size_t size() const noexcept { return size_; }

  // Gives the idle blocks of the pool back to the system; returns their bytes.
  static std::size_t release_idle();

 private:
  std::byte* data_ = nullptr;
  std::size_t size_ = 0;
  std::size_t capacity_ = 0;
};

// A C-contiguous array of a named element type. Rank 0 is a scalar.
struct HostArray {
  std::string dtype;
  std::vector<std::int64_t> shape;
  HostBuffer buffer;

  // Uninitialized. ValueError for an unknown dtype, a negative extent or too many bytes; CallError
  // TF6003 when memory runs out.
  static HostArray make(std::string dtype, std::vector<std::int64_t> shape);

  std::int64_t size() const;  // elements
  template <class T>
  T* values() {
    return reinterpret_cast<T*>(buffer.data());
  }
  template <class T>
  const T* values() const {
    return reinterpret_cast<const T*>(buffer.data());
  }
  HostArray clone() const;
  // A view of this array; valid while the array is neither moved nor destroyed.
  DLTensor view() const;
};

}  // namespace tilefoundry
