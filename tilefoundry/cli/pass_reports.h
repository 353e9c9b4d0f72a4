// Dumps and timings that the compiling verbs offer: --dump-dir, --timing, --trace.
#pragma once

#include <optional>
#include <vector>

#include "tilefoundry/cli/command.h"
#include "tilefoundry/dump/dump.h"
#include "tilefoundry/passes/pass_manager.h"

namespace tilefoundry::cli {

// Installs the dump scope that --dump-dir asks for while it lives.
class PassReports {
 public:
  explicit PassReports(const Options& options);
  // Prints the table of --timing to standard error and writes the file of --trace.
  void report(const std::vector<PassTiming>& timings) const;

 private:
  const Options& options_;
  std::optional<DumpScope> scope_;
};

}  // namespace tilefoundry::cli
