// Running a program without a shell.
#pragma once

#include <string>
#include <vector>

namespace tilefoundry {

struct ProcessResult {
  int exit_code = 0;         // -1 when a signal ended it
  int signal = 0;            // the signal, or 0
  std::string output;        // standard output
  std::string error_output;  // standard error
  bool ok() const noexcept { return exit_code == 0; }
};

// Runs arguments[0] (a path, or a name looked up on PATH) with these arguments, standard input
// empty and messages in English (LC_ALL=C), and waits. The child has a process group of its own,
// which is killed on an interrupt: then throws Interrupted. ToolchainError TF5003 when it cannot be
// started.
ProcessResult run_process(const std::vector<std::string>& arguments);

// The file that `name` stands for on PATH; itself when it has a '/'; empty when there is none.
std::string find_program(const std::string& name);

}  // namespace tilefoundry
