#include "tilefoundry/support/version.h"

namespace tilefoundry {

// TILEFOUNDRY_VERSION is the project version of CMakeLists.txt.
std::string_view version() { return TILEFOUNDRY_VERSION; }

}  // namespace tilefoundry
