// Gaussian error linear units: `tf.gelu`.
#pragma once

#include <array>
#include <string_view>

#include "tilefoundry/ir/op.h"

namespace tilefoundry {

enum class GeluForm { tanh, none };
template <>
struct EnumNames<GeluForm> {
  static constexpr std::array<std::string_view, 2> names = {"tanh", "none"};
};

// tf.nn: gelu(x, approximate="tanh"), in f32, rounded once.
//   "tanh"  x / 2 * (1 + tanh(sqrt(2 / pi) * (x + 0.044715 * x**3)))
//   "none"  x / 2 * (1 + erf(x / sqrt(2)))
struct Gelu : OpFields<Gelu> {
  GeluForm approximate = GeluForm::tanh;
  static const OpClass& op_class();
};

void register_gelu();

}  // namespace tilefoundry
