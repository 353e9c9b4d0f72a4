#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include "tilefoundry/cli/command.h"
#include "tilefoundry/support/text.h"

namespace tilefoundry::cli {
namespace {

struct Counts {
  std::size_t modules = 0;
  std::size_t functions = 0;
  std::size_t calls = 0;
};

void count_tree(const Module& module, Counts& counts) {
  ++counts.modules;
  for (const ModuleRef& child : module.children()) count_tree(*child, counts);
  for (const CallableRef& member : module.functions()) {
    ++counts.functions;
    const Function* function = as_function(*member);
    if (function == nullptr) continue;
    for (const ExprRef& expr : post_order(function->bodies())) {
      counts.calls += expr->kind() == ExprKind::call ? 1 : 0;
    }
  }
}

}  // namespace

int run_check(const Options& options) {
  const LoadedProgram program = load_program(options);
  Counts counts;
  count_tree(*program.selection.module, counts);
  if (options.json) {
    const nlohmann::ordered_json out = {{"schema", "tilefoundry.check"},
                                        {"schema_version", 1},
                                        {"file", program.path},
                                        {"ok", true},
                                        {"module", program.selection.module->name()},
                                        {"modules", counts.modules},
                                        {"functions", counts.functions},
                                        {"calls", counts.calls}};
    write_out(out);
  } else {
    write_out(fmt::format("{}: ok: Module {} ({}, {}, {})\n", options.file,
                          program.selection.module->name(), counted(counts.modules, "module"),
                          counted(counts.functions, "function"), counted(counts.calls, "call")));
  }
  return kOk;
}

}  // namespace tilefoundry::cli
