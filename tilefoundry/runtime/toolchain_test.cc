#include "tilefoundry/runtime/toolchain.h"

#include <gtest/gtest.h>
#include <signal.h>
#include <sys/wait.h>
#include <unistd.h>

#include <chrono>
#include <cstdlib>
#include <filesystem>
#include <thread>

#include "tilefoundry/dump/dump.h"
#include "tilefoundry/runtime/child_process.h"
#include "tilefoundry/runtime/interrupt.h"
#include "tilefoundry/support/diagnostic.h"
#include "tilefoundry/support/files.h"

namespace tilefoundry {
namespace {

namespace fs = std::filesystem;

// A variable with another value during a scope.
class ScopedVariable {
 public:
  ScopedVariable(const char* name, const char* value) : name_(name) {
    if (const char* former = std::getenv(name)) former_ = former;
    ::setenv(name, value, 1);
  }
  ~ScopedVariable() {
    if (former_) {
      ::setenv(name_, former_->c_str(), 1);
    } else {
      ::unsetenv(name_);
    }
  }
  ScopedVariable(const ScopedVariable&) = delete;
  ScopedVariable& operator=(const ScopedVariable&) = delete;

 private:
  const char* name_;
  std::optional<std::string> former_;
};

template <class Function>
Diagnostic failure(const Function& function) {
  try {
    function();
  } catch (const ToolchainError& error) {
    return error.diagnostic();
  }
  ADD_FAILURE() << "no ToolchainError";
  return {};
}

std::size_t count(const fs::path& folder) {
  return static_cast<std::size_t>(
      std::distance(fs::directory_iterator(folder), fs::directory_iterator()));
}

TEST(RunProcess, takes_arguments_without_a_shell_and_captures_both_outputs) {
  const ProcessResult result = run_process({"printf", "%s|%s", "$HOME; echo x", "a b"});
  EXPECT_TRUE(result.ok());
  EXPECT_EQ(result.output, "$HOME; echo x|a b");
  const ProcessResult failed = run_process({"sh", "-c", "echo out; echo err >&2; exit 3"});
  EXPECT_EQ(failed.exit_code, 3);
  EXPECT_EQ(failed.output, "out\n");
  EXPECT_EQ(failed.error_output, "err\n");
  EXPECT_EQ(run_process({"sh", "-c", "kill -9 $$"}).signal, SIGKILL);
}

TEST(RunProcess, much_output_on_both_ends_does_not_block) {
  const ProcessResult result =
      run_process({"sh", "-c", "head -c 300000 /dev/zero; head -c 300000 /dev/zero >&2"});
  EXPECT_EQ(result.output.size(), 300000U);
  EXPECT_EQ(result.error_output.size(), 300000U);
}

TEST(RunProcess, a_missing_program_is_an_error) {
  EXPECT_EQ(failure([] { run_process({"no-such-program-anywhere"}); }).code, "TF5003");
}

TEST(Interrupt, kills_a_running_child_and_its_children) {
  const TemporaryFolder folder;
  const std::string mark = (folder.path() / "mark").string();
  const InterruptScope scope;
  std::thread sender([] {
    std::this_thread::sleep_for(std::chrono::milliseconds(150));
    ::kill(::getpid(), SIGINT);
  });
  const auto begin = std::chrono::steady_clock::now();
  EXPECT_THROW(run_process({"sh", "-c", "(sleep 1; touch " + mark + ") & wait"}), Interrupted);
  sender.join();
  EXPECT_LT(std::chrono::steady_clock::now() - begin, std::chrono::milliseconds(900));
  EXPECT_TRUE(interrupted());
  std::this_thread::sleep_for(std::chrono::milliseconds(1100));
  EXPECT_FALSE(fs::exists(mark));
}

TEST(Interrupt, the_probe_is_asked_and_a_scope_clears_its_flag) {
  EXPECT_FALSE(interrupted());
  set_interrupt_probe([] { return true; });
  EXPECT_THROW(run_process({"sleep", "5"}), Interrupted);
  set_interrupt_probe(nullptr);
  EXPECT_FALSE(interrupted());
}

TEST(Toolchain, finds_a_compiler_once_and_knows_it) {
  const Toolchain& toolchain = Toolchain::host();
  EXPECT_EQ(&toolchain, &Toolchain::host());
  EXPECT_FALSE(toolchain.identity().empty());
  EXPECT_NE(toolchain.kind(), CompilerKind::other);
  EXPECT_GE(toolchain.major_version(), 9);
}

TEST(Toolchain, no_compiler_on_path_is_named) {
  const ScopedVariable cxx("CXX", "");
  const TemporaryFolder empty;
  const ScopedVariable path("PATH", empty.path().c_str());
  const Diagnostic diagnostic = failure([] { Toolchain::host(); });
  EXPECT_EQ(diagnostic.code, "TF5001");
  EXPECT_NE(diagnostic.hint.find("CXX"), std::string::npos);
}

TEST(Toolchain, a_CXX_that_is_not_there_is_named_and_arguments_are_kept) {
  {
    const ScopedVariable cxx("CXX", "no-such-compiler -m32");
    const Diagnostic diagnostic = failure([] { Toolchain::host(); });
    EXPECT_EQ(diagnostic.code, "TF5001");
    EXPECT_NE(diagnostic.message.find("no-such-compiler"), std::string::npos);
  }
  const ScopedVariable cxx("CXX", "c++  -DX=1");
  EXPECT_EQ(Toolchain::host().command().back(), "-DX=1");
  EXPECT_NE(Toolchain::host().identity().find("-DX=1"), std::string::npos);
  const ScopedVariable mute("CXX", "false");
  EXPECT_EQ(failure([] { Toolchain::host(); }).code, "TF5005");
}

TEST(Toolchain, builds_a_library_and_reports_the_command) {
  const TemporaryFolder folder;
  auto memory = std::make_shared<MemoryDumper>();
  const DumpScope scope({}, DumpFlags::BUILD_LOG, memory);
  const fs::path source = folder.path() / "a b.cc";
  write_file_atomic(source, "extern \"C\" int f() { return 1; }\n");
  Toolchain::host().compile_library({{source}, folder.path() / "f.so", {"-O1"}, {}});
  EXPECT_TRUE(fs::exists(folder.path() / "f.so"));
  EXPECT_EQ(count(folder.path()), 2U);
  EXPECT_NE(memory->files().at("build.log").find("a b.cc'"), std::string::npos);
  EXPECT_NE(Toolchain::host().compile_assembly({{source}, {}, {"-O1"}, {}}).find("f:"),
            std::string::npos);
}

TEST(Toolchain, a_failure_shows_the_line_and_keeps_the_source) {
  const TemporaryFolder folder;
  const fs::path source = folder.path() / "source.cc";
  write_file_atomic(
      source, "int a;\n// y = x + oops\nint f() { return oops; }\nint g() { return nope; }\n");
  const fs::path kept = folder.path() / "kept";
  const Diagnostic diagnostic = failure(
      [&] { Toolchain::host().compile_library({{source}, folder.path() / "f.so", {}, kept}); });
  EXPECT_EQ(diagnostic.code, "TF5002");
  EXPECT_NE(diagnostic.message.find("oops"), std::string::npos);
  EXPECT_NE(diagnostic.message.find("1 error"), std::string::npos);
  EXPECT_EQ(diagnostic.span.location(), (kept / "source.cc").string() + ":3:18");
  EXPECT_EQ(diagnostic.notes.front().message, "generated for: y = x + oops");
  EXPECT_NE(diagnostic.hint.find((kept / "source.cc").string()), std::string::npos);
  EXPECT_TRUE(fs::exists(kept / "source.cc"));
  EXPECT_FALSE(fs::exists(folder.path() / "f.so"));
  EXPECT_EQ(count(folder.path()), 2U);
}

TEST(Toolchain, a_linker_failure_has_its_text) {
  const TemporaryFolder folder;
  const fs::path source = folder.path() / "source.cc";
  write_file_atomic(source, "int missing_function(); int f() { return missing_function(); }\n");
  const Diagnostic diagnostic = failure([&] {
    Toolchain::host().compile_library({{source}, folder.path() / "f.so", {"-Wl,-z,defs"}, {}});
  });
  EXPECT_EQ(diagnostic.code, "TF5002");
  EXPECT_NE(diagnostic.message.find("missing_function"), std::string::npos);
}

TEST(Toolchain, an_interrupted_build_leaves_nothing) {
  const TemporaryFolder folder;
  const fs::path source = folder.path() / "source.cc";
  write_file_atomic(source, "int f();\n");
  const fs::path slow = folder.path() / "slow";
  write_file_atomic(slow,
                    "#!/bin/sh\n[ \"$1\" = --version ] && echo 'slow 1.0' && exit 0\n"
                    "for last; do :; done\ntouch \"$last\"\nsleep 5\n");
  fs::permissions(slow, fs::perms::owner_all);
  const ScopedVariable cxx("CXX", slow.c_str());
  const Toolchain& toolchain = Toolchain::host();
  const InterruptScope scope;
  std::thread sender([] {
    std::this_thread::sleep_for(std::chrono::milliseconds(200));
    ::kill(::getpid(), SIGTERM);
  });
  EXPECT_THROW(toolchain.compile_library({{source}, folder.path() / "f.so", {}, {}}), Interrupted);
  sender.join();
  EXPECT_EQ(count(folder.path()), 2U);
}

TEST(CommandText, quotes_what_a_shell_would_read) {
  EXPECT_EQ(command_text({"g++", "-O2", "a b.cc", "it's", ""}), "g++ -O2 'a b.cc' 'it'\\''s' ''");
}

TEST(CpuFeatures, names_close_over_what_they_imply) {
  const CpuFeatures features({"avx512bf16"});
  EXPECT_EQ(features.text(), "avx,avx2,avx512f,avx512bw,avx512bf16");
  EXPECT_EQ(features.flags().front(), "-mavx");
  EXPECT_EQ(CpuFeatures::parse(features.text()).text(), features.text());
  EXPECT_EQ(CpuFeatures::parse("none").text(), "none");
  EXPECT_EQ(features.missing_from(CpuFeatures({"avx512f"})),
            (std::vector<std::string>{"avx512bw", "avx512bf16"}));
  EXPECT_THROW(CpuFeatures::parse("avx2,mmx9"), ValueError);
  EXPECT_THROW(CpuFeatures::parse("avx2,"), ValueError);
}

#if defined(__x86_64__)

TEST(CpuFeatures, native_agrees_with_the_compilers_own_detection) {
  __builtin_cpu_init();
  const CpuFeatures& native = CpuFeatures::native();
  EXPECT_EQ(native.has("avx2"), __builtin_cpu_supports("avx2") != 0);
  EXPECT_EQ(native.has("fma"), __builtin_cpu_supports("fma") != 0);
  EXPECT_EQ(native.has("avx512f"), __builtin_cpu_supports("avx512f") != 0);
  EXPECT_EQ(native.has("avx512bw"), __builtin_cpu_supports("avx512bw") != 0);
  EXPECT_EQ(native.has("avx512vl"), __builtin_cpu_supports("avx512vl") != 0);
  EXPECT_EQ(native.has("avx512bf16"), __builtin_cpu_supports("avx512bf16") != 0);
  EXPECT_EQ(native.has("avx512vnni"), __builtin_cpu_supports("avx512vnni") != 0);
}

TEST(CpuFeatures, the_compiler_takes_the_flags_of_what_it_supports) {
  const TemporaryFolder folder;
  const fs::path source = folder.path() / "a.cc";
  write_file_atomic(source, "int f() { return 1; }\n");
  const Toolchain& toolchain = Toolchain::host();
  const CpuFeatures features = toolchain.supported(
      CpuFeatures({"bmi2", "fma", "f16c", "avxvnni", "avx512vnni", "avx512vl", "avx512dq",
                   "avx512fp16", "avx512bf16", "amx-bf16", "amx-int8"}));
  toolchain.compile_library({{source}, folder.path() / "a.so", features.flags(), {}});
}

#endif

}  // namespace
}  // namespace tilefoundry
