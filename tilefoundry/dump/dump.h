// Dumping of intermediate texts: categories, destinations and the dynamic scope that names them
// (inspection seed, section 4). Knows no IR: callers bring text.
#pragma once

#include <atomic>
#include <memory>
#include <optional>
#include <string>
#include <string_view>

#include "tilefoundry/dump/dumper.h"

namespace tilefoundry {

// Categories of dumps; they combine with | and intersect with &.
enum class DumpFlags : unsigned {
  NONE = 0,
  PASS_IR = 1,
  CODEGEN_SOURCE = 2,
  BUILD_LOG = 4,
  ANALYSIS = 8,
  ALL = 15,
};
constexpr DumpFlags operator|(DumpFlags a, DumpFlags b) {
  return static_cast<DumpFlags>(static_cast<unsigned>(a) | static_cast<unsigned>(b));
}
constexpr DumpFlags operator&(DumpFlags a, DumpFlags b) {
  return static_cast<DumpFlags>(static_cast<unsigned>(a) & static_cast<unsigned>(b));
}
constexpr bool any(DumpFlags flags) { return flags != DumpFlags::NONE; }

// Where dumps go now: a dumper, a folder beneath its root, and the categories that pass.
class DumpContext {
 public:
  DumpContext(std::shared_ptr<IDumpper> dumper, std::string folder, DumpFlags flags)
      : dumper_(std::move(dumper)), folder_(std::move(folder)), flags_(flags) {}

  const std::shared_ptr<IDumpper>& dumper() const noexcept { return dumper_; }
  // Beneath the dumper's root, '/' between levels, "" at the root.
  const std::string& folder() const noexcept { return folder_; }
  DumpFlags flags() const noexcept { return flags_; }

  // 0, 1, 2... for folders numbered within this context (`{NN}_{pass_name}`); a second run in one
  // scope continues.
  int next_number() const noexcept { return counter_.fetch_add(1); }

 private:
  std::shared_ptr<IDumpper> dumper_;
  std::string folder_;
  DumpFlags flags_;
  mutable std::atomic<int> counter_{0};
};

// The innermost context of this thread; null without one. A new thread starts without any.
std::shared_ptr<const DumpContext> current_scope();

// Installs a context for the lifetime of the object, on the thread that made it; scopes end in
// reverse order.
//
// With a dumper the scope replaces the active one: categories are `flags`, all when not given, and
// `subdir` is beneath the dumper's root. Without one it nests beneath the active scope: its folder
// is `subdir` of the parent's and its categories are `flags` intersected with the parent's, the
// parent's when not given; without an active scope it does nothing.
class DumpScope {
 public:
  explicit DumpScope(std::string_view subdir = {}, std::optional<DumpFlags> flags = std::nullopt,
                     std::shared_ptr<IDumpper> dumper = nullptr);
  // Installs a context as it is, null included: how a worker thread or a binding takes one over.
  explicit DumpScope(std::shared_ptr<const DumpContext> context);
  ~DumpScope();
  DumpScope(const DumpScope&) = delete;
  DumpScope& operator=(const DumpScope&) = delete;

  // What this scope installed; null when it does nothing.
  const std::shared_ptr<const DumpContext>& context() const noexcept { return context_; }

 private:
  std::shared_ptr<const DumpContext> previous_;
  std::shared_ptr<const DumpContext> context_;
};

// Whether a dump of one of these categories would be written now; lets callers skip printing.
bool dump_enabled(DumpFlags flags);

// Writes `text` as `name` (which may have '/'-separated folders) in the active scope when one of
// `flags` passes. Never throws: a dump that fails warns (support/warning.h) and the caller goes on.
// Returns whether the text was written.
bool dump(std::string_view name, std::string_view text, DumpFlags flags) noexcept;

}  // namespace tilefoundry
