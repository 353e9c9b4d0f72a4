#include "tilefoundry/text/scalar_text.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <cstdio>
#include <cstdlib>

#include <fmt/format.h>

#include "tilefoundry/support/text.h"
#include "tilefoundry/types/element.h"

namespace tilefoundry {
namespace {

// The fewest digits whose nearest float64, rounded to the dtype, is `value`.
std::string short_float_text(DType dtype, double value) {
  if (!std::isfinite(value)) return float_expression(value);
  for (int digits = 1; digits <= 9; ++digits) {
    std::array<char, 40> buffer{};
    std::snprintf(buffer.data(), buffer.size(), "%.*g", digits, value);
    const double read = std::strtod(buffer.data(), nullptr);
    if (static_cast<double>(round_to(dtype, read)) == value) return float_text(read);
  }
  return float_text(value);
}

}  // namespace

std::string number_text(const Constant& constant) {
  const TensorType& type = constant.tensor_type();
  const DType dtype = type.dtype();
  if (type.rank() != 0 || !(dtype.is_float() || dtype.is_integer() || dtype.is_bool())) {
    refuse_print("TF3070",
                 fmt::format("a constant of type {} cannot be written in the language",
                             type_text(constant.type())),
                 constant.span(), "pass it as a parameter, or build it from zeros and scalars");
  }
  if (dtype.is_bool()) return constant.int_at(0) != 0 ? "True" : "False";
  if (dtype.is_integer()) return std::to_string(constant.int_at(0));
  return short_float_text(dtype, constant.float_at(0));
}

std::string explicit_constant_text(const Constant& constant, Script& script) {
  const TensorType& type = constant.tensor_type();
  std::string out = fmt::format("{}({}, {}", script.use("Constant"), number_text(constant),
                                python_string_literal(type.dtype().name()));
  if (type.storage() != StorageKind::umat) {
    out += ", " + python_string_literal(storage_name(type.storage()));
  }
  return out + ")";
}

OperandNumbers::OperandNumbers(const std::vector<ExprRef>& args) {
  const auto add = [&](const TypeRef& type) {
    const TensorType* tensor = as_tensor(type);
    if (tensor == nullptr) return false;
    const auto it = std::find(candidates_.begin(), candidates_.end(), tensor->dtype());
    if (it == candidates_.end()) candidates_.push_back(tensor->dtype());
    return it == candidates_.end();
  };
  std::vector<const Constant*> numbers;
  for (const ExprRef& arg : args) {
    if (const auto* constant = expr_cast<Constant>(arg)) {
      numbers.push_back(constant);
    } else {
      add(arg->type());
    }
  }
  // A constant in the explicit form is an operand beside which the others stand.
  for (bool changed = !numbers.empty(); changed;) {
    changed = false;
    for (const Constant* constant : numbers) {
      if (explicit_.contains(constant) || decided(*constant)) continue;
      explicit_.insert(constant);
      changed = true;
      add(constant->type());
    }
  }
}

bool OperandNumbers::decided(const Constant& constant) const {
  const TensorType& type = constant.tensor_type();
  if (type.storage() != StorageKind::umat || type.layout()) return false;
  std::vector<DType> candidates = candidates_;
  if (candidates.size() > 1 && !type.dtype().is_bool()) std::erase(candidates, DType::boolean);
  return candidates.size() == 1 && candidates.front() == type.dtype();
}

std::string OperandNumbers::text(const Constant& constant, Script& script) const {
  return explicit_.contains(&constant) ? explicit_constant_text(constant, script)
                                       : number_text(constant);
}

}  // namespace tilefoundry
