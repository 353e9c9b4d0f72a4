// Interrupts during long work. The command installs an InterruptScope; a build that is interrupted
// kills its compiler, removes its temporary files while unwinding, and leaves through
// `Interrupted`.
#pragma once

#include <exception>

namespace tilefoundry {

// The user asked to stop (SIGINT or SIGTERM). The command answers with exit code 130.
class Interrupted : public std::exception {
 public:
  const char* what() const noexcept override { return "interrupted"; }
};

// Turns SIGINT and SIGTERM into the flag below while it lives; restores the former handlers and
// clears the flag at its end. Work that never asks `interrupted()` (compiled code, the evaluator)
// is not stopped by it: keep a scope around builds, or ask between steps. One at a time. A second
// signal while the first is being handled ends the process as if there were no scope.
class InterruptScope {
 public:
  InterruptScope();
  ~InterruptScope();
  InterruptScope(const InterruptScope&) = delete;
  InterruptScope& operator=(const InterruptScope&) = delete;
};

// A further source of interrupts, asked about every 50 ms during child processes (the Python
// binding asks the interpreter). Null for none.
void set_interrupt_probe(bool (*probe)()) noexcept;

bool interrupted() noexcept;
// Throws Interrupted when interrupted() holds.
void check_interrupt();
// Becomes readable on an interrupt, for poll(); -1 without a scope.
int interrupt_descriptor() noexcept;

}  // namespace tilefoundry
