#include "tilefoundry/passes/loop_bounds.h"

#include <algorithm>

#include "tilefoundry/dims/dim_arithmetic.h"

namespace tilefoundry {

LoopBound loop_bound(const VarRef& var, const Dim& start, const Dim& extent, const Dim& step) {
  const Dim length = extent - start;
  Dim last = extent - 1;
  if (length.is_static() && step.is_static()) {
    last = start + floordiv(length - 1, step) * step;
  } else if (mod(length, step).is(0)) {
    last = extent - step;
  }
  return {var, start, last};
}

namespace {

bool is_atom(const DimNode& node, const Var& var) {
  return node.as_atom() == static_cast<const DimAtom*>(&var);
}

bool reads(const Dim& dim, const Var& var) {
  bool found = false;
  for_each_scalar_of(dim, [&](const Var& each) { found = found || &each == &var; });
  return found;
}

bool reads_loops(const Dim& dim, const LoopBounds& loops) {
  return std::any_of(loops.begin(), loops.end(),
                     [&](const LoopBound& loop) { return reads(dim, *loop.var); });
}

Dim of_term(const DimTerm& term) {
  Dim product = term.coefficient;
  for (const Ref<const DimNode>& factor : term.factors) product = product * Dim(factor);
  return product;
}

// Dimensions that are at most `dim` (or at least, for `up`), with fewer variables of loops in them:
// a variable that stands alone gives way to an end of its range, and `min` and `max` to an operand.
class Relaxation {
 public:
  Relaxation(const LoopBounds& loops, bool up) : loops_(loops), up_(up) {}

  // Whether `accept` takes any of them.
  template <class Accept>
  bool any(const Dim& dim, const Accept& accept, int depth = 0) {
    if (accept(dim)) return true;
    if (depth == kDeepest || --budget_ < 0) return false;
    const DimSum sum = dim_as_sum(dim);
    for (const DimTerm& term : sum.terms) {
      if (term.factors.size() != 1) continue;
      const DimApply* apply = term.factors[0]->as_apply();
      const bool grows = (term.coefficient > 0) == up_;
      // min(a, b) is at most a; max(a, b) is at least a.
      if (apply == nullptr || apply->op != (grows ? DimOp::min : DimOp::max)) continue;
      for (const Dim& operand : apply->operands) {
        const Dim next = dim - of_term(term) + operand * Dim(term.coefficient);
        if (any(next, accept, depth + 1)) return true;
      }
    }
    for (auto loop = loops_.rbegin(); loop != loops_.rend(); ++loop) {
      for (const DimTerm& term : sum.terms) {
        if (term.factors.size() != 1 || !is_atom(*term.factors[0], *loop->var)) continue;
        const Dim& end = (term.coefficient > 0) == up_ ? loop->hi : loop->lo;
        return any(dim - of_term(term) + end * Dim(term.coefficient), accept, depth + 1);
      }
    }
    return false;
  }

 private:
  static constexpr int kDeepest = 12;
  const LoopBounds& loops_;
  bool up_;
  int budget_ = 64;
};

// The interval of a dimension whose variables of loops range over static ends.
DimBounds bounds_in_loops(const Dim& dim, const LoopBounds& loops) {
  Dim value = dim;
  for (auto loop = loops.rbegin(); loop != loops.rend(); ++loop) {
    if (!reads(value, *loop->var)) continue;
    const LoopBounds outer(loops.begin(), loop.base() - 1);
    const DimBounds lo = bounds_in_loops(loop->lo, outer);
    const DimBounds hi = bounds_in_loops(loop->hi, outer);
    if (!lo.lo || !hi.hi || *hi.hi == INT64_MAX) return {};
    const Dim range = dim_var("%" + loop->var->name(), *lo.lo, std::max(*hi.hi, *lo.lo) + 1);
    value = substitute(value, [&](const Ref<const DimNode>& node) {
      return is_atom(*node, *loop->var) ? range : Dim(node);
    });
  }
  return dim_bounds(value);
}

}  // namespace

bool surely_nonnegative(const Dim& dim, const LoopBounds& loops) {
  return Relaxation(loops, false).any(dim, [&](const Dim& least) {
    const DimBounds bounds = bounds_in_loops(least, loops);
    return bounds.lo && *bounds.lo >= 0;
  });
}

std::optional<Dim> greatest(const Dim& dim, const LoopBounds& loops) {
  std::optional<Dim> best;
  Relaxation(loops, true).any(dim, [&](const Dim& found) {
    Dim candidate = found;
    if (reads_loops(found, loops)) {
      const DimBounds bounds = bounds_in_loops(found, loops);
      if (!bounds.hi) return false;
      candidate = *bounds.hi;
    }
    const bool smaller = !best || (candidate.is_static() &&
                                   (!best->is_static() || candidate.value() < best->value()));
    if (smaller) best = candidate;
    return false;
  });
  return best;
}

}  // namespace tilefoundry
