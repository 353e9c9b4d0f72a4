#include "tilefoundry/passes/pipeline.h"

#include <algorithm>
#include <functional>

#include <fmt/format.h>

#include "tilefoundry/passes/bufferize.h"
#include "tilefoundry/passes/hir_to_tir.h"
#include "tilefoundry/passes/loop_passes.h"
#include "tilefoundry/passes/mark_profile.h"
#include "tilefoundry/passes/named_pass.h"
#include "tilefoundry/support/diagnostic.h"
#include "tilefoundry/support/text.h"

namespace tilefoundry {
namespace {

struct PassEntry {
  std::string name;
  bool optional;
  std::function<std::shared_ptr<Pass>(const RegionOptions&)> make;
};

PassEntry body_pass(const char* name, bool optional, StmtRef (*rewrite)(const PrimFunction&)) {
  return {name, optional, [=](const RegionOptions&) { return make_body_pass(name, rewrite); }};
}

// In the order of the default pipeline.
const std::vector<PassEntry>& entries() {
  static const std::vector<PassEntry> list = {
      {"hir_to_tir", false, [](const RegionOptions&) { return std::make_shared<HirToTirPass>(); }},
      {"bufferize", true, [](const RegionOptions&) { return std::make_shared<BufferizePass>(); }},
      body_pass("elide_copies", true, elide_copies),
      body_pass("forward_outputs", true, forward_outputs),
      body_pass("expand_tiles", false, expand_tiles),
      body_pass("forward_views", true, forward_views),
      {"tile_regions", true, make_tile_regions},
      body_pass("fuse_loops", true, fuse_loops),
      body_pass("contract_buffers", true, contract_buffers),
      body_pass("order_loops", true, order_loops),
      body_pass("split_reductions", true, split_reductions),
      body_pass("mark_loops", true, mark_loops),
  };
  return list;
}

// Passes that stand in no pipeline unless they are asked for.
const std::vector<PassEntry>& extra_entries() {
  static const std::vector<PassEntry> list = {
      {"mark_profile", true,
       [](const RegionOptions&) { return std::make_shared<MarkProfilePass>(); }},
  };
  return list;
}

const PassEntry& find_entry(std::string_view name) {
  for (const auto* list : {&entries(), &extra_entries()}) {
    for (const PassEntry& entry : *list) {
      if (entry.name == name) return entry;
    }
  }
  const std::string close = closest_match(name, pass_names(), 3);
  throw PassError(Diagnostic{
      .code = "TF4002",
      .message = fmt::format("unknown pass \"{}\"", name),
      .hint = fmt::format("{}the passes are {}",
                          close.empty() ? "" : fmt::format("did you mean \"{}\"? ", close),
                          join(pass_names(), ", "))});
}

}  // namespace

const std::vector<std::string>& pass_names() {
  static const std::vector<std::string> names = [] {
    std::vector<std::string> out;
    for (const PassEntry& entry : entries()) out.push_back(entry.name);
    return out;
  }();
  return names;
}

std::shared_ptr<Pass> make_pass(std::string_view name, const RegionOptions& regions) {
  return find_entry(name).make(regions);
}

PassManager default_pipeline(const std::set<std::string>& disabled, const RegionOptions& regions) {
  for (const std::string& name : disabled) {
    if (find_entry(name).optional) continue;
    throw PassError(Diagnostic{
        .code = "TF4003",
        .message =
            fmt::format("pass {} cannot be disabled: code generation needs its result", name)});
  }
  PassManager manager;
  for (const PassEntry& entry : entries()) {
    if (!disabled.contains(entry.name)) manager.add(entry.make(regions));
  }
  return manager;
}

PassManager parse_pipeline(std::string_view text, const RegionOptions& regions) {
  PassManager manager;
  while (!text.empty()) {
    const std::size_t comma = std::min(text.find(','), text.size());
    std::string_view name = text.substr(0, comma);
    while (!name.empty() && name.front() == ' ') name.remove_prefix(1);
    while (!name.empty() && name.back() == ' ') name.remove_suffix(1);
    manager.add(make_pass(name, regions));
    text.remove_prefix(std::min(comma + 1, text.size()));
  }
  return manager;
}

}  // namespace tilefoundry
