#include "tilefoundry/dims/dim.h"

#include <algorithm>
#include <utility>

#include <fmt/format.h>

#include "tilefoundry/dims/dim_arithmetic.h"
#include "tilefoundry/support/diagnostic.h"
#include "tilefoundry/support/hash.h"

namespace tilefoundry {
namespace {

constexpr int kDeepest = 64;

int depth_of(const Dim& dim) { return dim.node() ? dim.node()->depth() : 0; }

int payload_depth(const DimNode::Payload& payload) {
  if (const auto* sum = std::get_if<DimSum>(&payload)) {
    int depth = 0;
    for (const DimTerm& term : sum->terms) {
      for (const auto& factor : term.factors) depth = std::max(depth, factor->depth());
    }
    return depth;
  }
  if (const auto* apply = std::get_if<DimApply>(&payload)) {
    int depth = 0;
    for (const Dim& operand : apply->operands) depth = std::max(depth, depth_of(operand));
    return depth + 1;
  }
  return 0;
}

}  // namespace

DimNode::DimNode(Payload payload) : payload_(std::move(payload)), depth_(payload_depth(payload_)) {
  if (depth_ > kDeepest) {
    throw ValueError(Diagnostic{
        .code = "TF3003",
        .message = fmt::format("dimension expression nests more than {} divisions", kDeepest),
        .hint = "introduce a DimVar for the intermediate extent"});
  }
}

const DimAtom* DimNode::as_atom() const noexcept {
  const auto* ref = std::get_if<DimAtomRef>(&payload_);
  return ref != nullptr ? ref->atom : nullptr;
}

std::size_t DimNode::structural_hash() const {
  std::size_t seed = payload_.index();
  if (const auto* var = as_var()) return hash_mix(seed, hash_values(var->name, var->lo, var->hi));
  if (const auto* atom = as_atom()) return hash_mix(seed, hash_values(atom));
  if (const auto* sum = as_sum()) {
    seed = hash_mix(seed, hash_values(sum->constant));
    for (const DimTerm& term : sum->terms) {
      seed = hash_range(hash_mix(seed, hash_values(term.coefficient)), term.factors);
    }
    return seed;
  }
  const DimApply& apply = std::get<DimApply>(payload_);
  return hash_range(hash_mix(seed, static_cast<std::size_t>(apply.op)), apply.operands);
}

std::size_t Dim::hash() const noexcept {
  return node_ ? node_->interned_hash() : hash_values(value_);
}

Dim dim_var(const std::string& name, std::int64_t lo, std::int64_t hi) {
  if (name.empty()) {
    throw ValueError(Diagnostic{.code = "TF3004", .message = "a DimVar needs a name"});
  }
  if (lo >= hi) {
    throw ValueError(Diagnostic{
        .code = "TF3004",
        .message = fmt::format("DimVar \"{}\" has the empty range [{}, {})", name, lo, hi),
        .hint = "the range is half-open: lo must be less than hi"});
  }
  return Dim(DimNode::intern(new DimNode(DimVar{name, lo, hi})));
}

Dim dim_atom(const DimAtom& atom) { return Dim(DimNode::intern(new DimNode(DimAtomRef(atom)))); }

Dim substitute(const Dim& dim, const DimSubstitution& replace) {
  if (dim.is_static()) return dim;
  const DimNode& node = *dim.node();
  if (const auto* sum = node.as_sum()) {
    Dim total = sum->constant;
    for (const DimTerm& term : sum->terms) {
      Dim product = term.coefficient;
      for (const auto& factor : term.factors) product = product * substitute(Dim(factor), replace);
      total = total + product;
    }
    return total;
  }
  if (const auto* apply = node.as_apply()) {
    std::vector<Dim> operands;
    for (const Dim& operand : apply->operands) operands.push_back(substitute(operand, replace));
    return dim_apply(apply->op, operands);
  }
  return replace(dim.node());
}

void for_each_dim_atom(const Dim& dim, const std::function<void(const DimNode&)>& visit) {
  if (dim.is_static()) return;
  const DimNode& node = *dim.node();
  if (const auto* sum = node.as_sum()) {
    for (const DimTerm& term : sum->terms) {
      for (const auto& factor : term.factors) for_each_dim_atom(Dim(factor), visit);
    }
  } else if (const auto* apply = node.as_apply()) {
    for (const Dim& operand : apply->operands) for_each_dim_atom(operand, visit);
  } else {
    visit(node);
  }
}

Dim dim_product(const Shape& shape) {
  Dim product = 1;
  for (const Dim& extent : shape) product = product * extent;
  return product;
}

std::size_t hash_shape(const Shape& shape) noexcept { return hash_range(shape.size(), shape); }

}  // namespace tilefoundry
