#include "tilefoundry/runtime/interrupt.h"

#include <fcntl.h>
#include <signal.h>
#include <unistd.h>

#include <atomic>
#include <cerrno>

#include "tilefoundry/support/diagnostic.h"

namespace tilefoundry {
namespace {

// What the signal handler may touch.
struct InterruptState {
  std::atomic<bool> raised{false};
  std::atomic<int> read_end{-1};
  std::atomic<int> write_end{-1};
  std::atomic<bool (*)()> probe{nullptr};
  struct sigaction former_int{};
  struct sigaction former_term{};
};

InterruptState& state() noexcept {
  static InterruptState instance;
  return instance;
}

void on_signal(int signal) {
  InterruptState& s = state();
  const int saved = errno;
  if (s.raised.exchange(true)) {
    // The user insists: end at once, in the signal's own way.
    ::signal(signal, SIG_DFL);
    ::raise(signal);
  }
  const char byte = 1;
  static_cast<void>(!::write(s.write_end.load(), &byte, 1));
  errno = saved;
}

}  // namespace

InterruptScope::InterruptScope() {
  InterruptState& s = state();
  TF_CHECK(s.read_end.load() < 0, "an InterruptScope is already active");
  int ends[2];
  TF_CHECK(::pipe2(ends, O_CLOEXEC | O_NONBLOCK) == 0, "no pipe for interrupts");
  s.read_end.store(ends[0]);
  s.write_end.store(ends[1]);
  s.raised.store(false);
  struct sigaction action{};
  action.sa_handler = on_signal;
  ::sigemptyset(&action.sa_mask);
  ::sigaction(SIGINT, nullptr, &s.former_int);
  ::sigaction(SIGTERM, nullptr, &s.former_term);
  // A program started with the signal ignored (nohup, a background job) keeps ignoring it.
  if (s.former_int.sa_handler != SIG_IGN) ::sigaction(SIGINT, &action, nullptr);
  if (s.former_term.sa_handler != SIG_IGN) ::sigaction(SIGTERM, &action, nullptr);
}

InterruptScope::~InterruptScope() {
  InterruptState& s = state();
  ::sigaction(SIGINT, &s.former_int, nullptr);
  ::sigaction(SIGTERM, &s.former_term, nullptr);
  ::close(s.read_end.exchange(-1));
  ::close(s.write_end.exchange(-1));
  s.raised.store(false);
}

void set_interrupt_probe(bool (*probe)()) noexcept { state().probe.store(probe); }

bool interrupted() noexcept {
  if (state().raised.load()) return true;
  bool (*probe)() = state().probe.load();
  return probe != nullptr && probe();
}

void check_interrupt() {
  if (interrupted()) throw Interrupted();
}

int interrupt_descriptor() noexcept { return state().read_end.load(); }

}  // namespace tilefoundry
