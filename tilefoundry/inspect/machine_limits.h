// What this machine reaches at most, measured: the yardstick of a profile.
#pragma once

#include <cstdint>
#include <map>
#include <memory>

#include "tilefoundry/runtime/loader.h"

namespace tilefoundry {

// Measures with `threads` threads of the pool (0: its default). The loops are compiled once and
// kept in the build cache; each limit is measured when it is first asked for, the best of several
// tries. ToolchainError as for any build.
class MachineLimits {
 public:
  explicit MachineLimits(int threads);
  ~MachineLimits();
  MachineLimits(const MachineLimits&) = delete;
  MachineLimits& operator=(const MachineLimits&) = delete;

  int threads() const noexcept { return threads_; }
  // f32 operations a second, a multiply-add being two.
  double flops_per_second();
  // Bytes a second of reading, or of copying (both directions counted, plain or past the caches,
  // whichever is faster), over buffers of about `bytes` in all.
  double read_bytes_per_second(double bytes);
  double copy_bytes_per_second(double bytes);

 private:
  struct Loops;
  double measure(double bytes, bool copy);

  int threads_;
  std::unique_ptr<Loops> loops_;
  double flops_ = 0;
  std::map<std::pair<std::size_t, bool>, double> bandwidth_;
};

}  // namespace tilefoundry
