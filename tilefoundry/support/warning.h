// Warnings of the library: things that the user should know and that do not stop the work.
#pragma once

#include "tilefoundry/support/diagnostic.h"

namespace tilefoundry {

using WarningSink = void (*)(const Diagnostic&);

// Where warnings go; null is the default, one rendered diagnostic on standard error. Returns the
// former sink. A sink does not throw.
WarningSink set_warning_sink(WarningSink sink) noexcept;

// Reports a diagnostic as a warning. Never throws.
void warn(Diagnostic diagnostic) noexcept;

}  // namespace tilefoundry
