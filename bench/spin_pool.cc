// A pinned pool that only spins, for benches: thread i runs on CPU i, the caller is thread 0. Also
// an FMA loop to measure the peak in the same process between samples.

#include <pthread.h>
#include <sched.h>

#include <atomic>
#include <cstdint>
#include <thread>
#include <vector>

namespace {

using Body = void (*)(void*, int64_t, int64_t, int32_t);

struct Pool {
  std::vector<std::thread> threads;
  std::atomic<long> round{0};
  std::atomic<int> working{0};
  std::atomic<int64_t> next{0};
  Body body = nullptr;
  void* context = nullptr;
  int64_t extent = 0, grain = 1;
  bool ends = false;
} pool;

void pin(int cpu) {
  cpu_set_t set;
  CPU_ZERO(&set);
  CPU_SET(cpu, &set);
  sched_setaffinity(0, sizeof set, &set);
}

void share(int worker) {
  for (;;) {
    int64_t begin = pool.next.fetch_add(pool.grain);
    if (begin >= pool.extent) return;
    int64_t end = begin + pool.grain < pool.extent ? begin + pool.grain : pool.extent;
    pool.body(pool.context, begin, end, worker);
  }
}

void serve(int worker) {
  pin(worker);
  for (long seen = 0;;) {
    while (pool.round.load(std::memory_order_acquire) == seen) __builtin_ia32_pause();
    seen++;
    if (pool.ends) return;
    share(worker);
    pool.working.fetch_sub(1, std::memory_order_release);
  }
}

#if defined(__AVX512F__)
typedef float Vec __attribute__((vector_size(64)));
#elif defined(__AVX2__)
typedef float Vec __attribute__((vector_size(32)));
#else
typedef float Vec __attribute__((vector_size(16)));
#endif

void chains(void*, int64_t begin, int64_t end, int32_t) {
  Vec a = {}, b = {}, c = {}, d = {}, e = {}, f = {}, g = {}, h = {}, i = {}, j = {};
  Vec x = a + 0.5f, y = a + 0.25f;
  for (int64_t n = begin * 100000; n < end * 100000; n++) {
    a = a * x + y, b = b * x + y, c = c * x + y, d = d * x + y, e = e * x + y;
    f = f * x + y, g = g * x + y, h = h * x + y, i = i * x + y, j = j * x + y;
    asm volatile("" : "+v"(a), "+v"(b), "+v"(c), "+v"(d), "+v"(e));
    asm volatile("" : "+v"(f), "+v"(g), "+v"(h), "+v"(i), "+v"(j));
  }
}

}  // namespace

extern "C" {

void pool_start(int threads) {
  pin(0);
  pool.ends = false;
  pool.round = 0;
  for (int i = 1; i < threads; i++) pool.threads.emplace_back(serve, i);
}

void pool_stop() {
  pool.ends = true;
  pool.round++;
  for (auto& thread : pool.threads) thread.join();
  pool.threads.clear();
}

void pool_for(void*, Body body, void* context, int64_t extent, int64_t grain) {
  pool.body = body, pool.context = context, pool.extent = extent, pool.grain = grain;
  pool.next = 0;
  pool.working = (int)pool.threads.size();
  pool.round.fetch_add(1, std::memory_order_release);
  share(0);
  while (pool.working.load(std::memory_order_acquire)) __builtin_ia32_pause();
}

// Runs `parts` parts of the FMA loop on the pool; returns the floating-point operations done.
double pool_peak(int64_t parts) {
  pool_for(nullptr, chains, nullptr, parts, 1);
  return 100000.0 * parts * 10 * 2 * (sizeof(Vec) / 4);
}
}
