// Collects the lifetimes of logical buffers and asks a placement policy (passes seed 7.2).
#pragma once

#include <cstddef>
#include <memory>
#include <string>
#include <vector>

#include "tilefoundry/passes/pass.h"

namespace tilefoundry {

// One AllocTensor: its variable and the half-open interval of statement positions, in program
// order, over which it is read or written.
struct BufferLifetime {
  VarRef buffer;
  std::size_t first;
  std::size_t last;
};

class LifetimeCollector {
 public:
  virtual ~LifetimeCollector() = default;
  // One entry per AllocTensor of the function, in order of allocation.
  virtual std::vector<BufferLifetime> collect(const PrimFunction& function);
};

// A placement: the buffer and the index of the physical allocation that holds it.
struct BufferPlacement {
  VarRef buffer;
  std::size_t allocation;
};

class BufferScheduler {
 public:
  virtual ~BufferScheduler() = default;
  // Independent allocations: no reuse, no overlap.
  virtual std::vector<BufferPlacement> schedule(const std::vector<BufferLifetime>& lifetimes);
};

// Placement is advisory: the function comes back unchanged.
class BufferizePass final : public PrimFuncPass {
 public:
  explicit BufferizePass(std::shared_ptr<LifetimeCollector> lifetime_collector = nullptr,
                         std::shared_ptr<BufferScheduler> buffer_scheduler = nullptr);

  const std::string& name() const override;
  const std::vector<std::string>& requires_passes() const override;
  PrimFunctionRef run_prim_func(const PrimFunctionRef& function, const ModuleRef& module) override;

  std::shared_ptr<LifetimeCollector> collector;
  std::shared_ptr<BufferScheduler> scheduler;
};

}  // namespace tilefoundry
