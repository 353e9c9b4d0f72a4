#include "tilefoundry/support/warning.h"

#include <atomic>
#include <cstdio>

namespace tilefoundry {
namespace {

std::atomic<WarningSink>& sink_slot() {
  static std::atomic<WarningSink> sink{nullptr};
  return sink;
}

}  // namespace

WarningSink set_warning_sink(WarningSink sink) noexcept { return sink_slot().exchange(sink); }

void warn(Diagnostic diagnostic) noexcept {
  try {
    diagnostic.severity = Severity::warning;
    if (const WarningSink sink = sink_slot().load()) {
      sink(diagnostic);
      return;
    }
    const std::string text = render(diagnostic);
    std::fwrite(text.data(), 1, text.size(), stderr);
  } catch (...) {
    std::fputs("warning: a warning could not be reported\n", stderr);
  }
}

}  // namespace tilefoundry
