#include "tilefoundry/frontend/sema.h"

#include <utility>

#include <fmt/format.h>

#include "tilefoundry/support/text.h"

namespace tilefoundry {

void refuse(const char* code, Span span, std::string message, std::string hint) {
  throw ParseError(Diagnostic{.code = code,
                              .message = std::move(message),
                              .span = std::move(span),
                              .notes = {},
                              .hint = std::move(hint)});
}

const OpGroup* Sema::op_group(Dialect dialect, std::string_view name) {
  auto& groups = groups_[dialect == Dialect::tf ? 0 : 1];
  std::string key(name);
  const auto it = groups.find(key);
  if (it != groups.end()) return it->second.get();
  std::vector<OpCandidate> candidates = find_ops(dialect, name);
  if (candidates.empty()) {
    const OpClass* cls = find_op_class(dialect, name);
    if (cls == nullptr) return nullptr;
    candidates.push_back({cls, nullptr});
  }
  auto group = std::make_unique<const OpGroup>(OpGroup{dialect, key, std::move(candidates)});
  return groups.emplace(std::move(key), std::move(group)).first->second.get();
}

void Sema::report_current(const Span& place) {
  try {
    throw;
  } catch (const PoisonedUse&) {
    return;
  } catch (const Error& error) {
    std::vector<Diagnostic> diagnostics = error.diagnostics();
    for (Diagnostic& diagnostic : diagnostics) {
      if (!diagnostic.span) diagnostic.span = place;
    }
    try {
      error.raise(std::move(diagnostics));
    } catch (const Error&) {
      sink_.report_current_exception();
    }
  }
}

std::string did_you_mean(std::string_view word, const std::vector<std::string>& candidates) {
  // Short words are close to everything.
  const std::string match = closest_match(word, candidates, word.size() < 4 ? 1 : 2);
  return match.empty() ? "" : fmt::format("did you mean '{}'?", match);
}

}  // namespace tilefoundry
