// Which characters may stand in an identifier: Python's rule, XID_Start and XID_Continue of
// Unicode 14 (https://www.unicode.org/reports/tr31/) plus the underscore.
#pragma once

#include <cstdint>

namespace tilefoundry {

bool is_identifier_start(std::uint32_t code_point);
bool is_identifier_continue(std::uint32_t code_point);

// Python compares identifiers after NFKC normalization. A false answer means that this character
// is not certain to stay as it is there, so that two spellings could name one thing.
bool is_normalized_identifier_character(std::uint32_t code_point);

}  // namespace tilefoundry
