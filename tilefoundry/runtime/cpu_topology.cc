#include "tilefoundry/runtime/cpu_topology.h"

#include <fmt/core.h>
#include <sched.h>
#include <unistd.h>

#include <algorithm>
#include <cmath>
#include <cstdlib>
#include <fstream>
#include <set>
#include <string>
#include <thread>

namespace tilefoundry {
namespace {

#ifdef __linux__

constexpr int kMaxCpus = 4096;
constexpr std::size_t kMaskBytes = kMaxCpus / 8;
constexpr int kWordBits = 8 * sizeof(unsigned long);

using Mask = std::vector<unsigned long>;

cpu_set_t* as_cpu_set(Mask& mask) { return reinterpret_cast<cpu_set_t*>(mask.data()); }

Mask single_cpu(int cpu) {
  Mask mask(kMaskBytes / sizeof(unsigned long), 0);
  mask[static_cast<std::size_t>(cpu / kWordBits)] |= 1UL << (cpu % kWordBits);
  return mask;
}

// Empty when the system does not say.
Mask thread_mask() {
  Mask mask(kMaskBytes / sizeof(unsigned long), 0);
  if (::sched_getaffinity(0, kMaskBytes, as_cpu_set(mask)) != 0) mask.clear();
  return mask;
}

// The lowest hardware thread of the core.
int read_core(int id) {
  std::ifstream file(
      fmt::format("/sys/devices/system/cpu/cpu{}/topology/thread_siblings_list", id));
  int first = -1;
  return file >> first ? first : id;
}

// CPUs' worth of time that the control group grants; 0 when unlimited or unknown.
double cpu_quota() {
  std::ifstream unified("/sys/fs/cgroup/cpu.max");
  std::string quota;
  double period = 0;
  if (unified >> quota >> period && quota != "max" && period > 0) {
    return std::strtod(quota.c_str(), nullptr) / period;
  }
  std::ifstream old_quota("/sys/fs/cgroup/cpu/cpu.cfs_quota_us");
  std::ifstream old_period("/sys/fs/cgroup/cpu/cpu.cfs_period_us");
  double granted = 0;
  if (old_quota >> granted && old_period >> period && granted > 0 && period > 0) {
    return granted / period;
  }
  return 0;
}

#endif

}  // namespace

#ifdef __linux__

int core_of_cpu(int id) {
  static const std::vector<int> cores = [] {
    std::vector<int> found;
    const long count = std::min<long>(::sysconf(_SC_NPROCESSORS_CONF), kMaxCpus);
    for (int cpu = 0; cpu < count; ++cpu) found.push_back(read_core(cpu));
    return found;
  }();
  return id >= 0 && id < static_cast<int>(cores.size()) ? cores[static_cast<std::size_t>(id)] : id;
}

std::vector<LogicalCpu> usable_cpus() {
  const Mask mask = thread_mask();
  std::vector<LogicalCpu> first;
  std::vector<LogicalCpu> siblings;
  std::set<int> cores;
  for (int cpu = 0; cpu < static_cast<int>(mask.size()) * kWordBits; ++cpu) {
    if ((mask[static_cast<std::size_t>(cpu / kWordBits)] >> (cpu % kWordBits) & 1) == 0) continue;
    const int core = core_of_cpu(cpu);
    (cores.insert(core).second ? first : siblings).push_back({cpu, core});
  }
  first.insert(first.end(), siblings.begin(), siblings.end());
  return first;
}

int current_cpu() noexcept { return ::sched_getcpu(); }

bool pin_thread(pthread_t thread, int cpu) noexcept {
  if (cpu < 0 || cpu >= kMaxCpus) return false;
  Mask mask = single_cpu(cpu);
  return ::pthread_setaffinity_np(thread, kMaskBytes, as_cpu_set(mask)) == 0;
}

bool AffinityGuard::pin(int cpu) {
  if (cpu < 0 || cpu >= kMaxCpus) return false;
  Mask former = thread_mask();
  if (former.empty() || !pin_thread(::pthread_self(), cpu)) return false;
  if (former_.empty()) former_ = std::move(former);
  return true;
}

void AffinityGuard::restore() noexcept {
  if (former_.empty()) return;
  ::sched_setaffinity(0, kMaskBytes, as_cpu_set(former_));
  former_.clear();
}

int usable_cores(const std::vector<LogicalCpu>& cpus) {
  static const double quota = cpu_quota();
  std::set<int> cores;
  for (const LogicalCpu& cpu : cpus) cores.insert(cpu.core);
  int count = static_cast<int>(cores.size());
  if (quota > 0) count = std::min(count, static_cast<int>(std::ceil(quota)));
  return std::max(count, 1);
}

#else

int core_of_cpu(int id) { return id; }

std::vector<LogicalCpu> usable_cpus() {
  std::vector<LogicalCpu> cpus;
  const int count = static_cast<int>(std::thread::hardware_concurrency());
  for (int cpu = 0; cpu < count; ++cpu) cpus.push_back({cpu, cpu});
  return cpus;
}

int current_cpu() noexcept { return -1; }
bool pin_thread(pthread_t, int) noexcept { return false; }
bool AffinityGuard::pin(int) { return false; }
void AffinityGuard::restore() noexcept {}
int usable_cores(const std::vector<LogicalCpu>& cpus) {
  return std::max(static_cast<int>(cpus.size()), 1);
}

#endif

}  // namespace tilefoundry
