// Dimensions as C expressions.
#include <fmt/format.h>

#include <algorithm>

#include "tilefoundry/codegen/cpu/context.h"
#include "tilefoundry/dims/dim_arithmetic.h"
#include "tilefoundry/support/diagnostic.h"

namespace tilefoundry {

bool CpuCodegenContext::nonnegative(const Dim& dim) const {
  const auto atom_ok = [this](const DimNode& node) {
    if (const DimVar* var = node.as_var()) return var->lo >= 0;
    if (const DimAtom* atom = node.as_atom()) {
      const auto* var = dynamic_cast<const Var*>(atom);
      return var != nullptr && nonnegative_vars.count(var) != 0;
    }
    const DimApply* apply = node.as_apply();
    if (apply == nullptr) return false;
    const auto ok = [this](const Dim& operand) { return nonnegative(operand); };
    switch (apply->op) {
      case DimOp::floordiv:
        return ok(apply->operands[0]) && apply->operands[1].is_static() &&
               apply->operands[1].value() > 0;
      case DimOp::mod: return apply->operands[1].is_static() && apply->operands[1].value() > 0;
      case DimOp::min: return std::all_of(apply->operands.begin(), apply->operands.end(), ok);
      case DimOp::max: return std::any_of(apply->operands.begin(), apply->operands.end(), ok);
    }
    return false;
  };
  const DimSum sum = dim_as_sum(dim);
  if (sum.constant < 0) return false;
  for (const DimTerm& term : sum.terms) {
    if (term.coefficient < 0) return false;
    for (const Ref<const DimNode>& factor : term.factors) {
      if (!atom_ok(*factor)) return false;
    }
  }
  return true;
}

std::string CpuCodegenContext::atom_text(const DimNode& node) {
  if (const DimVar* dim = node.as_var()) {
    const auto it = dim_names.find(dim->name);
    if (it == dim_names.end()) {
      throw CodegenError(Diagnostic{
          .code = "TF5106",
          .message = fmt::format("the dimension {} is used, but no parameter of {} has it as an "
                                 "extent",
                                 dim->name, function_name),
          .hint = "a dimension gets its value from an axis whose extent is its bare name"});
    }
    return use(it->second);
  }
  const auto* var = dynamic_cast<const Var*>(node.as_atom());
  TF_CHECK(var != nullptr, "a dimension over an unknown atom");
  const TensorType* type = as_tensor(var->type());
  std::string text = var_text(*var);
  if (type != nullptr && type->dtype() == DType::i32) text = "(tf_i64)" + text;
  return text;
}

std::string CpuCodegenContext::factor_text(const Ref<const DimNode>& node) {
  const DimApply* apply = node->as_apply();
  if (apply == nullptr) return atom_text(*node);
  const auto text = [this](const Dim& dim) { return dim_text(dim); };
  if (apply->op == DimOp::floordiv || apply->op == DimOp::mod) {
    const bool division = apply->op == DimOp::floordiv;
    const Dim& a = apply->operands[0];
    const Dim& b = apply->operands[1];
    if (nonnegative(a) && b.is_static() && b.value() > 0) {
      return fmt::format("(({}) {} {})", text(a), division ? '/' : '%', b.value());
    }
    const char* function = division ? "tf_floordiv_i64" : "tf_mod_i64";
    need(function);
    return fmt::format("{}({}, {})", function, text(a), text(b));
  }
  const char* function = apply->op == DimOp::min ? "tf_min_i64" : "tf_max_i64";
  need(function);
  std::string out = text(apply->operands[0]);
  for (std::size_t i = 1; i < apply->operands.size(); ++i) {
    out = fmt::format("{}({}, {})", function, out, text(apply->operands[i]));
  }
  return out;
}

// Sums come without parentheses around them.
std::string CpuCodegenContext::dim_text(const Dim& dim) {
  if (dim.is_static()) return fmt::format("{}", dim.value());
  const DimSum sum = dim_as_sum(dim);
  std::string out;
  // Positive terms first, so that differences read well.
  for (const bool positive : {true, false}) {
    for (const DimTerm& term : sum.terms) {
      if ((term.coefficient > 0) != positive) continue;
      std::string product;
      for (const Ref<const DimNode>& factor : term.factors) {
        product += (product.empty() ? "" : " * ") + factor_text(factor);
      }
      const std::uint64_t size = positive ? static_cast<std::uint64_t>(term.coefficient)
                                          : 0 - static_cast<std::uint64_t>(term.coefficient);
      if (size != 1) product += fmt::format(" * {}", size);
      if (out.empty()) {
        out = positive ? product : "-" + product;
      } else {
        out += (positive ? " + " : " - ") + product;
      }
    }
  }
  if (sum.constant != 0) {
    out += sum.constant > 0 ? fmt::format(" + {}", sum.constant)
                            : fmt::format(" - {}", 0 - static_cast<std::uint64_t>(sum.constant));
  }
  return out;
}

std::string CpuCodegenContext::shape_of_text(const ShapeOfExpr& expr) {
  const auto it = shape_names.find({&expr.var(), expr.axis()});
  if (it != shape_names.end()) return use(it->second);
  return fmt::format("((tf_i32)({}))", dim_text(expr.extent()));
}

}  // namespace tilefoundry
