// Printing of dimensions as language text.
#include <functional>
#include <utility>

#include <fmt/format.h>

#include "tilefoundry/dims/dim.h"
#include "tilefoundry/dims/dim_arithmetic.h"
#include "tilefoundry/support/diagnostic.h"

namespace tilefoundry {
namespace {

// Names the atoms; empty: their own names.
using AtomName = std::function<std::string(const DimNode&)>;

enum class Precedence { sum, product, primary };

struct Text {
  std::string text;
  Precedence precedence;
};

Text node_text(const DimNode& node, const AtomName& name);

Text dim_text(const Dim& dim, const AtomName& name) {
  if (dim.is_static()) return {std::to_string(dim.value()), Precedence::primary};
  return node_text(*dim.node(), name);
}

std::string wrapped(const Text& text, Precedence least) {
  return text.precedence < least ? "(" + text.text + ")" : text.text;
}

// The term without its sign.
std::string term_text(const DimTerm& term, const AtomName& name) {
  std::vector<std::string> parts;
  for (const auto& factor : term.factors) {
    // A quotient or remainder as a later factor would regroup: (a // b) * c needs its parentheses.
    const DimApply* apply = factor->as_apply();
    const bool quotient =
        apply != nullptr && (apply->op == DimOp::floordiv || apply->op == DimOp::mod);
    parts.push_back(
        wrapped(node_text(*factor, name), quotient ? Precedence::primary : Precedence::product));
  }
  const std::uint64_t magnitude = term.coefficient < 0
                                      ? 0 - static_cast<std::uint64_t>(term.coefficient)
                                      : static_cast<std::uint64_t>(term.coefficient);
  if (magnitude != 1) parts.push_back(std::to_string(magnitude));
  return fmt::format("{}", fmt::join(parts, " * "));
}

// Positive parts first: "S * 2 + 1", "4 - S".
Text sum_text(const DimSum& sum, const AtomName& name) {
  std::string out;
  const auto append = [&](const std::string& text, bool negative) {
    if (out.empty()) {
      out = negative ? "-" + text : text;
    } else {
      out += (negative ? " - " : " + ") + text;
    }
  };
  for (const DimTerm& term : sum.terms) {
    if (term.coefficient > 0) append(term_text(term, name), false);
  }
  if (sum.constant > 0) append(std::to_string(sum.constant), false);
  for (const DimTerm& term : sum.terms) {
    if (term.coefficient < 0) append(term_text(term, name), true);
  }
  if (sum.constant < 0) append(std::to_string(sum.constant).substr(1), true);
  const bool product =
      sum.terms.size() == 1 && sum.constant == 0 && sum.terms.front().coefficient > 0;
  return {out, product ? Precedence::product : Precedence::sum};
}

// (x + d - 1) // d is written ceildiv(x, d).
std::optional<Dim> ceildiv_numerator(const DimApply& apply) {
  const Dim& divisor = apply.operands[1];
  if (divisor.is(1)) return std::nullopt;
  const Dim numerator = apply.operands[0] - (divisor - 1);
  const DimSum whole = dim_as_sum(apply.operands[0]);
  const DimSum rest = dim_as_sum(numerator);
  if (divisor.is_static()) {
    return divisor.value() > 0 && rest.constant == 0 ? std::optional(numerator) : std::nullopt;
  }
  const bool simpler = rest.terms.size() < whole.terms.size() && rest.constant == 0;
  return simpler && !rest.terms.empty() ? std::optional(numerator) : std::nullopt;
}

Text apply_text(const DimApply& apply, const AtomName& name) {
  if (apply.op == DimOp::min || apply.op == DimOp::max) {
    std::vector<std::string> parts;
    for (const Dim& operand : apply.operands) parts.push_back(dim_text(operand, name).text);
    return {fmt::format("{}({})", apply.op == DimOp::min ? "min" : "max", fmt::join(parts, ", ")),
            Precedence::primary};
  }
  const Text right = dim_text(apply.operands[1], name);
  if (apply.op == DimOp::floordiv) {
    if (const auto numerator = ceildiv_numerator(apply)) {
      return {fmt::format("ceildiv({}, {})", dim_text(*numerator, name).text, right.text),
              Precedence::primary};
    }
  }
  const Text left = dim_text(apply.operands[0], name);
  return {
      fmt::format("{} {} {}", wrapped(left, Precedence::product),
                  apply.op == DimOp::floordiv ? "//" : "%", wrapped(right, Precedence::primary)),
      Precedence::product};
}

Text node_text(const DimNode& node, const AtomName& name) {
  if (name && (node.as_var() != nullptr || node.as_atom() != nullptr)) {
    return {name(node), Precedence::primary};
  }
  if (const auto* var = node.as_var()) return {var->name, Precedence::primary};
  if (const auto* atom = node.as_atom()) return {atom->dim_name(), Precedence::primary};
  if (const auto* sum = node.as_sum()) return sum_text(*sum, name);
  return apply_text(*node.as_apply(), name);
}

}  // namespace

std::string Dim::text() const { return dim_text(*this, {}).text; }

std::string Dim::text(const AtomName& atom_name) const { return dim_text(*this, atom_name).text; }

std::string shape_text(const Shape& shape) {
  std::vector<std::string> parts;
  for (const Dim& extent : shape) parts.push_back(extent.text());
  if (parts.size() == 1) return fmt::format("({},)", parts.front());
  return fmt::format("({})", fmt::join(parts, ", "));
}

}  // namespace tilefoundry
