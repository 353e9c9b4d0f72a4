// Interval bounds of dimensions. Unknown where an end cannot be derived or overflows.
#include <algorithm>
#include <array>

#include "tilefoundry/dims/dim.h"
#include "tilefoundry/dims/dim_arithmetic.h"
#include "tilefoundry/support/diagnostic.h"

namespace tilefoundry {
namespace {

using End = std::optional<std::int64_t>;

End add(const End& a, const End& b) {
  std::int64_t result = 0;
  if (!a || !b || __builtin_add_overflow(*a, *b, &result)) return std::nullopt;
  return result;
}

DimBounds add(const DimBounds& a, const DimBounds& b) { return {add(a.lo, b.lo), add(a.hi, b.hi)}; }

DimBounds multiply(const DimBounds& a, const DimBounds& b) {
  const auto is = [](const DimBounds& x, std::int64_t v) { return x.lo == v && x.hi == v; };
  if (is(a, 0) || is(b, 0)) return {0, 0};
  if (is(a, 1)) return b;
  if (is(b, 1)) return a;
  const auto nonnegative = [](const DimBounds& x) { return x.lo && *x.lo >= 0; };
  if (a.lo && a.hi && b.lo && b.hi) {
    std::array<std::int64_t, 4> products{};
    std::size_t n = 0;
    for (const std::int64_t x : {*a.lo, *a.hi}) {
      for (const std::int64_t y : {*b.lo, *b.hi}) {
        if (__builtin_mul_overflow(x, y, &products[n++])) return {};
      }
    }
    return {*std::min_element(products.begin(), products.end()),
            *std::max_element(products.begin(), products.end())};
  }
  if (nonnegative(a) && nonnegative(b)) {
    std::int64_t low = 0;
    if (__builtin_mul_overflow(*a.lo, *b.lo, &low)) return {};
    return {low, std::nullopt};
  }
  return {};
}

DimBounds sum_bounds(const DimSum& sum) {
  DimBounds total{sum.constant, sum.constant};
  for (const DimTerm& term : sum.terms) {
    DimBounds product{term.coefficient, term.coefficient};
    for (const auto& factor : term.factors) product = multiply(product, dim_bounds(Dim(factor)));
    total = add(total, product);
  }
  return total;
}

DimBounds floordiv_bounds(const DimBounds& a, const DimBounds& b) {
  if (!b.lo || *b.lo <= 0) return {};
  End lo;
  End hi;
  if (a.lo && (*a.lo >= 0 || b.hi)) {
    lo = *a.lo < 0 ? python_floordiv(*a.lo, *b.lo) : (b.hi ? python_floordiv(*a.lo, *b.hi) : 0);
  }
  if (a.hi && *a.hi >= 0) hi = python_floordiv(*a.hi, *b.lo);
  if (a.hi && *a.hi < 0) hi = b.hi ? python_floordiv(*a.hi, *b.hi) : -1;
  return {lo, hi};
}

DimBounds mod_bounds(const DimBounds& a, const DimBounds& b) {
  if (!b.lo || *b.lo <= 0) return {};
  End hi = b.hi ? End(*b.hi - 1) : std::nullopt;
  if (a.lo && *a.lo >= 0 && a.hi) {
    if (*a.hi < *b.lo) return a;
    hi = hi ? std::min(*hi, *a.hi) : *a.hi;
  }
  return {0, hi};
}

DimBounds extremum_bounds(const DimApply& apply) {
  const bool least = apply.op == DimOp::min;
  DimBounds result = dim_bounds(apply.operands.front());
  for (std::size_t i = 1; i < apply.operands.size(); ++i) {
    const DimBounds next = dim_bounds(apply.operands[i]);
    const auto both = [&](const End& a, const End& b) -> End {
      if (!a || !b) return std::nullopt;
      return least ? std::min(*a, *b) : std::max(*a, *b);
    };
    const auto either = [&](const End& a, const End& b) -> End {
      if (!a) return b;
      if (!b) return a;
      return least ? std::min(*a, *b) : std::max(*a, *b);
    };
    result = least ? DimBounds{both(result.lo, next.lo), either(result.hi, next.hi)}
                   : DimBounds{either(result.lo, next.lo), both(result.hi, next.hi)};
  }
  return result;
}

}  // namespace

DimBounds dim_bounds(const Dim& dim) {
  if (dim.is_static()) return {dim.value(), dim.value()};
  const DimNode& node = *dim.node();
  if (const auto* var = node.as_var()) return {var->lo, var->hi - 1};
  if (const auto* sum = node.as_sum()) return sum_bounds(*sum);
  if (const auto* apply = node.as_apply()) {
    switch (apply->op) {
      case DimOp::floordiv:
        return floordiv_bounds(dim_bounds(apply->operands[0]), dim_bounds(apply->operands[1]));
      case DimOp::mod:
        return mod_bounds(dim_bounds(apply->operands[0]), dim_bounds(apply->operands[1]));
      case DimOp::min:
      case DimOp::max: return extremum_bounds(*apply);
    }
  }
  return {};
}

}  // namespace tilefoundry
