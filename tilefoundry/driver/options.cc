#include "tilefoundry/driver/options.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "tilefoundry/passes/pipeline.h"
#include "tilefoundry/target/cpu_target.h"

namespace tilefoundry {

std::string CompilerOptions::canonical_text() const {
  const TargetRef chosen = target ? target : default_target();
  const std::string pipeline =
      passes.empty() ? default_pipeline(disabled_passes).pipeline_text() : passes;
  std::string text = fmt::format("target = {}\npasses = {}\nprofile = {}\nthreads = {}\n",
                                 chosen->repr(), pipeline, profile, threads);
  for (const auto& [name, size] : blocks) text += fmt::format("block {} = {}\n", name, size);
  return text;
}

}  // namespace tilefoundry
