// Variants of prototypes.
#include <fmt/format.h>

#include "tilefoundry/frontend/definitions.h"
#include "tilefoundry/ir/hir/dispatch.h"
#include "tilefoundry/text/names.h"

namespace tilefoundry {
namespace {

// A parameter of the base whose name cannot be written stands under any name.
FunctionRenaming variant_names(const FunctionSyntax& syntax, const Function& base) {
  FunctionRenaming renaming;
  renaming.name = base.name();
  for (std::size_t i = 0; i < base.params().size() && i < syntax.parameters.size(); ++i) {
    const std::string& name = base.params()[i]->name();
    const std::string written(syntax.parameters[i].name.text);
    if (!is_valid_name(name)) renaming.params.emplace(written, name);
  }
  return renaming;
}

}  // namespace

Value define_variant(Sema& sema, const FunctionSyntax& syntax, const DefinitionSite& site,
                     const Decoration& decoration) {
  const FunctionRef& base = decoration.base;
  const std::string label(syntax.name.text);
  FunctionRef written =
      build_function(sema, syntax, {site.scope, site.children, site.topologies, &sema.instances()},
                     variant_names(syntax, *base));
  if (!written) return PoisonedValue{};
  if (!written->body()) {
    refuse(
        "TF2422", sema.span(syntax.name.range), fmt::format("the variant '{}' has no body", label),
        fmt::format("write what '{}' does for {}", base->name(), decoration.patterns[0]->repr()));
  }
  check_declared_result(base->return_type(), written->return_type(), sema.span(syntax.name.range));
  FunctionRef variant =
      Function::make_variant(*base, written->params(), written->body(), decoration.patterns, label,
                             {base->name(), sema.span(syntax.name.range)});
  base->add_variant(variant, decoration.span);
  // `@f.specialize(...) def f` leaves `f` what it was.
  const std::optional<Value> bound = site.scope->find(label);
  const auto* callable = bound ? bound->as<CallableRef>() : nullptr;
  if (callable != nullptr && callable->get() == base.get()) return CallableRef(base);
  return CallableRef(std::move(variant));
}

}  // namespace tilefoundry
