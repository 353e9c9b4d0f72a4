// What the verbs of the command share: options, input, output, exit codes.
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include <nlohmann/json_fwd.hpp>

#include "tilefoundry/driver/options.h"
#include "tilefoundry/driver/tuning.h"
#include "tilefoundry/frontend/loader.h"
#include "tilefoundry/runtime/random.h"

namespace tilefoundry::cli {

// Exit codes (conventions of the command; documented in docs/command.md).
inline constexpr int kOk = 0;
inline constexpr int kWrong = 1;  // the program, a selector or an input; two things differ
inline constexpr int kUsage = 2;
inline constexpr int kMachine = 3;    // no compiler, disk, permission
inline constexpr int kInternal = 70;  // a fault of the compiler, with a reproducer saved
inline constexpr int kInterrupted = 130;
inline constexpr int kClosedPipe = 141;

// The name of standard input in messages; "-" on the command line.
inline constexpr const char* kStandardInput = "<stdin>";

struct Options {
  std::string file;  // FILE[:SELECTOR], "-" is standard input
  bool json = false;
  bool json_diagnostics = false;
  std::string color = "auto";

  bool types = false;
  std::string stage = "hir";
  std::string target;  // empty: the module's
  std::string passes;
  std::vector<std::string> disabled_passes;
  std::map<std::string, std::int64_t> blocks;
  std::string dump_dir;
  bool timing = false;
  std::string trace;   // Chrome trace file
  std::string output;  // -o

  std::vector<std::string> inputs;
  std::uint64_t seed = 0;
  std::map<std::string, std::int64_t> dims;
  std::map<std::string, IntegerRange> ranges;
  bool verify = false;
  int repeat = 0;
  bool profile = false;
  std::string save;
  bool evaluate = false;
  int threads = 0;

  double seconds = 60;  // of `tune`
  bool forget = false;

  std::string op;  // of `ops`
};

// Writes to standard output; throws ClosedPipe when nobody reads, FileError TF7104 when the write
// fails.
void write_out(const std::string& text);
// The same with the text of a JSON value.
void write_out(const nlohmann::ordered_json& value);
// Progress and chatter to standard error.
void write_err(const std::string& text);
struct ClosedPipe {};

// Loads FILE, or standard input, and applies the selector.
struct LoadedProgram {
  std::string path;      // as given, without the selector
  std::string selector;  // may be empty
  Selection selection;
};
LoadedProgram load_program(const Options& options);

CompilerOptions compiler_options(const Options& options, const LoadedProgram& program);
// The same with what `tune` kept for this module, which is then said on standard error.
CompilerOptions tuned_compiler_options(const Options& options, const LoadedProgram& program,
                                       const ModuleRef& module,
                                       std::optional<Tuning>* applied = nullptr);

int run_check(const Options& options);
int run_print(const Options& options);
int run_lower(const Options& options);
int run_build(const Options& options);
int run_run(const Options& options);
int run_tune(const Options& options);
int run_ops(const Options& options);

}  // namespace tilefoundry::cli
