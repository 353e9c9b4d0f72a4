#include "tilefoundry/registry/analysis_registry.h"

#include <mutex>

#include <fmt/format.h>

#include "tilefoundry/support/diagnostic.h"

namespace tilefoundry {
namespace {

std::string place_text(const std::source_location& place) {
  return fmt::format("{}:{}", place.file_name(), place.line());
}

}  // namespace

void AnalysisRegistry::add_erased(const NodeClass& cls, std::unique_ptr<Entry> entry,
                                  bool replace) {
  if (keys_ == RegistryKeys::ops && cls.node_kind() == NodeClassKind::stmt) {
    throw RegistryError(Diagnostic{
        .code = "TF9003",
        .message = fmt::format("{} is a statement class, and the registry {} takes op classes",
                               cls.name(), name_)});
  }
  const std::unique_lock lock(mutex_);
  const auto it = entries_.find(&cls);
  if (it == entries_.end()) {
    entries_.emplace(&cls, std::move(entry));
    return;
  }
  if (!replace) {
    throw RegistryError(Diagnostic{
        .code = "TF9001",
        .message = fmt::format("{} is registered twice in {}: at {} and again at {}", cls.name(),
                               name_, place_text(it->second->place), place_text(entry->place)),
        .hint = "use `replace` to change a handler on purpose"});
  }
  replaced_.push_back(std::move(it->second));
  it->second = std::move(entry);
}

const AnalysisRegistry::Entry* AnalysisRegistry::find_erased(const NodeClass& cls) const noexcept {
  const std::shared_lock lock(mutex_);
  const auto it = entries_.find(&cls);
  return it == entries_.end() ? nullptr : it->second.get();
}

std::vector<const NodeClass*> AnalysisRegistry::keys() const {
  const std::shared_lock lock(mutex_);
  std::vector<const NodeClass*> out;
  for (const auto& [cls, entry] : entries_) out.push_back(cls);
  return out;
}

}  // namespace tilefoundry
