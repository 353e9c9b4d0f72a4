// Passes by name, and the default pipeline.
#pragma once

#include <memory>
#include <set>
#include <string>
#include <string_view>
#include <vector>

#include "tilefoundry/passes/pass_manager.h"
#include "tilefoundry/passes/tile_regions.h"

namespace tilefoundry {

// Names that a pipeline text may hold, in the order of the default pipeline.
const std::vector<std::string>& pass_names();
// Throws PassError (TF4002) for an unknown name, with the closest one.
std::shared_ptr<Pass> make_pass(std::string_view name, const RegionOptions& regions = {});

// hir_to_tir, bufferize, then the optimizing passes, without those in `disabled`. Unknown names and
// the passes that lowering cannot do without are refused (TF4002, TF4003).
PassManager default_pipeline(const std::set<std::string>& disabled = {},
                             const RegionOptions& regions = {});
// "hir_to_tir,bufferize".
PassManager parse_pipeline(std::string_view text, const RegionOptions& regions = {});

}  // namespace tilefoundry
