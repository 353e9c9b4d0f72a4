// The version of the product.
#pragma once

#include <string_view>

namespace tilefoundry {

// "0.1.0"
std::string_view version();

}  // namespace tilefoundry
