#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include "tilefoundry/cli/command.h"
#include "tilefoundry/cli/pass_reports.h"
#include "tilefoundry/driver/driver.h"
#include "tilefoundry/runtime/interrupt.h"

namespace tilefoundry::cli {

int run_build(const Options& options) {
  const LoadedProgram program = load_program(options);
  const CompilerOptions compiler =
      tuned_compiler_options(options, program, program.selection.module);
  const PassReports reports(options);
  std::vector<PassTiming> timings;
  const ModuleRef lowered = lower(program.selection.module, compiler, &timings);
  reports.report(timings);
  const InterruptScope interrupts;
  const BuiltLibrary built = build_into(lowered, options.output, compiler);
  if (options.json) {
    const nlohmann::ordered_json out = {
        {"schema", "tilefoundry.build"},   {"schema_version", 1},
        {"folder", built.folder.string()}, {"library", built.library.string()},
        {"source", built.source.string()}, {"cached", built.cached}};
    write_out(out);
  } else {
    write_out(
        fmt::format("library: {}\nsource:  {}\n", built.library.string(), built.source.string()));
  }
  return kOk;
}

}  // namespace tilefoundry::cli
