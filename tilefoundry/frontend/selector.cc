// Which Module and function of a file are meant.

#include <fmt/format.h>

#include "tilefoundry/frontend/definitions.h"
#include "tilefoundry/frontend/loader.h"
#include "tilefoundry/support/text.h"

namespace tilefoundry {
namespace {

std::vector<CallableRef> bare_functions(const LoadedFile& file) {
  std::vector<CallableRef> functions(file.functions.begin(), file.functions.end());
  functions.insert(functions.end(), file.prim_functions.begin(), file.prim_functions.end());
  return functions;
}

std::vector<std::string> names_of(const LoadedFile& file) {
  std::vector<std::string> names;
  for (const ModuleRef& module : file.modules) names.push_back(module->name());
  for (const CallableRef& function : bare_functions(file)) {
    names.push_back(callable_name(*function));
  }
  return names;
}

std::vector<std::string> names_of(const Module& module) {
  std::vector<std::string> names;
  for (const ModuleRef& child : module.children()) names.push_back(child->name());
  for (const CallableRef& function : module.functions()) names.push_back(callable_name(*function));
  return names;
}

[[noreturn]] void refuse_selector(const LoadedFile& file, const std::string& part,
                                  const std::string& where, std::vector<std::string> names) {
  const std::string guess = closest_match(part, names);
  std::string hint = guess.empty() ? "" : fmt::format("did you mean '{}'? ", guess);
  hint += names.empty() ? "there is nothing to select" : "there is " + join(names, ", ");
  refuse("TF2091", Span{file.source, 0, 0}, fmt::format("{} has no '{}'", where, part),
         std::move(hint));
}

std::vector<std::string> parts_of(std::string_view selector) {
  std::vector<std::string> parts;
  for (;;) {
    const std::size_t dot = selector.find('.');
    parts.emplace_back(selector.substr(0, dot));
    if (dot == std::string_view::npos) return parts;
    selector.remove_prefix(dot + 1);
  }
}

// Prim functions that call each other by symbol are wrapped together.
Selection wrapped(const LoadedFile& file, const CallableRef& function) {
  Selection selection{wrap_function(function, nullptr, std::nullopt), function, nullptr};
  if (const PrimFunction* prim = as_prim_function(*function)) {
    std::vector<CallableRef> functions(file.prim_functions.begin(), file.prim_functions.end());
    selection.module = selection.module->with_functions(std::move(functions));
    selection.target = prim->target();
  }
  return selection;
}

Selection whole(const ModuleRef& module, TargetRef target) {
  return {module, module->entry_function(), std::move(target)};
}

Selection default_selection(const LoadedFile& file) {
  if (!file.modules.empty()) return whole(file.modules.back(), file.modules.back()->target());
  const std::vector<CallableRef> functions = bare_functions(file);
  if (functions.size() == 1) return wrapped(file, functions[0]);
  refuse("TF2092", Span{file.source, 0, 0},
         fmt::format("the file has {}: say which one", counted(functions.size(), "function")),
         "there is " + join(names_of(file), ", "));
}

}  // namespace

Selection select(const LoadedFile& file, std::string_view selector) {
  if (selector.empty()) return default_selection(file);
  const std::vector<std::string> parts = parts_of(selector);
  ModuleRef module;
  for (const ModuleRef& candidate : file.modules) {
    if (candidate->name() == parts[0]) module = candidate;
  }
  if (!module) {
    for (const CallableRef& function : bare_functions(file)) {
      if (callable_name(*function) != parts[0]) continue;
      if (parts.size() > 1) {
        refuse_selector(file, parts[1], fmt::format("the function '{}'", parts[0]), {});
      }
      return wrapped(file, function);
    }
    refuse_selector(file, parts[0], "the file", names_of(file));
  }
  TargetRef target = module->target();
  for (std::size_t i = 1; i < parts.size(); ++i) {
    if (ModuleRef child = module->find_child(parts[i])) {
      module = std::move(child);
      if (module->target()) target = module->target();
      continue;
    }
    const bool last = i + 1 == parts.size();
    CallableRef function = module->find_function(parts[i]);
    if (!function || !last) {
      const std::string& wanted = function ? parts[i + 1] : parts[i];
      refuse_selector(file, wanted,
                      function ? fmt::format("the function '{}'", parts[i])
                               : fmt::format("the Module '{}'", module->name()),
                      function ? std::vector<std::string>() : names_of(*module));
    }
    return {module, std::move(function), std::move(target)};
  }
  return whole(module, std::move(target));
}

}  // namespace tilefoundry
