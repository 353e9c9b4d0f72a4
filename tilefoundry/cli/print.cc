#include <nlohmann/json.hpp>

#include "tilefoundry/cli/command.h"
#include "tilefoundry/cli/pass_reports.h"
#include "tilefoundry/driver/driver.h"
#include "tilefoundry/text/printer.h"

namespace tilefoundry::cli {
namespace {

std::string stage_text(const Options& options, const LoadedProgram& program) {
  const Selection& selection = program.selection;
  if (options.stage == "hir") {
    PythonPrintOptions print_options;
    print_options.show_types = options.types;
    return print_module_text(selection.module, print_options);
  }
  const CompilerOptions compiler = tuned_compiler_options(options, program, selection.module);
  const PassReports reports(options);
  std::vector<PassTiming> timings;
  std::vector<std::string> remarks;
  const ModuleRef lowered = lower(selection.module, compiler, &timings, &remarks);
  reports.report(timings);
  if (options.stage == "cpp") return generate_source(lowered, compiler);
  if (options.stage == "asm") return generate_assembly(lowered, compiler);
  PythonPrintOptions print_options;
  print_options.show_types = options.types;
  std::string text;
  for (const std::string& remark : remarks) text += "# " + remark + "\n";
  return text + print_module_text(lowered, print_options);
}

}  // namespace

int run_print(const Options& options) {
  const LoadedProgram program = load_program(options);
  const std::string text = stage_text(options, program);
  if (options.json) {
    const nlohmann::ordered_json out = {{"schema", "tilefoundry.print"},
                                        {"schema_version", 1},
                                        {"stage", options.stage},
                                        {"text", text}};
    write_out(out);
  } else {
    write_out(text);
  }
  return kOk;
}

}  // namespace tilefoundry::cli
