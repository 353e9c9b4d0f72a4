// Where a value lives (design 2.2).
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace tilefoundry {

// `umat`: nobody has decided residency yet; it never reaches generated code.
enum class StorageKind { host = 1, gmem = 2, smem = 3, rmem = 4, tmem = 5, umat = 6 };

std::string_view storage_name(StorageKind kind) noexcept;
const std::vector<std::string>& storage_names();
// Exactly the six lower-case names. Throws ValueError (TF3021) otherwise.
StorageKind storage_from_name(std::string_view name);

}  // namespace tilefoundry
