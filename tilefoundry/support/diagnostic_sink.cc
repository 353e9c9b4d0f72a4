#include "tilefoundry/support/diagnostic_sink.h"

#include <utility>

namespace tilefoundry {

void DiagnosticSink::report(Diagnostic diagnostic) {
  if (!full()) {
    diagnostics_.push_back(std::move(diagnostic));
  } else if (!truncated_ && !diagnostics_.empty()) {
    truncated_ = true;
    diagnostics_.back().notes.push_back({"there are more errors, which are not shown", Span()});
  }
}

void DiagnosticSink::report_current_exception() {
  try {
    throw;
  } catch (const Error& error) {
    if (diagnostics_.empty()) first_ = std::current_exception();
    for (const Diagnostic& diagnostic : error.diagnostics()) report(diagnostic);
  }
}

void DiagnosticSink::raise_if_errors() const {
  if (diagnostics_.empty()) return;
  if (!first_) throw ParseError(diagnostics_);
  try {
    std::rethrow_exception(first_);
  } catch (const Error& error) {
    error.raise(diagnostics_);
  }
}

}  // namespace tilefoundry
