#include "tilefoundry/frontend/definitions.h"

#include <algorithm>
#include <unordered_set>

#include <fmt/format.h>

#include "tilefoundry/frontend/prim_body.h"
#include "tilefoundry/text/program_scan.h"

namespace tilefoundry {
namespace {

class PlainDefinition final : public HostObject {
 public:
  explicit PlainDefinition(std::string words) : words_(std::move(words)) {}
  std::string describe() const override { return words_; }

 private:
  std::string words_;
};

Value define_func(Sema& sema, const FunctionSyntax& syntax, const DefinitionSite& site,
                  const Decoration& decoration) {
  const Topologies* topologies = decoration.topologies ? &*decoration.topologies : site.topologies;
  FunctionRef function =
      build_function(sema, syntax, {site.scope, site.children, topologies, &sema.instances()},
                     decoration.renaming);
  if (!function) return PoisonedValue{};
  if (!decoration.target && !decoration.topologies) return CallableRef(std::move(function));
  return wrap_function(function, decoration.target, decoration.topologies);
}

}  // namespace

Value define_function(Sema& sema, const FunctionSyntax& syntax, const DefinitionSite& site) {
  const std::string name(syntax.name.text);
  if (syntax.decorators.empty()) {
    return HostObjectRef(
        make_ref<PlainDefinition>(fmt::format("the undecorated function '{}'", name)));
  }
  try {
    Evaluator evaluator(sema, *site.scope);
    const Decoration decoration = read_decoration(sema, evaluator, syntax.decorators);
    if (decoration.kind == BuiltinKind::module) {
      refuse("TF2084", decoration.span, "'@module' decorates a class, not a function",
             "write '@func', or 'class' instead of 'def'");
    }
    if (decoration.base) return define_variant(sema, syntax, site, decoration);
    if (decoration.kind == BuiltinKind::func) return define_func(sema, syntax, site, decoration);
    PrimFunctionRef function = build_prim_function(sema, syntax, site, decoration);
    if (!function) return PoisonedValue{};
    if (site.prim_functions != nullptr) site.prim_functions->push_back(function);
    if (!decoration.topologies) return CallableRef(std::move(function));
    return wrap_function(function, nullptr, decoration.topologies);
  } catch (...) {
    sema.report_current(sema.span(syntax.name.range));
    return PoisonedValue{};
  }
}

ModuleRef wrap_function(const CallableRef& function, TargetRef target,
                        std::optional<Topologies> topologies) {
  ModuleParts parts;
  parts.name = callable_name(*function);
  parts.entry = parts.name;
  parts.target = std::move(target);
  parts.topologies = std::move(topologies);
  if (const Function* hir = as_function(*function)) {
    // Callees first. A function enters once all that it calls are in.
    struct Frame {
      FunctionRef function;
      std::vector<FunctionRef> callees;
      std::size_t next = 0;
    };
    std::unordered_set<const Callable*> seen{hir};
    std::vector<Frame> stack;
    stack.push_back({FunctionRef(hir), called_functions(*hir)});
    while (!stack.empty()) {
      Frame& frame = stack.back();
      if (frame.next == frame.callees.size()) {
        parts.functions.push_back(frame.function);
        stack.pop_back();
        continue;
      }
      FunctionRef callee = written_function(frame.callees[frame.next++]);
      if (!seen.insert(callee.get()).second) continue;
      std::vector<FunctionRef> callees = called_functions(*callee);
      stack.push_back({std::move(callee), std::move(callees)});
    }
  } else {
    parts.functions.push_back(function);
  }
  parts.meta = {parts.name, {}};
  return Module::make(std::move(parts));
}

void announce_definitions(Sema& sema, SyntaxBlock body, Scope& scope) {
  for (const StmtSyntax* stmt : body) {
    if (const auto* function = stmt->as<FunctionSyntax>()) {
      scope.announce(function->name.text, sema.span(function->name.range));
    } else if (const auto* cls = stmt->as<ClassSyntax>()) {
      scope.announce(cls->name.text, sema.span(cls->name.range));
    }
  }
}

}  // namespace tilefoundry
