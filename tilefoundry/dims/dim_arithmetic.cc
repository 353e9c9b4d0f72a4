#include "tilefoundry/dims/dim_arithmetic.h"

#include <algorithm>
#include <limits>
#include <tuple>
#include <utility>

#include <fmt/format.h>

#include "tilefoundry/support/diagnostic.h"

namespace tilefoundry {
namespace {

[[noreturn]] void overflow(const char* what, std::int64_t a, std::int64_t b) {
  throw ValueError(Diagnostic{
      .code = "TF3001",
      .message = fmt::format("dimension arithmetic overflows int64: {} {} {}", a, what, b),
      .hint = "extents and element counts must stay below 2**63"});
}

int compare_nodes(const DimNode& a, const DimNode& b);

int compare_factors(const std::vector<Ref<const DimNode>>& a,
                    const std::vector<Ref<const DimNode>>& b) {
  for (std::size_t i = 0; i < std::min(a.size(), b.size()); ++i) {
    const int order = compare_nodes(*a[i], *b[i]);
    if (order != 0) return order;
  }
  // Higher degrees first, so that `S * T` stands before `S`.
  return static_cast<int>(b.size()) - static_cast<int>(a.size());
}

template <class T>
int three_way(const T& a, const T& b) {
  return a < b ? -1 : (b < a ? 1 : 0);
}

int compare_sums(const DimSum& a, const DimSum& b) {
  for (std::size_t i = 0; i < std::min(a.terms.size(), b.terms.size()); ++i) {
    int order = compare_factors(a.terms[i].factors, b.terms[i].factors);
    if (order == 0) order = three_way(a.terms[i].coefficient, b.terms[i].coefficient);
    if (order != 0) return order;
  }
  const int order = three_way(a.terms.size(), b.terms.size());
  return order != 0 ? order : three_way(a.constant, b.constant);
}

int compare_nodes(const DimNode& a, const DimNode& b) {
  if (&a == &b) return 0;
  const int kind = three_way(a.payload().index(), b.payload().index());
  if (kind != 0) return kind;
  if (const auto* x = a.as_var()) {
    const auto* y = b.as_var();
    return three_way(std::tie(x->name, x->lo, x->hi), std::tie(y->name, y->lo, y->hi));
  }
  if (const auto* x = a.as_atom()) return three_way(x->dim_serial(), b.as_atom()->dim_serial());
  if (const auto* x = a.as_sum()) return compare_sums(*x, *b.as_sum());
  const DimApply& x = *a.as_apply();
  const DimApply& y = *b.as_apply();
  if (x.op != y.op) return three_way(x.op, y.op);
  for (std::size_t i = 0; i < std::min(x.operands.size(), y.operands.size()); ++i) {
    const int order = dim_compare(x.operands[i], y.operands[i]);
    if (order != 0) return order;
  }
  return three_way(x.operands.size(), y.operands.size());
}

bool factors_before(const DimTerm& a, const DimTerm& b) {
  return compare_factors(a.factors, b.factors) < 0;
}

// Sorts and merges terms, dropping zeros.
DimSum canonical(DimSum sum) {
  std::stable_sort(sum.terms.begin(), sum.terms.end(), factors_before);
  std::vector<DimTerm> merged;
  for (DimTerm& term : sum.terms) {
    if (!merged.empty() && merged.back().factors == term.factors) {
      merged.back().coefficient = checked_add(merged.back().coefficient, term.coefficient);
    } else {
      merged.push_back(std::move(term));
    }
  }
  std::erase_if(merged, [](const DimTerm& term) { return term.coefficient == 0; });
  return {std::move(merged), sum.constant};
}

// The quotient when every term of `sum` is a multiple of `divisor`, which is a single term.
std::optional<DimSum> exact_quotient(const DimSum& sum, const DimTerm& divisor) {
  if (sum.constant != 0) return std::nullopt;
  DimSum quotient{{}, 0};
  for (const DimTerm& term : sum.terms) {
    if (term.coefficient % divisor.coefficient != 0) return std::nullopt;
    std::vector<Ref<const DimNode>> rest = term.factors;
    for (const auto& factor : divisor.factors) {
      const auto it = std::find(rest.begin(), rest.end(), factor);
      if (it == rest.end()) return std::nullopt;
      rest.erase(it);
    }
    const std::int64_t coefficient = term.coefficient / divisor.coefficient;
    if (rest.empty()) {
      quotient.constant = checked_add(quotient.constant, coefficient);
    } else {
      quotient.terms.push_back({coefficient, std::move(rest)});
    }
  }
  return canonical(std::move(quotient));
}

Dim make_apply(DimOp op, std::vector<Dim> operands) {
  return Dim(DimNode::intern(new DimNode(DimApply{op, std::move(operands)})));
}

void refuse_zero(const Dim& a, const Dim& b, const char* what) {
  if (!b.is(0)) return;
  throw ValueError(Diagnostic{.code = "TF3002",
                              .message = fmt::format("{} {} 0 divides by zero", a.text(), what)});
}

// floor((q * d + r) / d) = q + floor(r / d), split term by term for a static d.
Dim floordiv_by_constant(const DimSum& sum, std::int64_t divisor) {
  DimSum quotient{{}, python_floordiv(sum.constant, divisor)};
  DimSum rest{{}, python_mod(sum.constant, divisor)};
  for (const DimTerm& term : sum.terms) {
    const std::int64_t whole = python_floordiv(term.coefficient, divisor);
    const std::int64_t part = python_mod(term.coefficient, divisor);
    if (whole != 0) quotient.terms.push_back({whole, term.factors});
    if (part != 0) rest.terms.push_back({part, term.factors});
  }
  const Dim whole = dim_from_sum(canonical(std::move(quotient)));
  if (rest.terms.empty()) return whole;
  return whole +
         make_apply(DimOp::floordiv, {dim_from_sum(canonical(std::move(rest))), Dim(divisor)});
}

Dim extremum(DimOp op, const std::vector<Dim>& operands) {
  std::vector<Dim> flat;
  for (const Dim& operand : operands) {
    const DimApply* nested = operand.node() ? operand.node()->as_apply() : nullptr;
    if (nested != nullptr && nested->op == op) {
      flat.insert(flat.end(), nested->operands.begin(), nested->operands.end());
    } else {
      flat.push_back(operand);
    }
  }
  // Of two operands that differ by a constant one always wins.
  std::vector<Dim> kept;
  for (const Dim& operand : flat) {
    bool dominated = false;
    for (Dim& other : kept) {
      const Dim difference = operand - other;
      if (!difference.is_static()) continue;
      const bool wins = op == DimOp::min ? difference.value() < 0 : difference.value() > 0;
      if (wins) other = operand;
      dominated = true;
      break;
    }
    if (!dominated) kept.push_back(operand);
  }
  if (kept.size() == 1) return kept.front();
  std::sort(kept.begin(), kept.end(),
            [](const Dim& a, const Dim& b) { return dim_compare(a, b) < 0; });
  kept.erase(std::unique(kept.begin(), kept.end()), kept.end());
  return make_apply(op, std::move(kept));
}

}  // namespace

std::int64_t checked_add(std::int64_t a, std::int64_t b) {
  std::int64_t result = 0;
  if (__builtin_add_overflow(a, b, &result)) overflow("+", a, b);
  return result;
}

std::int64_t checked_mul(std::int64_t a, std::int64_t b) {
  std::int64_t result = 0;
  if (__builtin_mul_overflow(a, b, &result)) overflow("*", a, b);
  return result;
}

std::int64_t python_floordiv(std::int64_t a, std::int64_t b) {
  if (b == -1) return checked_mul(a, -1);
  const std::int64_t quotient = a / b;
  return (a % b != 0 && (a % b < 0) != (b < 0)) ? quotient - 1 : quotient;
}

std::int64_t python_mod(std::int64_t a, std::int64_t b) {
  if (b == -1) return 0;
  const std::int64_t rest = a % b;
  return (rest != 0 && (rest < 0) != (b < 0)) ? rest + b : rest;
}

DimSum dim_as_sum(const Dim& dim) {
  if (dim.is_static()) return {{}, dim.value()};
  if (const auto* sum = dim.node()->as_sum()) return *sum;
  return {{{1, {dim.node()}}}, 0};
}

Dim dim_from_sum(DimSum sum) {
  if (sum.terms.empty()) return sum.constant;
  const DimTerm& first = sum.terms.front();
  if (sum.terms.size() == 1 && sum.constant == 0 && first.coefficient == 1 &&
      first.factors.size() == 1) {
    return Dim(first.factors.front());
  }
  return Dim(DimNode::intern(new DimNode(std::move(sum))));
}

int dim_compare(const Dim& a, const Dim& b) {
  if (a == b) return 0;
  if (a.is_static() || b.is_static()) {
    if (a.is_static() && b.is_static()) return three_way(a.value(), b.value());
    return a.is_static() ? 1 : -1;
  }
  return compare_nodes(*a.node(), *b.node());
}

Dim operator+(const Dim& a, const Dim& b) {
  if (a.is_static() && b.is_static()) return checked_add(a.value(), b.value());
  if (b.is(0)) return a;
  if (a.is(0)) return b;
  DimSum sum = dim_as_sum(a);
  DimSum other = dim_as_sum(b);
  sum.constant = checked_add(sum.constant, other.constant);
  sum.terms.insert(sum.terms.end(), other.terms.begin(), other.terms.end());
  return dim_from_sum(canonical(std::move(sum)));
}

Dim operator-(const Dim& a, const Dim& b) { return a + b * Dim(-1); }

Dim operator*(const Dim& a, const Dim& b) {
  if (a.is_static() && b.is_static()) return checked_mul(a.value(), b.value());
  if (b.is(1)) return a;
  if (a.is(1)) return b;
  const DimSum x = dim_as_sum(a);
  const DimSum y = dim_as_sum(b);
  DimSum product{{}, checked_mul(x.constant, y.constant)};
  const auto scale = [&](const DimSum& terms, std::int64_t by) {
    if (by == 0) return;
    for (const DimTerm& term : terms.terms) {
      product.terms.push_back({checked_mul(term.coefficient, by), term.factors});
    }
  };
  scale(x, y.constant);
  scale(y, x.constant);
  for (const DimTerm& s : x.terms) {
    for (const DimTerm& t : y.terms) {
      DimTerm term{checked_mul(s.coefficient, t.coefficient), s.factors};
      term.factors.insert(term.factors.end(), t.factors.begin(), t.factors.end());
      std::sort(term.factors.begin(), term.factors.end(),
                [](const auto& f, const auto& g) { return compare_nodes(*f, *g) < 0; });
      product.terms.push_back(std::move(term));
    }
  }
  return dim_from_sum(canonical(std::move(product)));
}

Dim floordiv(const Dim& a, const Dim& b) {
  refuse_zero(a, b, "//");
  if (a.is_static() && b.is_static()) return python_floordiv(a.value(), b.value());
  if (a.is(0) || b.is(1)) return a;
  if (b.is_static()) return floordiv_by_constant(dim_as_sum(a), b.value());
  const DimSum divisor = dim_as_sum(b);
  if (divisor.constant == 0 && divisor.terms.size() == 1) {
    if (auto quotient = exact_quotient(dim_as_sum(a), divisor.terms.front())) {
      return dim_from_sum(std::move(*quotient));
    }
  }
  return a == b ? Dim(1) : make_apply(DimOp::floordiv, {a, b});
}

Dim mod(const Dim& a, const Dim& b) {
  refuse_zero(a, b, "%");
  if (a.is_static() && b.is_static()) return python_mod(a.value(), b.value());
  if (b.is_static()) {
    DimSum rest = dim_as_sum(a);
    rest.constant = python_mod(rest.constant, b.value());
    for (DimTerm& term : rest.terms) term.coefficient = python_mod(term.coefficient, b.value());
    const Dim reduced = dim_from_sum(canonical(std::move(rest)));
    if (reduced.is_static()) return python_mod(reduced.value(), b.value());
    return make_apply(DimOp::mod, {reduced, b});
  }
  const DimSum divisor = dim_as_sum(b);
  const bool single = divisor.constant == 0 && divisor.terms.size() == 1;
  if (a == b || (single && exact_quotient(dim_as_sum(a), divisor.terms.front()))) return 0;
  return make_apply(DimOp::mod, {a, b});
}

Dim dim_min(const Dim& a, const Dim& b) { return extremum(DimOp::min, {a, b}); }
Dim dim_max(const Dim& a, const Dim& b) { return extremum(DimOp::max, {a, b}); }

Dim ceildiv(const Dim& a, const Dim& b) { return floordiv(a + b - 1, b); }

Dim dim_apply(DimOp op, const std::vector<Dim>& operands) {
  switch (op) {
    case DimOp::floordiv: return floordiv(operands[0], operands[1]);
    case DimOp::mod: return mod(operands[0], operands[1]);
    case DimOp::min:
    case DimOp::max: return extremum(op, operands);
  }
  internal_error(__FILE__, __LINE__, "unknown dimension operation");
}

}  // namespace tilefoundry
