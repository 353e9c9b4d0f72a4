#include "tilefoundry/cli/pass_reports.h"

#include <memory>

#include <fmt/format.h>

#include "tilefoundry/support/files.h"

namespace tilefoundry::cli {

PassReports::PassReports(const Options& options) : options_(options) {
  if (options.dump_dir.empty()) return;
  scope_.emplace("", DumpFlags::ALL, std::make_shared<FileDumper>(options.dump_dir));
}

void PassReports::report(const std::vector<PassTiming>& timings) const {
  if (options_.timing) {
    const auto ms = [](std::chrono::nanoseconds time) {
      return static_cast<double>(time.count()) / 1e6;
    };
    std::string table = fmt::format("{:<20} {:>10} {:>10}  changed\n", "pass", "ms", "check ms");
    for (const PassTiming& timing : timings) {
      table += fmt::format("{:<20} {:>10.3f} {:>10.3f}  {}\n", timing.name, ms(timing.duration),
                           ms(timing.check), timing.changed ? "yes" : "no");
    }
    write_err(table);
  }
  if (!options_.trace.empty()) write_file_atomic(options_.trace, chrome_trace(timings));
}

}  // namespace tilefoundry::cli
