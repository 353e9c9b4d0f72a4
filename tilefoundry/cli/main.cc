// The `tilefoundry` command.
#include <csignal>
#include <cstdlib>
#include <exception>
#include <new>
#include <vector>

#include <fmt/format.h>
#include <unistd.h>

#include "tilefoundry/cli/arguments.h"
#include "tilefoundry/cli/command.h"
#include "tilefoundry/runtime/interrupt.h"
#include "tilefoundry/support/diagnostic.h"
#include "tilefoundry/support/environment.h"
#include "tilefoundry/support/files.h"

namespace tilefoundry::cli {
namespace {

bool color_wanted(const std::string& choice) {
  if (choice == "always") return true;
  if (choice == "never" || std::getenv("NO_COLOR") != nullptr) return false;
  const char* clicolor = std::getenv("CLICOLOR");
  if (clicolor != nullptr && std::string(clicolor) == "0") return false;
  return isatty(STDERR_FILENO) != 0;
}

// Failures of the command line and of the machine are told from those of the program.
int exit_code(const Error& error) {
  const std::string& code = error.diagnostic().code;
  // A list of passes that cannot be run: the program has no part in it.
  if (code == "TF4001" || code == "TF4002" || code == "TF4003") return kUsage;
  if (error.class_name() == "ToolchainError") {
    return code == "TF5002" ? kInternal : kMachine;  // generated code that does not compile
  }
  if (error.class_name() == "FileError") {
    return code == "TF7103" || code == "TF7104" || code == "TF7105" || code == "TF7490" ? kMachine
                                                                                        : kWrong;
  }
  // No memory for an array; a build cache that is not what was built.
  return code == "TF6003" || code == "TF6490" || code == "TF6491" ? kMachine : kWrong;
}

void report(const std::vector<Diagnostic>& diagnostics, const Options& options) {
  if (options.json_diagnostics) {
    write_err(diagnostics_json(diagnostics) + "\n");
    return;
  }
  const RenderOptions render_options{.color = color_wanted(options.color)};
  for (const Diagnostic& diagnostic : diagnostics) write_err(render(diagnostic, render_options));
}

// The program and the command line, so that the fault can be reported.
std::string save_reproducer(const Options& options, const std::string& message) {
  try {
    TemporaryFolder folder;
    std::string text = fmt::format("# {}\n", message);
    for (char& c : text) c = c == '\n' ? ' ' : c;
    text += "\n";
    const std::size_t colon = options.file.rfind(':');
    for (const std::string& path : {options.file, options.file.substr(0, colon)}) {
      if (path.empty() || path == "-" || !std::filesystem::is_regular_file(path)) continue;
      text += read_file(path);
      break;
    }
    write_file_atomic(folder.path() / "reproducer.py", text);
    return (folder.release() / "reproducer.py").string();
  } catch (const std::exception&) {
    return "";
  }
}

// Says where the reproducer of a fault lies.
void note_reproducer(Diagnostic& diagnostic, const Options& options) {
  const std::string saved = save_reproducer(options, diagnostic.message);
  if (saved.empty()) return;
  diagnostic.notes.push_back({.message = "a reproducer was saved as " + saved, .span = {}});
}

int report_error(const Error& error, const Options& options) {
  const int code = exit_code(error);
  std::vector<Diagnostic> diagnostics = error.diagnostics();
  if (code == kInternal) note_reproducer(diagnostics.front(), options);
  report(diagnostics, options);
  return code;
}

int report_internal(const Options& options, const std::string& message) {
  Diagnostic diagnostic{.code = "internal", .message = message};
  note_reproducer(diagnostic, options);
  if (options.json_diagnostics) {
    report({diagnostic}, options);
    return kInternal;
  }
  write_err(message + "\n");
  for (const DiagnosticNote& note : diagnostic.notes) write_err("note: " + note.message + "\n");
  return kInternal;
}

int run_guarded(const Options& options, int (*verb)(const Options&)) {
  try {
    return verb(options);
  } catch (const Error& error) {
    return report_error(error, options);
  } catch (const Interrupted&) {
    return kInterrupted;
  } catch (const ClosedPipe&) {
    return kClosedPipe;
  } catch (const std::bad_alloc&) {
    report({{.code = "TF7401", .message = "out of memory", .hint = "use smaller extents"}},
           options);
    return kMachine;
  } catch (const std::exception& error) {
    return report_internal(options, error.what());
  }
}

}  // namespace
}  // namespace tilefoundry::cli

int main(int argc, char** argv) {
  namespace cli = tilefoundry::cli;
  // A closed pipe is an error of the write, answered with exit code 141.
  std::signal(SIGPIPE, SIG_IGN);
  cli::Options options;
  int (*verb)(const cli::Options&) = nullptr;
  try {
    const int code = cli::parse_arguments(argc, argv, options, verb);
    if (verb == nullptr) return code;
  } catch (const cli::ClosedPipe&) {
    return cli::kClosedPipe;
  } catch (const tilefoundry::Error& error) {
    cli::write_err(error.what());
    return cli::kMachine;
  }
  return cli::run_guarded(options, verb);
}
