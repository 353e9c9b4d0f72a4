// The processors that this process may use, and pinning of threads to them.
#pragma once

#include <pthread.h>

#include <vector>

namespace tilefoundry {

struct LogicalCpu {
  int id;    // as the system numbers it
  int core;  // equal for hardware threads of one core
};

// The CPUs in the calling thread's affinity mask: one per core first, then the siblings.
std::vector<LogicalCpu> usable_cpus();

// Threads that can run at once without sharing a core: the cores among `cpus`, at most the CPU
// quota of the control group (rounded up); at least 1.
int usable_cores(const std::vector<LogicalCpu>& cpus);

// The core of a CPU, itself when unknown.
int core_of_cpu(int id);
// The CPU that the calling thread runs on, -1 when unknown.
int current_cpu() noexcept;
bool pin_thread(pthread_t thread, int cpu) noexcept;

// Pins the calling thread and restores its former affinity mask.
class AffinityGuard {
 public:
  AffinityGuard() = default;
  ~AffinityGuard() { restore(); }
  AffinityGuard(const AffinityGuard&) = delete;
  AffinityGuard& operator=(const AffinityGuard&) = delete;

  // On the thread that will call `restore`. False when the system refuses.
  bool pin(int cpu);
  void restore() noexcept;

 private:
  std::vector<unsigned long> former_;  // empty: nothing to restore
};

}  // namespace tilefoundry
