// Collects the diagnostics of a step that goes on after an error.
#pragma once

#include <cstddef>
#include <exception>
#include <vector>

#include "tilefoundry/support/diagnostic.h"

namespace tilefoundry {

class DiagnosticSink {
 public:
  explicit DiagnosticSink(std::size_t limit = 20) : limit_(limit) {}

  // Adds one diagnostic. One that is past the limit is dropped, and the last one kept gets a note.
  void report(Diagnostic diagnostic);
  // Inside a catch block: adds the diagnostics of the `Error` that is being handled, and keeps its
  // class if nothing was reported before. Anything that is not an `Error` is thrown again.
  void report_current_exception();

  bool has_errors() const noexcept { return !diagnostics_.empty(); }
  // Whether another report would be dropped: a good moment to stop.
  bool full() const noexcept { return diagnostics_.size() >= limit_; }
  // In the order of the reports.
  const std::vector<Diagnostic>& diagnostics() const noexcept { return diagnostics_; }

  // Throws the class of the first report, which is ParseError for a plain diagnostic, with all
  // diagnostics; returns if there are none.
  void raise_if_errors() const;

 private:
  std::size_t limit_;
  std::vector<Diagnostic> diagnostics_;
  std::exception_ptr first_;
  bool truncated_ = false;
};

}  // namespace tilefoundry
