#include "tilefoundry/relation/isl_text.h"

#include <algorithm>

#include <fmt/format.h>

#include "tilefoundry/dims/dim_arithmetic.h"
#include "tilefoundry/relation/isl_session.h"
#include "tilefoundry/relation/relation.h"

namespace tilefoundry {
namespace {

bool mentions_iteration(const Dim& dim) {
  bool found = false;
  for_each_dim_atom(dim, [&](const DimNode& node) { found = found || iter_index(node) >= 0; });
  return found;
}

// `i0`, `i1`... name iteration variables in every text built here.
bool names_iteration(const std::string& name) {
  return name.size() > 1 && name.front() == 'i' &&
         std::all_of(name.begin() + 1, name.end(), [](char c) { return c >= '0' && c <= '9'; });
}

}  // namespace

const std::string* IslParameters::known(const Dim& dim) const {
  for (const auto& [name, value] : parameters_) {
    if (value == dim) return &name;
  }
  return nullptr;
}

std::string IslParameters::name_of(const Dim& dim) {
  if (const std::string* name = known(dim)) return *name;
  const DimVar* var = dim.node()->as_var();
  std::string name;
  if (var != nullptr && isl_accepts_name(var->name) && !names_iteration(var->name) &&
      std::none_of(parameters_.begin(), parameters_.end(),
                   [&](const auto& parameter) { return parameter.first == var->name; })) {
    name = var->name;
  } else {
    name = fmt::format("${}", opaque_++);
  }
  parameters_.emplace_back(name, dim);
  return name;
}

std::string IslParameters::extent(const Dim& dim) {
  return dim.is_static() ? std::to_string(dim.value()) : name_of(dim);
}

std::optional<std::string> IslParameters::iteration_factor(const DimNode& node) {
  const int k = iter_index(node);
  if (k >= 0) return fmt::format("i{}", k);
  const DimApply* apply = node.as_apply();
  if (apply == nullptr || apply->op == DimOp::min || apply->op == DimOp::max) return std::nullopt;
  const Dim& divisor = apply->operands[1];
  if (!divisor.is_static() || divisor.value() <= 0) return std::nullopt;
  const std::optional<std::string> numerator = affine(apply->operands[0]);
  if (!numerator) return std::nullopt;
  return apply->op == DimOp::floordiv ? fmt::format("floor(({})/{})", *numerator, divisor.value())
                                      : fmt::format("(({}) mod {})", *numerator, divisor.value());
}

std::optional<std::string> IslParameters::term(const DimTerm& term) {
  Dim product = 1;
  for (const auto& factor : term.factors) product = product * Dim(factor);
  std::optional<std::string> text;
  if (!mentions_iteration(product)) {
    text = name_of(product);
  } else if (term.factors.size() == 1) {
    text = iteration_factor(*term.factors.front());
  }
  if (text && term.coefficient != 1) text = fmt::format("{} * {}", term.coefficient, *text);
  return text;
}

std::optional<std::string> IslParameters::affine(const Dim& dim) {
  if (dim.is_static()) return std::to_string(dim.value());
  if (const std::string* name = known(dim)) return *name;
  const DimSum sum = dim_as_sum(dim);
  std::vector<std::string> parts;
  for (const DimTerm& each : sum.terms) {
    const std::optional<std::string> text = term(each);
    if (!text) return std::nullopt;
    parts.push_back(*text);
  }
  if (sum.constant != 0) parts.push_back(std::to_string(sum.constant));
  return fmt::format("{}", fmt::join(parts, " + "));
}

std::string IslParameters::prefix() const {
  if (parameters_.empty()) return "";
  std::vector<std::string> names;
  for (const auto& parameter : parameters_) names.push_back(parameter.first);
  return fmt::format("[{}] -> ", fmt::join(names, ", "));
}

std::string IslParameters::ranges() const {
  std::string out;
  for (const auto& [name, dim] : parameters_) {
    const DimBounds bounds = dim_bounds(dim);
    if (bounds.lo) out += fmt::format(" and {} >= {}", name, *bounds.lo);
    if (bounds.hi) out += fmt::format(" and {} <= {}", name, *bounds.hi);
  }
  return out;
}

std::map<std::string, Dim> IslParameters::map() const {
  return {parameters_.begin(), parameters_.end()};
}

}  // namespace tilefoundry
