// Measures what this machine can do: f32 and bf16 FMA peaks and copy bandwidth, on one thread and
// on all given CPUs. Prints JSON. Build: g++ -O2 -march=native -pthread bench/peaks.cc -o peaks
// Use: peaks [threads]   (thread i is pinned to CPU i)

#include <pthread.h>
#include <sched.h>
#include <sys/mman.h>

#include <algorithm>
#include <atomic>
#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <functional>
#include <thread>
#include <vector>

namespace {

#if defined(__AVX512F__)
constexpr int kVectorBytes = 64;
#elif defined(__AVX2__)
constexpr int kVectorBytes = 32;
#else
constexpr int kVectorBytes = 16;
#endif
typedef float Vec __attribute__((vector_size(kVectorBytes)));

double seconds() {
  return std::chrono::duration<double>(std::chrono::steady_clock::now().time_since_epoch()).count();
}

void pin(int cpu) {
  cpu_set_t set;
  CPU_ZERO(&set);
  CPU_SET(cpu, &set);
  sched_setaffinity(0, sizeof set, &set);
}

// Seconds from the common start to the last end of `work(thread)` on pinned threads.
double run_on(int threads, const std::function<void(int)>& work) {
  std::atomic<int> ready{0};
  std::atomic<bool> go{false};
  std::vector<double> end(threads);
  auto body = [&](int t) {
    pin(t);
    ready++;
    while (!go) {
    }
    work(t);
    end[t] = seconds();
  };
  std::vector<std::thread> others;
  for (int t = 1; t < threads; t++) others.emplace_back(body, t);
  double start = 0;
  pin(0);
  while (ready != threads - 1) {
  }
  start = seconds();
  go = true;
  body(0);
  for (auto& thread : others) thread.join();
  return *std::max_element(end.begin(), end.end()) - start;
}

// Sixteen independent chains: more than latency times throughput of any x86 core.
float fma_chains(long rounds) {
  constexpr int kLanes = kVectorBytes / 4;
  Vec a0 = {}, a1 = {}, a2 = {}, a3 = {}, a4 = {}, a5 = {}, a6 = {}, a7 = {};
  Vec b0 = {}, b1 = {}, b2 = {}, b3 = {};
  Vec x = a0 + 0.5f, y = a0 + 0.25f;
  for (long i = 0; i < rounds; i++) {
    a0 = a0 * x + y, a1 = a1 * x + y, a2 = a2 * x + y, a3 = a3 * x + y;
    a4 = a4 * x + y, a5 = a5 * x + y, a6 = a6 * x + y, a7 = a7 * x + y;
    b0 = b0 * x + y, b1 = b1 * x + y, b2 = b2 * x + y, b3 = b3 * x + y;
    asm("" : "+v"(a0), "+v"(a1), "+v"(a2), "+v"(a3), "+v"(a4), "+v"(a5), "+v"(a6), "+v"(a7));
    asm("" : "+v"(b0), "+v"(b1), "+v"(b2), "+v"(b3));
  }
  Vec s = a0 + a1 + a2 + a3 + a4 + a5 + a6 + a7 + b0 + b1 + b2 + b3;
  float sum = 0;
  for (int i = 0; i < kLanes; i++) sum += s[i];
  return sum;
}

#ifdef __AVX512BF16__
typedef int VecInt __attribute__((vector_size(64)));
float bf16_chains(long rounds) {
  Vec a0 = {}, a1 = {}, a2 = {}, a3 = {}, a4 = {}, a5 = {}, a6 = {}, a7 = {};
  Vec b0 = {}, b1 = {}, b2 = {}, b3 = {};
  VecInt x = {}, y = {};
  for (long i = 0; i < rounds; i++) {
    asm("vdpbf16ps %12, %13, %0\n\tvdpbf16ps %12, %13, %1\n\tvdpbf16ps %12, %13, %2\n\t"
        "vdpbf16ps %12, %13, %3\n\tvdpbf16ps %12, %13, %4\n\tvdpbf16ps %12, %13, %5\n\t"
        "vdpbf16ps %12, %13, %6\n\tvdpbf16ps %12, %13, %7\n\tvdpbf16ps %12, %13, %8\n\t"
        "vdpbf16ps %12, %13, %9\n\tvdpbf16ps %12, %13, %10\n\tvdpbf16ps %12, %13, %11"
        : "+v"(a0), "+v"(a1), "+v"(a2), "+v"(a3), "+v"(a4), "+v"(a5), "+v"(a6), "+v"(a7), "+v"(b0),
          "+v"(b1), "+v"(b2), "+v"(b3)
        : "v"(x), "v"(y));
  }
  return (a0 + a1 + a2 + a3 + a4 + a5 + a6 + a7 + b0 + b1 + b2 + b3)[0];
}
#endif

volatile float sink;

double flops(int threads, float (*chains)(long), double per_round) {
  const long rounds = 4'000'000;
  double best = 0;
  for (int repeat = 0; repeat < 7; repeat++) {
    double t = run_on(threads, [&](int) { sink = chains(rounds); });
    best = std::max(best, rounds * per_round * threads / t * 1e-9);
  }
  return best;
}

float* buffer(size_t bytes) {
  void* p = mmap(nullptr, bytes, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
  if (p == MAP_FAILED) std::abort();
  madvise(p, bytes, MADV_HUGEPAGE);
  std::memset(p, 1, bytes);
  return static_cast<float*>(p);
}

void copy_plain(float* to, const float* from, size_t n) {
  constexpr size_t kLanes = kVectorBytes / 4;
  for (size_t i = 0; i < n; i += kLanes) {
    Vec v = *(const Vec*)(from + i);
    asm("" : "+v"(v));
    *(Vec*)(to + i) = v;
  }
}

void copy_nontemporal(float* to, const float* from, size_t n) {
  constexpr size_t kLanes = kVectorBytes / 4;
  for (size_t i = 0; i < n; i += kLanes) {
    Vec v = *(const Vec*)(from + i);
    asm volatile(
#if defined(__AVX__)
        "vmovntps %1, %0"
#else
        "movntps %1, %0"
#endif
        : "=m"(*(Vec*)(to + i))
        : "v"(v));
  }
  asm volatile("sfence" ::: "memory");
}

void read_stream(float*, const float* from, size_t n) {
  constexpr size_t kLanes = kVectorBytes / 4;
  Vec a = {}, b = {}, c = {}, d = {};
  for (size_t i = 0; i < n; i += 4 * kLanes) {
    a += *(const Vec*)(from + i);
    b += *(const Vec*)(from + i + kLanes);
    c += *(const Vec*)(from + i + 2 * kLanes);
    d += *(const Vec*)(from + i + 3 * kLanes);
  }
  sink = (a + b + c + d)[0];
}

// GB/s of useful bytes (a copy reads and writes each byte once).
double bandwidth(int threads, size_t bytes, void (*move)(float*, const float*, size_t),
                 double ways) {
  static float* from = buffer(256u << 20);
  static float* to = buffer(256u << 20);
  size_t n = bytes / 4 / threads;
  int inner = std::max<size_t>(1, (64u << 20) / bytes);
  double best = 0;
  for (int repeat = 0; repeat < 9; repeat++) {
    double t = run_on(threads, [&](int id) {
      for (int i = 0; i < inner; i++) move(to + id * n, from + id * n, n);
    });
    best = std::max(best, ways * inner * bytes / t * 1e-9);
  }
  return best;
}

}  // namespace

int main(int argc, char** argv) {
  int most = argc > 1 ? std::atoi(argv[1]) : (int)std::thread::hardware_concurrency();
  std::printf("{\n  \"vector_bytes\": %d", kVectorBytes);
  std::vector<int> counts = {1};
  if (most > 1) counts.push_back(most);
  for (int threads : counts) {
    std::printf(",\n  \"threads_%d\": {", threads);
    std::printf("\"fma_f32_gflops\": %.1f",
                flops(threads, fma_chains, 12.0 * 2 * kVectorBytes / 4));
#ifdef __AVX512BF16__
    std::printf(", \"dot_bf16_gflops\": %.1f", flops(threads, bf16_chains, 12.0 * 2 * 32));
#endif
    for (auto [label, bytes] : {std::pair{"256MiB", (size_t)256 << 20},
                                {"64MiB", (size_t)64 << 20},
                                {"16MiB", (size_t)16 << 20},
                                {"2MiB", (size_t)2 << 20}}) {
      std::printf(", \"read_%s_gbs\": %.1f", label, bandwidth(threads, bytes, read_stream, 1));
      std::printf(", \"copy_%s_gbs\": %.1f", label, bandwidth(threads, bytes, copy_plain, 2));
      std::printf(", \"copy_nontemporal_%s_gbs\": %.1f", label,
                  bandwidth(threads, bytes, copy_nontemporal, 2));
    }
    std::printf("}");
  }
  std::printf("\n}\n");
}
