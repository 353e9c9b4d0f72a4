#include "tilefoundry/dump/dump.h"

#include <exception>
#include <utility>

#include "tilefoundry/support/diagnostic.h"
#include "tilefoundry/support/warning.h"

namespace tilefoundry {
namespace {

std::shared_ptr<const DumpContext>& active() {
  thread_local std::shared_ptr<const DumpContext> context;
  return context;
}

std::string joined(const std::string& folder, std::string_view name) {
  if (folder.empty()) return std::string(name);
  if (name.empty()) return folder;
  return folder + "/" + std::string(name);
}

std::shared_ptr<const DumpContext> nested(std::string_view subdir, std::optional<DumpFlags> flags) {
  const std::shared_ptr<const DumpContext>& parent = active();
  if (!parent) return nullptr;
  return std::make_shared<const DumpContext>(parent->dumper(), joined(parent->folder(), subdir),
                                             parent->flags() & flags.value_or(DumpFlags::ALL));
}

}  // namespace

std::shared_ptr<const DumpContext> current_scope() { return active(); }

DumpScope::DumpScope(std::string_view subdir, std::optional<DumpFlags> flags,
                     std::shared_ptr<IDumpper> dumper)
    : previous_(active()) {
  context_ = dumper ? std::make_shared<const DumpContext>(std::move(dumper), std::string(subdir),
                                                          flags.value_or(DumpFlags::ALL))
                    : nested(subdir, flags);
  if (context_) active() = context_;
}

DumpScope::DumpScope(std::shared_ptr<const DumpContext> context)
    : previous_(active()), context_(std::move(context)) {
  active() = context_;
}

DumpScope::~DumpScope() { active() = std::move(previous_); }

bool dump_enabled(DumpFlags flags) {
  const std::shared_ptr<const DumpContext>& scope = active();
  return scope && any(scope->flags() & flags);
}

bool dump(std::string_view name, std::string_view text, DumpFlags flags) noexcept {
  Diagnostic diagnostic;
  try {
    const std::shared_ptr<const DumpContext> scope = active();
    if (!scope || !any(scope->flags() & flags)) return false;
    scope->dumper()->write(joined(scope->folder(), name), text);
    return true;
  } catch (const Error& error) {
    diagnostic = error.diagnostic();
  } catch (const std::exception& error) {
    diagnostic.code = "TF7106";
    diagnostic.message = std::string("a dump failed: ") + error.what();
  } catch (...) {
    diagnostic.code = "TF7106";
    diagnostic.message = "a dump failed";
  }
  warn(std::move(diagnostic));
  return false;
}

}  // namespace tilefoundry
