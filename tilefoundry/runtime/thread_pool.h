// The threads that compiled code runs on: one pool per process, used through `TfCall`.
//
// Workers are pinned to distinct cores, spin briefly after a region and then sleep. A region is
// cut into pieces that each participant takes from its own share first and then from the others'.
#pragma once

#include <atomic>
#include <cstdint>
#include <exception>
#include <memory>

#include "tilefoundry/runtime/abi.h"
#include "tilefoundry/runtime/cpu_topology.h"

namespace tilefoundry {

class ThreadPool {
 public:
  // A pool of its own, for tests; compiled code uses `instance()`. `pin` keeps workers on cores.
  explicit ThreadPool(bool pin = true);
  ~ThreadPool();
  ThreadPool(const ThreadPool&) = delete;
  ThreadPool& operator=(const ThreadPool&) = delete;

  // The pool of this process. A forked child gets a new one. TILEFOUNDRY_PIN=0 turns pinning off.
  static ThreadPool& instance();

  // Threads used when a call does not say: TILEFOUNDRY_THREADS, else one for each core that the
  // affinity mask and the CPU quota allowed when the pool was made. ValueError TF7201 for a bad
  // variable.
  int default_threads() const;

  // One call of compiled code. The first region takes the pool until the session ends and pins the
  // calling thread to the core it runs on; its affinity is restored at the end. Where another
  // thread has the pool, and inside a region, regions run serially. Used by one thread.
  class Session {
   public:
    // `threads` 0 means the default; otherwise at most 256.
    explicit Session(ThreadPool& pool, int threads = 0);
    ~Session();
    Session(const Session&) = delete;
    Session& operator=(const Session&) = delete;

    // The most that a region uses.
    int threads() const noexcept { return threads_; }
    // For TfCall; null for one thread.
    TfParallelFor function() const noexcept;
    void* context() noexcept { return this; }
    void parallel_for(TfParallelBody body, void* context, std::int64_t extent, std::int64_t grain);

   private:
    bool take_pool();

    ThreadPool& pool_;
    int threads_ = 1;
    bool owner_ = false;
    AffinityGuard affinity_;
  };

  // Runs body(begin, end, worker) over [0, extent) with a session of its own; the first exception
  // of a body is thrown here after every piece has ended or been skipped.
  template <class Body>
  void parallel_for(std::int64_t extent, std::int64_t grain, Body&& body, int threads = 0);

 private:
  class Impl;
  std::unique_ptr<Impl> impl_;
};

// Collects the first exception of a region's pieces.
class RegionError {
 public:
  void capture() noexcept;
  bool failed() const noexcept { return failed_.load(std::memory_order_relaxed); }
  void rethrow() const {
    if (error_) std::rethrow_exception(error_);
  }

 private:
  std::atomic<bool> failed_{false};
  std::exception_ptr error_;
};

template <class Body>
void ThreadPool::parallel_for(std::int64_t extent, std::int64_t grain, Body&& body, int threads) {
  struct State {
    Body& body;
    RegionError error;
  } state{body, {}};
  Session session(*this, threads);
  session.parallel_for(
      [](void* context, std::int64_t begin, std::int64_t end, std::int32_t worker) {
        auto& state = *static_cast<State*>(context);
        if (state.error.failed()) return;
        try {
          state.body(begin, end, worker);
        } catch (...) {
          state.error.capture();
        }
      },
      &state, extent, grain);
  state.error.rethrow();
}

}  // namespace tilefoundry
