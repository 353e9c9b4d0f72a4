#include "tilefoundry/cli/pass_reports.h"

#include <cerrno>
#include <filesystem>
#include <memory>

#include <fmt/format.h>
#include <unistd.h>

#include "tilefoundry/support/diagnostic.h"
#include "tilefoundry/support/files.h"

namespace tilefoundry::cli {

PassReports::PassReports(const Options& options) : options_(options) {
  if (options.dump_dir.empty()) return;
  // Said once here; later failures of single dumps are warnings.
  std::error_code error;
  std::filesystem::create_directories(options.dump_dir, error);
  if (!error && ::access(options.dump_dir.c_str(), W_OK | X_OK) != 0) {
    error = std::error_code(errno, std::generic_category());
  }
  if (error) {
    throw FileError(Diagnostic{.code = "TF7104",
                               .message = fmt::format("the folder \"{}\" cannot be written: {}",
                                                      options.dump_dir, error.message()),
                               .hint = "choose another folder for dumps"});
  }
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
