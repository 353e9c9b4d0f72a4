// What a failed compiler run becomes.
#pragma once

#include <filesystem>
#include <string>
#include <vector>

#include "tilefoundry/support/diagnostic.h"

namespace tilefoundry {

// A diagnostic TF5002 from a compiler's messages ("file:line:col: error: text"): the first error,
// with a span on its line when it is about one of `sources`, the comment above that line (the
// program's line), the command and the place of the kept source. `kept` are where `sources` lie
// now.
Diagnostic compile_diagnostic(const std::string& messages, int exit_code,
                              const std::string& command,
                              const std::vector<std::filesystem::path>& sources,
                              const std::vector<std::filesystem::path>& kept);

}  // namespace tilefoundry
