#include "tilefoundry/runtime/thread_pool.h"

#include <pthread.h>
#include <sched.h>
#include <signal.h>

#include <algorithm>
#include <array>
#include <chrono>
#include <vector>

#include "tilefoundry/support/environment.h"

namespace tilefoundry {
namespace {

constexpr int kMaxThreads = 256;
constexpr int kPiecesPerThread = 8;
constexpr std::size_t kWorkerStack = std::size_t{4} << 20;
constexpr std::uint64_t kOpen = std::uint64_t{1} << 31;
constexpr std::uint64_t kInside = kOpen - 1;

// The worker number of the region that this thread runs a piece of; -1 outside.
int& region_worker() noexcept {
  thread_local int worker = -1;
  return worker;
}

void pause_cpu() noexcept {
#if defined(__x86_64__) || defined(__i386__)
  __builtin_ia32_pause();
#elif defined(__aarch64__)
  asm volatile("yield");
#endif
}

// Spins until `ready()`; false when the time is over.
template <class Ready>
bool spin(std::chrono::microseconds time, bool yields, const Ready& ready) {
  const auto deadline = std::chrono::steady_clock::now() + time;
  do {
    for (int i = 0; i < 64; ++i) {
      if (ready()) return true;
      pause_cpu();
    }
    if (yields) ::sched_yield();
  } while (std::chrono::steady_clock::now() < deadline);
  return ready();
}

std::int64_t divide_up(std::int64_t a, std::int64_t b) { return a / b + (a % b != 0 ? 1 : 0); }

}  // namespace

// A region is open while its caller works on it. Workers enter an open region, take pieces until
// none is left and leave; the caller closes it when it finds no piece, and waits only for those
// inside. So a worker that wakes late costs nothing: it finds the region closed.
class ThreadPool::Impl {
 public:
  explicit Impl(bool pin)
      : cpus_(usable_cpus()), cores_(std::min(usable_cores(cpus_), kMaxThreads)), pin_(pin) {}
  ~Impl();

  int cores() const noexcept { return cores_; }
  bool try_own() noexcept { return !owned_.exchange(true, std::memory_order_acquire); }
  void disown() noexcept { owned_.store(false, std::memory_order_release); }

  // For the owner: gets up to `threads` - 1 workers ready; returns the threads there are.
  int prepare(int threads, AffinityGuard& caller);
  void run_region(TfParallelBody body, void* context, std::int64_t extent, std::int64_t grain,
                  int threads);

 private:
  struct Worker {
    Impl* pool;
    int number;  // 1, 2...; the caller is 0
    std::uint32_t epoch;
    pthread_t thread;
    int cpu;  // -1: not pinned
  };
  struct alignas(64) Share {
    std::atomic<std::int64_t> next{0};
    std::int64_t end = 0;
  };

  bool add_worker();
  void place_around_caller(AffinityGuard& caller);
  int unused_cpu(int caller_core) const;
  void work(Worker& self);
  bool enter(std::uint32_t epoch) noexcept;
  void leave() noexcept;
  void take_pieces(int number);
  std::chrono::microseconds spin_time() const noexcept {
    return std::chrono::microseconds(crowded_.load(std::memory_order_relaxed) ? 20 : 2000);
  }

  std::vector<LogicalCpu> cpus_;
  const int cores_;
  const bool pin_;
  std::atomic<bool> owned_{false};
  std::atomic<bool> stop_{false};
  std::atomic<bool> crowded_{false};  // more threads than CPUs, or unpinned
  std::vector<std::unique_ptr<Worker>> workers_;

  // epoch << 32 | open | number of workers inside.
  alignas(64) std::atomic<std::uint64_t> state_{0};
  alignas(64) std::atomic<std::uint32_t> epoch_{0};  // workers wait for it to change
  alignas(64) std::atomic<std::uint32_t> left_{0};   // the epoch that the last worker has left
  // The region; written while it is closed and nobody is inside.
  TfParallelBody body_ = nullptr;
  void* context_ = nullptr;
  std::int64_t extent_ = 0;
  std::int64_t piece_ = 0;
  int participants_ = 0;
  std::array<Share, kMaxThreads> shares_;
};

ThreadPool::Impl::~Impl() {
  stop_.store(true);
  epoch_.fetch_add(1);
  epoch_.notify_all();
  for (const auto& worker : workers_) ::pthread_join(worker->thread, nullptr);
}

bool ThreadPool::Impl::add_worker() {
  auto worker = std::make_unique<Worker>();
  worker->pool = this;
  worker->number = static_cast<int>(workers_.size()) + 1;
  worker->epoch = epoch_.load();
  worker->cpu = -1;
  pthread_attr_t attributes;
  ::pthread_attr_init(&attributes);
  ::pthread_attr_setstacksize(&attributes, kWorkerStack);
  // Signals are for the program's own threads.
  sigset_t all;
  sigset_t former;
  ::sigfillset(&all);
  ::pthread_sigmask(SIG_SETMASK, &all, &former);
  const int error = ::pthread_create(
      &worker->thread, &attributes,
      [](void* self) -> void* {
        auto& worker = *static_cast<Worker*>(self);
        worker.pool->work(worker);
        return nullptr;
      },
      worker.get());
  ::pthread_sigmask(SIG_SETMASK, &former, nullptr);
  ::pthread_attr_destroy(&attributes);
  if (error != 0) return false;
  workers_.push_back(std::move(worker));
  return true;
}

// A CPU that no worker is pinned to, on a core of its own where there is one; -1 without any.
int ThreadPool::Impl::unused_cpu(int caller_core) const {
  int found = -1;
  for (const LogicalCpu& cpu : cpus_) {
    bool taken = false;
    bool shares_core = cpu.core == caller_core;
    for (const auto& worker : workers_) {
      taken = taken || worker->cpu == cpu.id;
      shares_core = shares_core || (worker->cpu >= 0 && core_of_cpu(worker->cpu) == cpu.core);
    }
    if (taken) continue;
    if (!shares_core) return cpu.id;
    if (found < 0 && cpu.core != caller_core) found = cpu.id;
  }
  return found;
}

// The caller stays where it runs; a worker on that core moves away, and new ones get a core.
void ThreadPool::Impl::place_around_caller(AffinityGuard& caller) {
  const int here = current_cpu();
  if (here < 0 || !caller.pin(here)) return;
  const int caller_core = core_of_cpu(here);
  for (const auto& worker : workers_) {
    if (worker->cpu >= 0 && core_of_cpu(worker->cpu) != caller_core) continue;
    const int cpu = unused_cpu(caller_core);
    if (cpu >= 0 && pin_thread(worker->thread, cpu)) worker->cpu = cpu;
  }
}

int ThreadPool::Impl::prepare(int threads, AffinityGuard& caller) {
  while (static_cast<int>(workers_.size()) < threads - 1 && add_worker()) {
  }
  threads = std::min(threads, static_cast<int>(workers_.size()) + 1);
  const bool fits = threads <= static_cast<int>(cpus_.size());
  crowded_.store(!fits || !pin_, std::memory_order_relaxed);
  if (pin_ && fits && threads > 1) place_around_caller(caller);
  return threads;
}

void ThreadPool::Impl::work(Worker& self) {
  std::uint32_t seen = self.epoch;
  while (true) {
    const auto changed = [&] { return epoch_.load(std::memory_order_acquire) != seen; };
    if (!spin(spin_time(), false, changed)) epoch_.wait(seen, std::memory_order_acquire);
    seen = epoch_.load(std::memory_order_acquire);
    if (stop_.load()) return;
    if (!enter(seen)) continue;
    take_pieces(self.number);
    leave();
  }
}

bool ThreadPool::Impl::enter(std::uint32_t epoch) noexcept {
  std::uint64_t state = state_.load(std::memory_order_acquire);
  while (state >> 32 == epoch && (state & kOpen) != 0) {
    if (state_.compare_exchange_weak(state, state + 1, std::memory_order_acq_rel)) return true;
  }
  return false;
}

void ThreadPool::Impl::leave() noexcept {
  const std::uint64_t before = state_.fetch_sub(1, std::memory_order_acq_rel);
  if ((before & kOpen) == 0 && (before & kInside) == 1) {
    left_.store(static_cast<std::uint32_t>(before >> 32), std::memory_order_release);
    left_.notify_one();
  }
}

// Own share first, then the others': pieces stay where their data was last time unless somebody is
// late.
void ThreadPool::Impl::take_pieces(int number) {
  if (number >= participants_) return;
  int& worker = region_worker();
  worker = number;
  for (int i = 0; i < participants_; ++i) {
    Share& share = shares_[static_cast<std::size_t>((number + i) % participants_)];
    while (true) {
      const std::int64_t index = share.next.fetch_add(1, std::memory_order_relaxed);
      if (index >= share.end) break;
      const std::int64_t begin = index * piece_;
      const std::int64_t length = std::min(piece_, extent_ - begin);
      body_(context_, begin, begin + length, number);
    }
  }
  worker = -1;
}

void ThreadPool::Impl::run_region(TfParallelBody body, void* context, std::int64_t extent,
                                  std::int64_t grain, int threads) {
  // In units of the grain, so that every piece begins at a multiple of it.
  const std::int64_t units = divide_up(extent, grain);
  const auto participants = static_cast<int>(std::min<std::int64_t>(threads, units));
  const std::int64_t per_piece = divide_up(units, std::int64_t{participants} * kPiecesPerThread);
  const std::int64_t pieces = divide_up(units, per_piece);
  body_ = body;
  context_ = context;
  extent_ = extent;
  piece_ = pieces == 1 ? extent : per_piece * grain;
  participants_ = participants;
  for (int i = 0; i < participants; ++i) {
    Share& share = shares_[static_cast<std::size_t>(i)];
    share.next.store(pieces * i / participants, std::memory_order_relaxed);
    share.end = pieces * (i + 1) / participants;
  }
  const std::uint32_t epoch = epoch_.load(std::memory_order_relaxed) + 1;
  state_.store(std::uint64_t{epoch} << 32 | kOpen, std::memory_order_release);
  epoch_.store(epoch, std::memory_order_release);
  epoch_.notify_all();
  take_pieces(0);
  const std::uint64_t before = state_.fetch_and(~kOpen, std::memory_order_acq_rel);
  if ((before & kInside) == 0) return;
  const auto all_left = [&] { return left_.load(std::memory_order_acquire) == epoch; };
  if (spin(spin_time(), crowded_.load(std::memory_order_relaxed), all_left)) return;
  while (!all_left()) {
    const std::uint32_t value = left_.load(std::memory_order_acquire);
    if (value != epoch) left_.wait(value, std::memory_order_acquire);
  }
}

ThreadPool::ThreadPool(bool pin) : impl_(std::make_unique<Impl>(pin)) {}
ThreadPool::~ThreadPool() = default;

ThreadPool& ThreadPool::instance() {
  // Never destroyed: workers may still wait when the process ends. A forked child has no workers
  // and leaves the parent's pool behind.
  static std::atomic<ThreadPool*> pool{nullptr};
  static const int registered =
      ::pthread_atfork(nullptr, nullptr, [] { pool.store(nullptr, std::memory_order_relaxed); });
  static_cast<void>(registered);
  if (ThreadPool* existing = pool.load(std::memory_order_acquire)) return *existing;
  auto fresh = std::make_unique<ThreadPool>(environment_flag("TILEFOUNDRY_PIN", true));
  ThreadPool* expected = nullptr;
  if (pool.compare_exchange_strong(expected, fresh.get())) return *fresh.release();
  return *expected;
}

int ThreadPool::default_threads() const {
  const auto wanted = environment_integer("TILEFOUNDRY_THREADS", 0, 1, kMaxThreads);
  return wanted > 0 ? static_cast<int>(wanted) : impl_->cores();
}

ThreadPool::Session::Session(ThreadPool& pool, int threads) : pool_(pool) {
  if (threads == 1 || region_worker() >= 0) return;
  threads_ = threads <= 0 ? pool.default_threads() : std::min(threads, kMaxThreads);
}

bool ThreadPool::Session::take_pool() {
  if (owner_) return true;
  if (!pool_.impl_->try_own()) return false;
  owner_ = true;
  threads_ = pool_.impl_->prepare(threads_, affinity_);
  return true;
}

ThreadPool::Session::~Session() {
  if (!owner_) return;
  affinity_.restore();
  pool_.impl_->disown();
}

TfParallelFor ThreadPool::Session::function() const noexcept {
  if (threads_ == 1) return nullptr;
  return [](void* session, TfParallelBody body, void* context, std::int64_t extent,
            std::int64_t grain) {
    static_cast<Session*>(session)->parallel_for(body, context, extent, grain);
  };
}

void ThreadPool::Session::parallel_for(TfParallelBody body, void* context, std::int64_t extent,
                                       std::int64_t grain) {
  if (extent <= 0) return;
  grain = std::max<std::int64_t>(grain, 1);
  int& worker = region_worker();
  if (threads_ == 1 || worker >= 0 || extent <= grain || !take_pool() || threads_ == 1) {
    const int former = worker;
    worker = std::max(former, 0);
    body(context, 0, extent, worker);
    worker = former;
    return;
  }
  pool_.impl_->run_region(body, context, extent, grain, threads_);
}

void RegionError::capture() noexcept {
  if (!failed_.exchange(true)) error_ = std::current_exception();
}

}  // namespace tilefoundry
