#include "tilefoundry/runtime/host_array.h"

#include <fmt/core.h>
#include <sys/mman.h>

#include <algorithm>
#include <cstdlib>
#include <cstring>
#include <map>
#include <mutex>
#include <new>

#include "tilefoundry/runtime/element.h"
#include "tilefoundry/support/diagnostic.h"

namespace tilefoundry {
namespace {

constexpr std::size_t kAlignment = 64;
constexpr std::size_t kLarge = std::size_t{1} << 20;
constexpr std::size_t kHugePage = std::size_t{2} << 20;
constexpr std::size_t kMostIdle = std::size_t{256} << 20;

std::size_t round_up(std::size_t value, std::size_t unit) {
  return (value + unit - 1) / unit * unit;
}

// Large blocks that nobody uses, by capacity. Reuse saves the page faults of fresh memory.
class IdleBlocks {
 public:
  // A block of at least `bytes` and not much more; null when there is none.
  std::byte* take(std::size_t bytes, std::size_t* capacity) {
    const std::lock_guard<std::mutex> lock(mutex_);
    const auto it = blocks_.lower_bound(bytes);
    if (it == blocks_.end() || it->first > bytes + bytes / 4 + kLarge) return nullptr;
    std::byte* block = it->second;
    *capacity = it->first;
    idle_ -= it->first;
    blocks_.erase(it);
    return block;
  }
  // False when there are enough.
  bool give(std::byte* block, std::size_t capacity) {
    const std::lock_guard<std::mutex> lock(mutex_);
    if (idle_ + capacity > kMostIdle) return false;
    blocks_.emplace(capacity, block);
    idle_ += capacity;
    return true;
  }
  std::size_t release() {
    const std::lock_guard<std::mutex> lock(mutex_);
    const std::size_t released = idle_;
    for (const auto& [capacity, block] : blocks_) std::free(block);
    blocks_.clear();
    idle_ = 0;
    return released;
  }

 private:
  std::mutex mutex_;
  std::multimap<std::size_t, std::byte*> blocks_;
  std::size_t idle_ = 0;
};

IdleBlocks& idle_blocks() {
  // Never destroyed: buffers may die after static destructors ran.
  static auto* blocks = new IdleBlocks();
  return *blocks;
}

}  // namespace

HostBuffer::HostBuffer(std::size_t bytes) : size_(bytes) {
  if (bytes > SIZE_MAX / 2) throw std::bad_alloc();
  if (bytes >= kLarge) {
    // Whole huge pages from two of them on, so that the system can back the block with them.
    capacity_ = round_up(bytes, bytes >= 2 * kHugePage ? kHugePage : kLarge / 4);
    data_ = idle_blocks().take(capacity_, &capacity_);
    if (data_ != nullptr) return;
    data_ = static_cast<std::byte*>(std::aligned_alloc(kHugePage, round_up(capacity_, kHugePage)));
#ifdef MADV_HUGEPAGE
    if (data_ != nullptr) ::madvise(data_, capacity_, MADV_HUGEPAGE);
#endif
  } else {
    capacity_ = round_up(bytes == 0 ? 1 : bytes, kAlignment);
    data_ = static_cast<std::byte*>(std::aligned_alloc(kAlignment, capacity_));
  }
  if (data_ == nullptr) throw std::bad_alloc();
}

HostBuffer& HostBuffer::operator=(HostBuffer&& other) noexcept {
  std::swap(data_, other.data_);
  std::swap(size_, other.size_);
  std::swap(capacity_, other.capacity_);
  return *this;
}

HostBuffer::~HostBuffer() {
  if (data_ == nullptr) return;
  if (capacity_ >= kLarge && idle_blocks().give(data_, capacity_)) return;
  std::free(data_);
}

std::size_t HostBuffer::release_idle() { return idle_blocks().release(); }

HostArray HostArray::make(std::string dtype, std::vector<std::int64_t> shape) {
  const std::int64_t bytes = contiguous_bytes(element_format(dtype), shape);
  try {
    return {std::move(dtype), std::move(shape), HostBuffer(static_cast<std::size_t>(bytes))};
  } catch (const std::bad_alloc&) {
    Diagnostic diagnostic;
    diagnostic.code = "TF6003";
    diagnostic.message = fmt::format("no memory for an array of {} bytes", bytes);
    diagnostic.hint = "use smaller extents or free memory";
    throw CallError(std::move(diagnostic));
  }
}

std::int64_t HostArray::size() const {
  // A zero first: the other extents alone may overflow.
  if (std::find(shape.begin(), shape.end(), 0) != shape.end()) return 0;
  std::int64_t count = 1;
  for (const std::int64_t extent : shape) count *= extent;
  return count;
}

HostArray HostArray::clone() const {
  HostArray copy = make(dtype, shape);
  std::memcpy(copy.buffer.data(), buffer.data(), buffer.size());
  return copy;
}

DLTensor HostArray::view() const {
  const ElementFormat& format = element_format(dtype);
  DLTensor tensor{};
  tensor.data = const_cast<std::byte*>(buffer.data());
  tensor.device = {static_cast<decltype(DLDevice::device_type)>(kDLCPU), 0};
  tensor.ndim = static_cast<std::int32_t>(shape.size());
  tensor.dtype = {format.code, static_cast<std::uint8_t>(format.bits), 1};
  tensor.shape = const_cast<std::int64_t*>(shape.data());
  return tensor;
}

}  // namespace tilefoundry
