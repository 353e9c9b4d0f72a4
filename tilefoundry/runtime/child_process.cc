#include "tilefoundry/runtime/child_process.h"

#include <fcntl.h>
#include <fmt/core.h>
#include <poll.h>
#include <signal.h>
#include <spawn.h>
#include <sys/wait.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <filesystem>

#include "tilefoundry/runtime/interrupt.h"
#include "tilefoundry/support/diagnostic.h"
#include "tilefoundry/support/environment.h"
#include "tilefoundry/support/files.h"
#include "tilefoundry/support/text.h"

extern char** environ;

namespace tilefoundry {
namespace {

constexpr int kPollMilliseconds = 50;
// How long an interrupted child may take to clean up.
constexpr int kGracePolls = 100;
constexpr int kGraceMilliseconds = 5;

[[noreturn]] void fail_to_start(const std::string& program, int error) {
  Diagnostic diagnostic;
  diagnostic.code = "TF5003";
  diagnostic.message = fmt::format("{} cannot be started: {}", python_string_literal(program),
                                   system_error_text(error));
  diagnostic.hint = "check that the program is there and may be run";
  throw ToolchainError(std::move(diagnostic));
}

class Pipe {
 public:
  explicit Pipe(const std::string& program) {
    if (::pipe2(ends_.data(), O_CLOEXEC) != 0) fail_to_start(program, errno);
  }
  ~Pipe() {
    close_end(0);
    close_end(1);
  }
  Pipe(const Pipe&) = delete;
  Pipe& operator=(const Pipe&) = delete;
  int end(int index) const { return ends_[static_cast<std::size_t>(index)]; }
  void close_end(int index) {
    int& end = ends_[static_cast<std::size_t>(index)];
    if (end >= 0) ::close(end);
    end = -1;
  }

 private:
  std::array<int, 2> ends_{-1, -1};
};

// This process's variables, but for the language of messages, which are read by programs.
std::vector<std::string> child_environment() {
  std::vector<std::string> variables;
  for (char** entry = environ; *entry != nullptr; ++entry) {
    const std::string variable = *entry;
    const bool language = variable.rfind("LC_ALL=", 0) == 0 || variable.rfind("LANGUAGE=", 0) == 0;
    if (!language) variables.push_back(variable);
  }
  variables.emplace_back("LC_ALL=C");
  return variables;
}

std::vector<char*> pointers(const std::vector<std::string>& texts) {
  std::vector<char*> result;
  result.reserve(texts.size() + 1);
  for (const std::string& text : texts) result.push_back(const_cast<char*>(text.c_str()));
  result.push_back(nullptr);
  return result;
}

// A started child; its process group is ended and it is reaped unless it was waited for.
class Child {
 public:
  Child(const std::vector<std::string>& arguments, const Pipe& output, const Pipe& errors) {
    posix_spawn_file_actions_t actions;
    ::posix_spawn_file_actions_init(&actions);
    ::posix_spawn_file_actions_addopen(&actions, 0, "/dev/null", O_RDONLY, 0);
    ::posix_spawn_file_actions_adddup2(&actions, output.end(1), 1);
    ::posix_spawn_file_actions_adddup2(&actions, errors.end(1), 2);
    posix_spawnattr_t attributes;
    ::posix_spawnattr_init(&attributes);
    sigset_t none;
    sigset_t defaults;
    ::sigemptyset(&none);
    ::sigemptyset(&defaults);
    for (const int signal : {SIGINT, SIGTERM, SIGPIPE}) ::sigaddset(&defaults, signal);
    ::posix_spawnattr_setsigmask(&attributes, &none);
    ::posix_spawnattr_setsigdefault(&attributes, &defaults);
    ::posix_spawnattr_setpgroup(&attributes, 0);
    ::posix_spawnattr_setflags(
        &attributes, POSIX_SPAWN_SETPGROUP | POSIX_SPAWN_SETSIGMASK | POSIX_SPAWN_SETSIGDEF);
    const std::vector<std::string> variables = child_environment();
    const int error = ::posix_spawnp(&pid_, arguments[0].c_str(), &actions, &attributes,
                                     pointers(arguments).data(), pointers(variables).data());
    ::posix_spawnattr_destroy(&attributes);
    ::posix_spawn_file_actions_destroy(&actions);
    if (error != 0) fail_to_start(arguments[0], error);
  }
  ~Child() {
    if (pid_ <= 0) return;
    // A compiler that is asked removes its temporary files.
    ::kill(-pid_, SIGTERM);
    for (int i = 0; i < kGracePolls; ++i) {
      if (::waitpid(pid_, nullptr, WNOHANG) != 0) break;
      ::poll(nullptr, 0, kGraceMilliseconds);
    }
    ::kill(-pid_, SIGKILL);
    wait();
  }
  Child(const Child&) = delete;
  Child& operator=(const Child&) = delete;

  int wait() {
    int status = 0;
    while (::waitpid(pid_, &status, 0) < 0 && errno == EINTR) {
    }
    pid_ = -1;
    return status;
  }

 private:
  pid_t pid_ = -1;
};

// Appends what is there; closes the pipe at its end.
void drain(Pipe& pipe, std::string& text) {
  std::array<char, 16384> buffer;
  const ssize_t count = ::read(pipe.end(0), buffer.data(), buffer.size());
  if (count > 0) {
    text.append(buffer.data(), static_cast<std::size_t>(count));
  } else if (count == 0 || errno != EINTR) {
    pipe.close_end(0);
  }
}

}  // namespace

ProcessResult run_process(const std::vector<std::string>& arguments) {
  TF_CHECK(!arguments.empty(), "a process needs a program");
  Pipe output(arguments[0]);
  Pipe errors(arguments[0]);
  Child child(arguments, output, errors);
  output.close_end(1);
  errors.close_end(1);
  ProcessResult result;
  while (output.end(0) >= 0 || errors.end(0) >= 0) {
    // poll() skips negative descriptors.
    std::array<pollfd, 3> files{{{output.end(0), POLLIN, 0},
                                 {errors.end(0), POLLIN, 0},
                                 {interrupt_descriptor(), POLLIN, 0}}};
    ::poll(files.data(), files.size(), kPollMilliseconds);
    check_interrupt();
    if (files[0].revents != 0) drain(output, result.output);
    if (files[1].revents != 0) drain(errors, result.error_output);
  }
  const int status = child.wait();
  check_interrupt();
  if (WIFSIGNALED(status)) {
    result.exit_code = -1;
    result.signal = WTERMSIG(status);
  } else {
    result.exit_code = WEXITSTATUS(status);
  }
  return result;
}

std::string find_program(const std::string& name) {
  if (name.find('/') != std::string::npos) return ::access(name.c_str(), X_OK) == 0 ? name : "";
  // An empty PATH names no folder; a missing one means the usual folders, as to the system.
  const char* given = std::getenv("PATH");
  const std::string path = given != nullptr ? given : "/usr/local/bin:/usr/bin:/bin";
  if (path.empty()) return "";
  std::size_t begin = 0;
  while (begin <= path.size()) {
    const std::size_t end = std::min(path.find(':', begin), path.size());
    const std::string folder = end > begin ? path.substr(begin, end - begin) : ".";
    const std::string candidate = folder + "/" + name;
    std::error_code error;
    if (std::filesystem::is_regular_file(candidate, error) &&
        ::access(candidate.c_str(), X_OK) == 0) {
      return candidate;
    }
    begin = end + 1;
  }
  return "";
}

}  // namespace tilefoundry
