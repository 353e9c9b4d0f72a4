// `tf.tanh`.
#pragma once

#include "tilefoundry/ir/op.h"

namespace tilefoundry {

// tf.nn: tanh(x) = the hyperbolic tangent of x, in f32, rounded once.
struct Tanh : OpFields<Tanh> {
  static const OpClass& op_class();
};

void register_tanh();

}  // namespace tilefoundry
