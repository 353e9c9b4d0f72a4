#include "tilefoundry/cli/command.h"

#include <cerrno>
#include <cstring>
#include <filesystem>
#include <iostream>
#include <iterator>

#include <fmt/format.h>
#include <unistd.h>
#include <nlohmann/json.hpp>

#include "tilefoundry/support/diagnostic.h"
#include "tilefoundry/support/files.h"
#include "tilefoundry/target/cpu_target.h"
#include "tilefoundry/target/cuda_target.h"

namespace tilefoundry::cli {
namespace {

void write_all(int descriptor, const std::string& text) {
  std::size_t done = 0;
  while (done < text.size()) {
    const ssize_t written = ::write(descriptor, text.data() + done, text.size() - done);
    if (written >= 0) {
      done += static_cast<std::size_t>(written);
    } else if (errno == EPIPE) {
      throw ClosedPipe();
    } else if (errno != EINTR && errno != EAGAIN) {
      throw FileError(Diagnostic{.code = "TF7104",
                                 .message = fmt::format("standard output cannot be written: {}",
                                                        system_error_text(errno))});
    }
  }
}

// Splits FILE:SELECTOR at the last colon, unless the whole names a file.
std::pair<std::string, std::string> split_selector(const std::string& text) {
  const std::size_t colon = text.rfind(':');
  if (colon == std::string::npos || colon == 0 || std::filesystem::exists(text)) return {text, ""};
  return {text.substr(0, colon), text.substr(colon + 1)};
}

}  // namespace

void write_out(const std::string& text) { write_all(STDOUT_FILENO, text); }

void write_out(const nlohmann::ordered_json& value) {
  write_out(value.dump(2, ' ', false, nlohmann::ordered_json::error_handler_t::replace) + "\n");
}

void write_err(const std::string& text) {
  // Chatter that nobody reads is no failure.
  try {
    write_all(STDERR_FILENO, text);
  } catch (const ClosedPipe&) {
  } catch (const FileError&) {
  }
}

LoadedProgram load_program(const Options& options) {
  LoadedProgram program;
  std::tie(program.path, program.selector) = split_selector(options.file);
  std::string text;
  std::string name = program.path;
  if (program.path == "-" || program.path == kStandardInput) {
    text.assign(std::istreambuf_iterator<char>(std::cin), std::istreambuf_iterator<char>());
    name = kStandardInput;
  } else {
    text = read_file(program.path);
  }
  const auto buffer = make_ref<SourceBuffer>(std::move(name), std::move(text));
  program.selection = select(load_source(buffer), program.selector);
  return program;
}

CompilerOptions compiler_options(const Options& options, const LoadedProgram& program) {
  CompilerOptions out;
  if (options.target == "cpu") {
    out.target = CpuTarget::make();
  } else if (options.target == "cuda") {
    out.target = CudaTarget::make();
  } else {
    // What a selected child Module inherits.
    out.target = program.selection.target;
  }
  out.passes = options.passes;
  out.profile = options.profile;
  out.disabled_passes = {options.disabled_passes.begin(), options.disabled_passes.end()};
  out.blocks = options.blocks;
  return out;
}

CompilerOptions tuned_compiler_options(const Options& options, const LoadedProgram& program,
                                       const ModuleRef& module, std::optional<Tuning>* applied) {
  std::optional<Tuning> tuning;
  CompilerOptions out = tuned_options(module, compiler_options(options, program), &tuning);
  if (tuning) {
    write_err(fmt::format("tuned for this machine: {} (`tilefoundry tune --forget` undoes it)\n",
                          tuning->text()));
  }
  if (applied != nullptr) *applied = std::move(tuning);
  return out;
}

}  // namespace tilefoundry::cli
