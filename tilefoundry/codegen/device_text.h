// The run-time text that generated code is built from, embedded from device/ at build time.
#pragma once

#include <string_view>

namespace tilefoundry {

// The content of a file, named relative to device/, as in "cpu/math.inc". An unknown name is an
// InternalError. The text lives as long as the library.
std::string_view device_text(std::string_view name);

}  // namespace tilefoundry
