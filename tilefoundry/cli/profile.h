// `run --profile`: where the time of a call goes, nest by nest.
#pragma once

#include <string>
#include <vector>

#include <nlohmann/json.hpp>

#include "tilefoundry/ir/module.h"
#include "tilefoundry/runtime/loader.h"

namespace tilefoundry::cli {

struct ProfileReport {
  std::string text;
  nlohmann::ordered_json json;
};

// Calls a program that was lowered and built with CompilerOptions::profile `calls` times. `extents`
// gives every dimension its value at these inputs. CallError TF6491 when the library counts
// nothing.
ProfileReport profile(const RuntimeModule& runtime, const ModuleRef& lowered,
                      const std::vector<HostArray>& inputs, const DimSubstitution& extents,
                      int calls, int threads);

}  // namespace tilefoundry::cli
