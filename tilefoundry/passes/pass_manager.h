// Runs passes in the order they were added; types, verifies and dumps after each (passes seed 5).
#pragma once

#include <chrono>
#include <memory>
#include <string>
#include <vector>

#include "tilefoundry/passes/pass.h"

namespace tilefoundry {

struct PassTiming {
  std::string name;
  std::chrono::nanoseconds start;     // since the manager started
  std::chrono::nanoseconds duration;  // of the pass itself
  std::chrono::nanoseconds check;     // of typing and verification after it
  bool changed;
};

class PassManager {
 public:
  PassManager() = default;
  explicit PassManager(std::vector<std::shared_ptr<Pass>> passes) : passes_(std::move(passes)) {}

  PassManager& add(std::shared_ptr<Pass> pass);
  const std::vector<std::shared_ptr<Pass>>& passes() const noexcept { return passes_; }

  // `requires` is checked before any pass runs: PassError (TF4001). After each pass the changed HIR
  // functions are typed and the changed prim functions verified. Under a DumpScope with PASS_IR
  // each pass writes before.txt and after.txt into {NN}_{name}/; a failing pass also leaves
  // reproducer.py, the input module with the pipeline. Exceptions pass through unchanged.
  ModuleRef run(const ModuleRef& module);

  // Of the last run.
  const std::vector<PassTiming>& timings() const noexcept { return timings_; }
  // Of the passes of the last run, in order.
  const std::vector<std::string>& remarks() const noexcept { return remarks_; }
  // Names separated by commas, as `--passes` takes them.
  std::string pipeline_text() const;

 private:
  std::vector<std::shared_ptr<Pass>> passes_;
  std::vector<PassTiming> timings_;
  std::vector<std::string> remarks_;
};

// The trace-event JSON of a run ("complete" events, microseconds).
std::string chrome_trace(const std::vector<PassTiming>& timings);

}  // namespace tilefoundry
