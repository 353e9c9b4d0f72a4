// One class-keyed table of handlers (visitor-registry seed 3). `add` and `find` are what Python
// calls `register` and `lookup`.
#pragma once

#include <functional>
#include <memory>
#include <shared_mutex>
#include <source_location>
#include <string>
#include <typeinfo>
#include <unordered_map>
#include <vector>

#include "tilefoundry/ir/node_class.h"

namespace tilefoundry {

enum class RegistryKeys { ops, ops_and_stmts };

class AnalysisRegistry {
 public:
  explicit AnalysisRegistry(std::string name, RegistryKeys keys = RegistryKeys::ops_and_stmts)
      : name_(std::move(name)), keys_(keys) {}
  AnalysisRegistry(const AnalysisRegistry&) = delete;
  AnalysisRegistry& operator=(const AnalysisRegistry&) = delete;

  const std::string& name() const noexcept { return name_; }

  // Throws RegistryError: TF9001 on a second registration, naming both places and keeping the
  // first; TF9003 for a key of a kind that the registry does not take.
  template <class Signature>
  void add(const NodeClass& cls, std::function<Signature> handler,
           std::source_location place = std::source_location::current()) {
    add_erased(cls, erase(std::move(handler), place), false);
  }
  // The explicit way to change a handler; adds it when there is none.
  template <class Signature>
  void replace(const NodeClass& cls, std::function<Signature> handler,
               std::source_location place = std::source_location::current()) {
    add_erased(cls, erase(std::move(handler), place), true);
  }
  // The handler registered for exactly this class, or null; never looks at a base and never
  // throws. Stays valid for the registry's life, also after `replace`.
  template <class Signature>
  const std::function<Signature>* find(const NodeClass& cls) const noexcept {
    const Entry* entry = find_erased(cls);
    if (entry == nullptr || *entry->signature != typeid(Signature)) return nullptr;
    return static_cast<const std::function<Signature>*>(entry->handler.get());
  }
  bool has(const NodeClass& cls) const noexcept { return find_erased(cls) != nullptr; }
  // In no particular order.
  std::vector<const NodeClass*> keys() const;

 private:
  struct Entry {
    const std::type_info* signature;
    std::shared_ptr<const void> handler;
    std::source_location place;
  };

  template <class Signature>
  static std::unique_ptr<Entry> erase(std::function<Signature> handler,
                                      std::source_location place) {
    return std::make_unique<Entry>(
        Entry{&typeid(Signature),
              std::make_shared<const std::function<Signature>>(std::move(handler)), place});
  }
  void add_erased(const NodeClass& cls, std::unique_ptr<Entry> entry, bool replace);
  const Entry* find_erased(const NodeClass& cls) const noexcept;

  std::string name_;
  RegistryKeys keys_;
  mutable std::shared_mutex mutex_;
  std::unordered_map<const NodeClass*, std::unique_ptr<Entry>> entries_;
  std::vector<std::unique_ptr<Entry>> replaced_;
};

}  // namespace tilefoundry
