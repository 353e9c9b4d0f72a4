// Whether a buffer is source text at all.
#pragma once

#include <optional>

#include "tilefoundry/support/diagnostic.h"

namespace tilefoundry {

// The reason why the buffer cannot be read as source text: it is too large, holds a NUL or bytes
// that are not UTF-8, or declares another encoding (https://peps.python.org/pep-0263/).
std::optional<Diagnostic> check_source_text(const Ref<const SourceBuffer>& source);

}  // namespace tilefoundry
