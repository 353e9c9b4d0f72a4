#include "tilefoundry/types/storage.h"

#include <fmt/format.h>

#include "tilefoundry/support/diagnostic.h"
#include "tilefoundry/support/text.h"

namespace tilefoundry {

const std::vector<std::string>& storage_names() {
  static const std::vector<std::string> names = {"host", "gmem", "smem", "rmem", "tmem", "umat"};
  return names;
}

std::string_view storage_name(StorageKind kind) noexcept {
  return storage_names()[static_cast<std::size_t>(kind) - 1];
}

StorageKind storage_from_name(std::string_view name) {
  const auto& names = storage_names();
  for (std::size_t i = 0; i < names.size(); ++i) {
    if (names[i] == name) return static_cast<StorageKind>(i + 1);
  }
  throw ValueError(Diagnostic{.code = "TF3021",
                              .message = fmt::format("unknown storage \"{}\"", name),
                              .hint = "the storages are " + join(names, ", ")});
}

}  // namespace tilefoundry
