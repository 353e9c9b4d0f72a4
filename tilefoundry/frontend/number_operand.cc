// Python numbers as operands.

#include <algorithm>
#include <cmath>

#include <fmt/format.h>

#include "tilefoundry/frontend/op_binding.h"
#include "tilefoundry/types/element.h"

namespace tilefoundry {
namespace {

[[noreturn]] void refuse_number(const CallArg& number, DType dtype, std::string hint = "") {
  refuse("TF2068", number.span,
         fmt::format("{} is not exact in {}", describe(number.value), dtype.name()),
         std::move(hint));
}

bool fits(std::int64_t value, DType dtype) {
  if (dtype == DType::i64) return true;
  if (dtype == DType::i32) return value >= INT32_MIN && value <= INT32_MAX;
  if (!dtype.is_float()) return false;
  const double rounded = round_to(dtype, static_cast<double>(value));
  // Beyond 2^53 the conversion to double may have rounded already.
  return std::isfinite(rounded) && std::fabs(rounded) < 9223372036854775808.0 &&
         static_cast<std::int64_t>(rounded) == value;
}

}  // namespace

ExprRef constant_of_number(const CallArg& number, DType dtype) {
  const Metadata meta{"", number.span};
  if (const auto* flag = number.value.as<bool>()) {
    if (!dtype.is_bool()) refuse_number(number, dtype, "write 1 or 0");
    return Constant::scalar_int(dtype, *flag ? 1 : 0, meta);
  }
  if (const auto* integer = number.value.as<std::int64_t>()) {
    if (!fits(*integer, dtype)) {
      refuse_number(number, dtype, dtype.is_bool() ? "write True or False" : "");
    }
    if (dtype.is_float()) return Constant::scalar(dtype, static_cast<double>(*integer), meta);
    return Constant::scalar_int(dtype, *integer, meta);
  }
  const double value = *number.value.as<double>();
  if (!dtype.is_float()) {
    refuse_number(number, dtype, "write an int, or convert the operand to a float dtype first");
  }
  if (std::isfinite(value) && !std::isfinite(round_to(dtype, value))) {
    refuse_number(number, dtype, "the number is too large");
  }
  return Constant::scalar(dtype, value, meta);
}

DType partner_dtype(const CallArg& number, const std::vector<ExprRef>& operands) {
  std::vector<DType> candidates;
  for (const ExprRef& operand : operands) {
    const TensorType* type = operand ? as_tensor(operand->type()) : nullptr;
    if (type == nullptr) continue;
    if (std::find(candidates.begin(), candidates.end(), type->dtype()) == candidates.end()) {
      candidates.push_back(type->dtype());
    }
  }
  // A number that is no bool never means a bool operand.
  if (!number.value.is<bool>()) std::erase(candidates, DType::boolean);
  if (candidates.size() == 1) return candidates[0];
  if (candidates.empty()) {
    refuse("TF2069", number.span,
           fmt::format("nothing beside {} decides its dtype", describe(number.value)),
           "a compile-time number is an operand only beside a tensor of a dtype that can hold it");
  }
  refuse("TF2069", number.span,
         fmt::format("{} could be {} or {} here", describe(number.value), candidates[0].name(),
                     candidates[1].name()),
         "convert the operands to one dtype first");
}

ExprRef index_operand(const CallArg& arg) {
  if (std::optional<Dim> dim = as_dim_value(arg.value)) {
    return DimValue::make(std::move(*dim), {"", arg.span});
  }
  if (const auto* expr = arg.value.as<ExprRef>()) return *expr;
  refuse("TF2063", arg.span,
         fmt::format("an index is an int, a dimension or an integer scalar, not {}",
                     describe(arg.value)));
}

}  // namespace tilefoundry
