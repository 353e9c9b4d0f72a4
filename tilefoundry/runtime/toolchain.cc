#include "tilefoundry/runtime/toolchain.h"

#include <fmt/core.h>
#include <unistd.h>

#include <algorithm>
#include <map>
#include <memory>
#include <mutex>

#include "tilefoundry/dump/dump.h"
#include "tilefoundry/runtime/child_process.h"
#include "tilefoundry/runtime/compile_error.h"
#include "tilefoundry/support/diagnostic.h"
#include "tilefoundry/support/environment.h"
#include "tilefoundry/support/files.h"
#include "tilefoundry/support/text.h"

namespace tilefoundry {
namespace {

namespace fs = std::filesystem;

[[noreturn]] void fail(std::string code, std::string message, std::string hint) {
  Diagnostic diagnostic;
  diagnostic.code = std::move(code);
  diagnostic.message = std::move(message);
  diagnostic.hint = std::move(hint);
  throw ToolchainError(std::move(diagnostic));
}

std::vector<std::string> split_words(const std::string& text) {
  std::vector<std::string> words;
  std::size_t begin = 0;
  while (begin < text.size()) {
    const std::size_t end = std::min(text.find(' ', begin), text.size());
    if (end > begin) words.push_back(text.substr(begin, end - begin));
    begin = end + 1;
  }
  return words;
}

std::vector<std::string> find_command(const std::optional<std::string>& cxx) {
  static constexpr std::string_view kInstall =
      "install a C++ compiler (Debian: apt-get install g++), or set CXX to one";
  if (cxx) {
    std::vector<std::string> command = split_words(*cxx);
    if (!command.empty()) {
      const std::string program = find_program(command[0]);
      if (program.empty()) {
        fail("TF5001",
             fmt::format("there is no C++ compiler: CXX names {}, which cannot be found or run",
                         python_string_literal(command[0])),
             std::string(kInstall));
      }
      command[0] = program;
      return command;
    }
  }
  for (const char* name : {"c++", "g++", "clang++"}) {
    const std::string program = find_program(name);
    if (!program.empty()) return {program};
  }
  fail("TF5001", "there is no C++ compiler: none of c++, g++ and clang++ is on PATH",
       std::string(kInstall));
}

std::string first_line(const std::string& text) { return text.substr(0, text.find('\n')); }

// The number before the first '.' of the version: "12.2.0" ends GCC's line, "version 19.1.7" is in
// Clang's.
int parse_major(const std::string& line, CompilerKind kind) {
  std::size_t at = std::string::npos;
  if (kind == CompilerKind::clang) {
    at = line.find("version ");
    if (at != std::string::npos) at += 8;
  } else {
    at = line.rfind(' ');
    if (at != std::string::npos) at += 1;
  }
  return at == std::string::npos ? 0 : std::atoi(line.c_str() + at);
}

// The first version of each compiler that knows the flag; 0: all that matter.
int first_version(const std::string& feature, CompilerKind kind) {
  const bool gcc = kind == CompilerKind::gcc;
  if (feature == "avx512fp16") return gcc ? 12 : 14;
  if (feature == "avx512bf16") return gcc ? 10 : 9;
  if (feature == "avxvnni") return gcc ? 11 : 12;
  if (feature.rfind("amx-", 0) == 0) return 11;
  return 0;
}

// A file that is removed unless it was renamed.
class PendingOutput {
 public:
  explicit PendingOutput(const fs::path& final_path)
      : final_(final_path), path_(final_path.string() + fmt::format(".{}.tmp", ::getpid())) {}
  ~PendingOutput() {
    std::error_code error;
    fs::remove(path_, error);
  }
  PendingOutput(const PendingOutput&) = delete;
  PendingOutput& operator=(const PendingOutput&) = delete;
  const fs::path& path() const { return path_; }
  void commit() {
    std::error_code error;
    fs::rename(path_, final_, error);
    if (error) {
      fail("TF5006",
           fmt::format("{} cannot be put in place: {}", python_string_literal(final_.string()),
                       error.message()),
           "check the folder's permissions");
    }
  }

 private:
  fs::path final_;
  fs::path path_;
};

// Copies sources to where the user can look at them; they stay where they are when that fails.
std::vector<fs::path> keep_sources(const CompileRequest& request) {
  if (request.keep_sources_in.empty()) return request.sources;
  std::vector<fs::path> kept;
  for (const fs::path& source : request.sources) {
    std::error_code error;
    fs::create_directories(request.keep_sources_in, error);
    const fs::path copy = request.keep_sources_in / source.filename();
    if (!error) fs::copy_file(source, copy, fs::copy_options::overwrite_existing, error);
    kept.push_back(error ? source : copy);
  }
  return kept;
}

bool needs_quotes(const std::string& argument) {
  return argument.empty() || argument.find_first_not_of(
                                 "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789"
                                 "@%+=:,./_-") != std::string::npos;
}

void run_compiler(const CompileRequest& request, const std::vector<std::string>& arguments,
                  std::string* messages) {
  const ProcessResult result = run_process(arguments);
  const std::string command = command_text(arguments);
  *messages = result.error_output;
  if (dump_enabled(DumpFlags::BUILD_LOG)) {
    dump("build.log", command + "\n" + result.output + result.error_output, DumpFlags::BUILD_LOG);
  }
  if (result.ok()) return;
  const std::vector<fs::path> kept = keep_sources(request);
  if (result.signal != 0) {
    fail("TF5004", fmt::format("the C++ compiler was ended by signal {}", result.signal),
         fmt::format("free some memory and try again; the source is kept at {}",
                     kept.empty() ? "" : kept.front().string()));
  }
  // The command as it can be run again.
  std::vector<std::string> shown = arguments;
  for (std::size_t i = 0; i < kept.size(); ++i) {
    std::replace(shown.begin(), shown.end(), fs::absolute(request.sources[i]).string(),
                 fs::absolute(kept[i]).string());
  }
  throw ToolchainError(compile_diagnostic(result.error_output, result.exit_code,
                                          command_text(shown), request.sources, kept));
}

}  // namespace

const Toolchain& Toolchain::host() {
  static std::mutex mutex;
  static std::map<std::string, std::unique_ptr<const Toolchain>> known;
  const std::optional<std::string> cxx = environment_text("CXX");
  const std::string key = cxx.value_or("") + '\n' + environment_text("PATH").value_or("");
  const std::lock_guard<std::mutex> lock(mutex);
  std::unique_ptr<const Toolchain>& slot = known[key];
  if (slot) return *slot;
  std::unique_ptr<Toolchain> found(new Toolchain());
  found->command_ = find_command(cxx);
  std::vector<std::string> question = found->command_;
  question.emplace_back("--version");
  const ProcessResult answer = run_process(question);
  const std::string line = first_line(answer.output);
  if (!answer.ok() || line.empty()) {
    fail("TF5005",
         fmt::format("{} does not tell its version: {}", command_text(found->command_),
                     first_line(answer.error_output)),
         "set CXX to a working C++ compiler");
  }
  if (line.find("clang") != std::string::npos) {
    found->kind_ = CompilerKind::clang;
  } else if (answer.output.find("Free Software Foundation") != std::string::npos) {
    found->kind_ = CompilerKind::gcc;
  }
  found->major_ = parse_major(line, found->kind_);
  found->identity_ = line;
  for (std::size_t i = 1; i < found->command_.size(); ++i) {
    found->identity_ += " " + found->command_[i];
  }
  slot = std::move(found);
  return *slot;
}

CpuFeatures Toolchain::supported(const CpuFeatures& features) const {
  std::vector<std::string> names;
  for (const std::string& name : features.names()) {
    if (kind_ == CompilerKind::other || major_ >= first_version(name, kind_)) names.push_back(name);
  }
  return CpuFeatures(names);
}

std::vector<std::string> Toolchain::compile_command(const CompileRequest& request,
                                                    const fs::path& output) const {
  std::vector<std::string> arguments = command_;
  for (const char* flag : {"-shared", "-fPIC"}) arguments.emplace_back(flag);
  arguments.insert(arguments.end(), request.flags.begin(), request.flags.end());
  // A leading '-' of a name must not read as an option.
  for (const fs::path& source : request.sources) arguments.push_back(fs::absolute(source).string());
  arguments.emplace_back("-o");
  arguments.push_back(fs::absolute(output).string());
  return arguments;
}

std::string Toolchain::compile_library(const CompileRequest& request) const {
  TF_CHECK(!request.sources.empty() && !request.library.empty(), "an incomplete CompileRequest");
  PendingOutput output(request.library);
  std::string messages;
  run_compiler(request, compile_command(request, output.path()), &messages);
  output.commit();
  return messages;
}

std::string Toolchain::compile_assembly(const CompileRequest& request) const {
  TF_CHECK(request.sources.size() == 1, "assembly text of one source");
  const TemporaryFolder folder;
  std::vector<std::string> arguments = command_;
  for (const char* flag : {"-S", "-fPIC"}) arguments.emplace_back(flag);
  arguments.insert(arguments.end(), request.flags.begin(), request.flags.end());
  const fs::path output = folder.path() / "output.s";
  arguments.push_back(fs::absolute(request.sources.front()).string());
  arguments.emplace_back("-o");
  arguments.push_back(output.string());
  std::string messages;
  run_compiler(request, arguments, &messages);
  return read_file(output);
}

std::string command_text(const std::vector<std::string>& arguments) {
  std::vector<std::string> words;
  for (const std::string& argument : arguments) {
    if (!needs_quotes(argument)) {
      words.push_back(argument);
      continue;
    }
    std::string quoted = "'";
    for (const char c : argument) quoted += c == '\'' ? std::string("'\\''") : std::string(1, c);
    words.push_back(quoted + "'");
  }
  return join(words, " ");
}

}  // namespace tilefoundry
