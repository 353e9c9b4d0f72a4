// The command line of `tilefoundry`.
#pragma once

#include "tilefoundry/cli/command.h"

namespace tilefoundry::cli {

// Parses the arguments and chooses the verb. When there is nothing to run (help, version, a usage
// error, all of them printed) `verb` stays null and the result is the exit code.
int parse_arguments(int argc, char** argv, Options& options, int (*&verb)(const Options&));

}  // namespace tilefoundry::cli
