#include "tilefoundry/inspect/machine_limits.h"

#include <dlfcn.h>
#include <algorithm>
#include <chrono>
#include <cstring>
#include <functional>

#include "tilefoundry/codegen/device_text.h"
#include "tilefoundry/runtime/build_cache.h"
#include "tilefoundry/runtime/cpu_features.h"
#include "tilefoundry/runtime/digest.h"
#include "tilefoundry/runtime/host_array.h"
#include "tilefoundry/runtime/thread_pool.h"
#include "tilefoundry/runtime/toolchain.h"
#include "tilefoundry/support/diagnostic.h"
#include "tilefoundry/support/files.h"

namespace tilefoundry {
namespace {

constexpr int kTries = 7;
constexpr std::size_t kLeastBytes = std::size_t{64} << 10;
constexpr std::size_t kMostBytes = std::size_t{256} << 20;
// One try moves at least this much, so that starting the threads does not count.
constexpr std::size_t kMovedBytes = std::size_t{16} << 20;
constexpr std::int64_t kRounds = 400'000;

std::filesystem::path limits_library() {
  const Toolchain& toolchain = Toolchain::host();
  const CpuFeatures features = toolchain.supported(CpuFeatures::native());
  const std::string source(device_text("cpu/limits.inc"));
  CacheKey key;
  key.add("limits", source).add("compiler", toolchain.identity()).add("features", features.text());
  const BuildCache cache = BuildCache::user();
  const CachedBuild built =
      cache.get_or_build(key.hex(), "machine limits", [&](const std::filesystem::path& folder) {
        CompileRequest request;
        request.sources = {folder / "source.cc"};
        request.library = folder / kLibraryFile;
        request.flags = {"-std=c++20", "-O2", "-ffp-contract=fast", "-fvisibility=hidden"};
        for (const std::string& flag : features.flags()) request.flags.push_back(flag);
        request.keep_sources_in = cache.failed_folder();
        write_file_atomic(folder / "source.cc", source);
        write_file_atomic(folder / kAbiFile, "{}\n");
        toolchain.compile_library(request);
      });
  return built.library;
}

// Seconds of the least try.
double best_of(const std::function<void()>& work) {
  using Clock = std::chrono::steady_clock;
  double best = 0;
  for (int i = 0; i < kTries; ++i) {
    const auto start = Clock::now();
    work();
    const std::chrono::duration<double> spent = Clock::now() - start;
    if (i == 0 || spent.count() < best) best = spent.count();
  }
  return std::max(best, 1e-9);
}

}  // namespace

struct MachineLimits::Loops {
  using Fma = long (*)(long rounds);
  using Move = void (*)(float* to, const float* from, long count);

  Fma fma = nullptr;
  Move read = nullptr;
  Move copy = nullptr;
  Move stream = nullptr;
  // Grown as needed.
  HostBuffer from;
  HostBuffer to;

  void reserve(std::size_t bytes) {
    for (HostBuffer* buffer : {&from, &to}) {
      if (buffer->size() >= bytes) continue;
      *buffer = HostBuffer(bytes);
      std::memset(buffer->data(), 0, bytes);
    }
  }
};

MachineLimits::MachineLimits(int threads)
    : threads_(threads > 0 ? threads : ThreadPool::instance().default_threads()),
      loops_(std::make_unique<Loops>()) {
  const std::string path = limits_library().string();
  void* handle = ::dlopen(path.c_str(), RTLD_NOW | RTLD_LOCAL);
  const auto find = [&](const char* name) {
    void* address = handle != nullptr ? ::dlsym(handle, name) : nullptr;
    if (address != nullptr) return address;
    throw CallError(
        Diagnostic{.code = "TF6490",
                   .message = "the library that measures this machine cannot be loaded: " + path,
                   .hint = "clear the build cache, or set TILEFOUNDRY_CACHE_DIR=off"});
  };
  loops_->fma = reinterpret_cast<Loops::Fma>(find("tf_limit_fma"));
  loops_->read = reinterpret_cast<Loops::Move>(find("tf_limit_read"));
  loops_->copy = reinterpret_cast<Loops::Move>(find("tf_limit_copy"));
  loops_->stream = reinterpret_cast<Loops::Move>(find("tf_limit_stream"));
}

MachineLimits::~MachineLimits() = default;

double MachineLimits::flops_per_second() {
  if (flops_ > 0) return flops_;
  const auto operations = static_cast<double>(loops_->fma(1)) * kRounds * threads_;
  const double seconds = best_of([&] {
    ThreadPool::instance().parallel_for(
        threads_, 1,
        [&](std::int64_t begin, std::int64_t end, std::int32_t) {
          for (std::int64_t i = begin; i < end; ++i) loops_->fma(kRounds);
        },
        threads_);
  });
  flops_ = operations / seconds;
  return flops_;
}

double MachineLimits::read_bytes_per_second(double bytes) { return measure(bytes, false); }
double MachineLimits::copy_bytes_per_second(double bytes) { return measure(bytes, true); }

double MachineLimits::measure(double bytes, bool copy) {
  // A power of two, so that few sizes are measured.
  std::size_t size = kLeastBytes;
  while (size < kMostBytes && static_cast<double>(size) * 1.5 < bytes) size *= 2;
  double& known = bandwidth_[{size, copy}];
  if (known > 0) return known;
  const std::size_t each = copy ? size / 2 : size;
  loops_->reserve(each);
  // A piece a thread, in whole cache lines of the widest loop.
  const std::size_t piece = each / sizeof(float) / static_cast<std::size_t>(threads_) / 64 * 64;
  const std::size_t repeats = std::max<std::size_t>(1, kMovedBytes / size);
  auto* to = reinterpret_cast<float*>(loops_->to.data());
  const auto* from = reinterpret_cast<const float*>(loops_->from.data());
  double best = 0;
  const auto one = [&](Loops::Move move) {
    const double seconds = best_of([&] {
      ThreadPool::instance().parallel_for(
          threads_, 1,
          [&](std::int64_t begin, std::int64_t end, std::int32_t) {
            for (std::int64_t i = begin; i < end; ++i) {
              const std::size_t at = static_cast<std::size_t>(i) * piece;
              for (std::size_t r = 0; r < repeats; ++r) {
                move(to + at, from + at, static_cast<long>(piece));
              }
            }
          },
          threads_);
    });
    const double moved = static_cast<double>(piece * repeats * sizeof(float)) * threads_;
    best = std::max(best, (copy ? 2 : 1) * moved / seconds);
  };
  if (copy) {
    one(loops_->copy);
    one(loops_->stream);
  } else {
    one(loops_->read);
  }
  known = best;
  return known;
}

}  // namespace tilefoundry
