// Reading of environment variables. An empty variable counts as unset.
#pragma once

#include <cstdint>
#include <optional>
#include <string>

namespace tilefoundry {

std::optional<std::string> environment_text(const char* name);

// 1/true/yes/on and 0/false/no/off in any case; ValueError TF7201 names the variable on anything
// else.
bool environment_flag(const char* name, bool fallback);

// A decimal integer in [lowest, highest]; ValueError TF7201 names the variable on anything else.
std::int64_t environment_integer(const char* name, std::int64_t fallback, std::int64_t lowest,
                                 std::int64_t highest);

}  // namespace tilefoundry
