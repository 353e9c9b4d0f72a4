#include <memory>
#include <optional>

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include "tilefoundry/cli/command.h"
#include "tilefoundry/cli/pass_reports.h"
#include "tilefoundry/driver/driver.h"
#include "tilefoundry/text/printer.h"

namespace tilefoundry::cli {

int run_lower(const Options& options) {
  const LoadedProgram program = load_program(options);
  const PassReports reports(options);
  std::vector<PassTiming> timings;
  std::vector<std::string> remarks;
  const ModuleRef lowered =
      lower(program.selection.module, compiler_options(options, program), &timings, &remarks);
  reports.report(timings);
  const std::string text = print_module_text(lowered);
  if (options.json) {
    nlohmann::ordered_json passes = nlohmann::ordered_json::array();
    for (const PassTiming& timing : timings) {
      passes.push_back({{"name", timing.name},
                        {"changed", timing.changed},
                        {"duration_ns", timing.duration.count()},
                        {"check_ns", timing.check.count()}});
    }
    const nlohmann::ordered_json out = {{"schema", "tilefoundry.lower"},
                                        {"schema_version", 1},
                                        {"passes", std::move(passes)},
                                        {"remarks", remarks},
                                        {"text", text}};
    write_out(out);
  } else {
    write_out(text);
  }
  return kOk;
}

}  // namespace tilefoundry::cli
