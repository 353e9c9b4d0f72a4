#include "tilefoundry/passes/lower_dispatch.h"

#include <numeric>

#include <fmt/format.h>

#include "tilefoundry/ir/hir/dispatch.h"
#include "tilefoundry/passes/lowerer.h"
#include "tilefoundry/support/diagnostic.h"

namespace tilefoundry {
namespace {

[[noreturn]] void refuse(const char* code, std::string message, const Span& span,
                         std::string hint) {
  throw PassError(Diagnostic{
      .code = code, .message = std::move(message), .span = span, .hint = std::move(hint)});
}

std::string envelope_text(const DimVar& dim) {
  return fmt::format("{} is in [{}, {})", dim.name, dim.lo, dim.hi);
}

}  // namespace

void check_lowerable(const Function& prototype, const Span& place) {
  if (prototype.variants().empty()) {
    refuse("TF4420", fmt::format("the prototype {} has no variants to run", prototype.name()),
           place, "give it a body, or variants that cover the range of a dimension");
  }
  for (const FunctionRef& variant : prototype.variants()) variant_symbol(*variant);
}

std::string variant_symbol(const Function& variant) {
  const DimVarRangePat* range = variant_range(variant);
  if (range == nullptr) {
    refuse("TF4423",
           fmt::format("the pattern {} of a variant of {} has no lowering",
                       variant.specializations()[0]->repr(), variant.name()),
           variant.meta().span, "variants are lowered for DimVarRangePat(name, lo, hi)");
  }
  return fmt::format("{}${}${}_{}", variant.name(), range->dim_var(), range->lo(), range->hi());
}

std::vector<TypeRef> output_types(const TypeRef& result) {
  std::vector<TypeRef> types;
  for_each_leaf(result, [&](const TensorType& leaf) {
    types.push_back(buffer_type(leaf.with_layout(nullptr)));
  });
  return types;
}

Ref<const CallableType> variant_type(const Module& owner, const Function& prototype) {
  std::vector<TypeRef> types;
  for (const VarRef& param : prototype.params()) types.push_back(param->type());
  for (const TreeWeight& weight : tree_weights(owner, prototype)) {
    types.push_back(weight.param->type());
  }
  for (TypeRef& output : output_types(prototype.return_type())) types.push_back(std::move(output));
  return CallableType::make(UnitType::make(), std::move(types));
}

std::vector<std::size_t> reachable_cases(const Function& prototype, const Dim& extent,
                                         const Span& place) {
  const DimVar dim = dispatch_axis(prototype).dim;
  const auto range = extent_range(extent);
  if (!range) {
    refuse("TF4421",
           fmt::format("{} is called with the extent {} as {}, from which no variant follows",
                       prototype.name(), extent.text(), dim.name),
           place, "the extent of an argument that picks a variant is a number or a DimVar");
  }
  std::vector<std::size_t> cases = reachable_variants(prototype, *range);
  if (cases.empty()) {
    refuse(
        "TF4422",
        fmt::format("no variant of {} takes the extent {}", prototype.name(), extent.text()), place,
        fmt::format("{}; the variants' ranges are {}", envelope_text(dim), ranges_text(prototype)));
  }
  return cases;
}

StmtRef dispatch_call(const DispatchSite& site, const std::vector<std::size_t>& cases,
                      ExprRef subject, const std::vector<ExprRef>& args) {
  std::vector<PatternRef> patterns;
  std::vector<Ref<const Evaluate>> calls;
  for (const std::size_t index : cases) {
    const Function& variant = *site.prototype->variants()[index];
    patterns.push_back(variant.specializations()[0]);
    calls.push_back(
        Evaluate::call(SymbolRef::make(site.symbol_prefix + variant_symbol(variant), site.type),
                       args, Metadata{"", site.place}));
  }
  const CanonicalAxis axis = dispatch_axis(*site.prototype);
  StmtRef abort = Abort::make(
      fmt::format("no variant of {} takes this extent of {} (axis {}): {}", site.prototype->name(),
                  site.prototype->params()[axis.param]->name(), axis.axis, envelope_text(axis.dim)),
      Metadata{"", site.place});
  return DispatchCall::make(site.symbol_prefix + site.prototype->name(), {std::move(subject)},
                            std::move(patterns), std::move(calls),
                            Sequential::make({std::move(abort)}), Metadata{"", site.place});
}

PrimFunctionRef lower_prototype(const Module& owner, const Function& prototype) {
  check_lowerable(prototype, prototype.meta().span);
  std::vector<VarRef> params = prototype.params();
  for (const TreeWeight& weight : tree_weights(owner, prototype)) {
    params.push_back(Var::make(weight.path, weight.param->type(), true, weight.param->span()));
  }
  const std::vector<TypeRef> outputs = output_types(prototype.return_type());
  NamePool names;
  for (const VarRef& param : params) names.take(param->name());
  for (std::size_t i = 0; i < outputs.size(); ++i) {
    const std::string hint = outputs.size() == 1 ? "out" : fmt::format("out{}", i);
    params.push_back(Var::make(names.unique(hint), outputs[i]));
  }
  const CanonicalAxis axis = dispatch_axis(prototype);
  ExprRef subject = ShapeOfExpr::make(params[axis.param], axis.axis);
  std::vector<std::size_t> cases(prototype.variants().size());
  std::iota(cases.begin(), cases.end(), std::size_t{0});
  const DispatchSite site{&prototype, "", variant_type(owner, prototype), prototype.meta().span};
  const std::vector<ExprRef> args(params.begin(), params.end());
  StmtRef body = dispatch_call(site, cases, std::move(subject), args);
  return PrimFunction::make(prototype.name(), std::move(params), std::move(body), outputs.size(),
                            nullptr, prototype.meta());
}

}  // namespace tilefoundry
