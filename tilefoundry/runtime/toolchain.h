// The C++ compiler of this machine.
#pragma once

#include <filesystem>
#include <string>
#include <vector>

#include "tilefoundry/runtime/cpu_features.h"

namespace tilefoundry {

enum class CompilerKind { gcc, clang, other };

struct CompileRequest {
  std::vector<std::filesystem::path> sources;  // C or C++, by extension
  std::filesystem::path library;               // the shared library to make
  std::vector<std::string> flags;              // after the standard ones (-shared -fPIC)
  // On failure the sources are copied here and the error names the copies; empty: they stay.
  std::filesystem::path keep_sources_in;
};

class Toolchain {
 public:
  // The compiler named by CXX (which may carry arguments, "ccache g++"), else the first of c++,
  // g++, clang++ on PATH. Asked once per value of CXX and PATH. ToolchainError TF5001 when there is
  // none.
  static const Toolchain& host();

  // The command, arguments of CXX included.
  const std::vector<std::string>& command() const noexcept { return command_; }
  // What the compiler says it is, one line: part of every cache key.
  const std::string& identity() const noexcept { return identity_; }
  CompilerKind kind() const noexcept { return kind_; }
  int major_version() const noexcept { return major_; }
  // Those of `features` whose flags this compiler knows.
  CpuFeatures supported(const CpuFeatures& features) const;

  // Builds a shared library and returns the compiler's messages (warnings). The library appears
  // under its name only when complete. ToolchainError TF5002 with the first error, a span on the
  // line of the source that it is about, and the path of the source; TF5004 when a signal ended the
  // compiler.
  std::string compile_library(const CompileRequest& request) const;
  // The argument vector that `compile_library` runs.
  std::vector<std::string> compile_command(const CompileRequest& request,
                                           const std::filesystem::path& output) const;
  // As above for assembly text (`-S`), which is returned.
  std::string compile_assembly(const CompileRequest& request) const;

 private:
  Toolchain() = default;
  std::vector<std::string> command_;
  std::string identity_;
  CompilerKind kind_ = CompilerKind::other;
  int major_ = 0;
};

// "g++ -O2 a.cc", quoted where a shell would need it: for logs and messages.
std::string command_text(const std::vector<std::string>& arguments);

}  // namespace tilefoundry
