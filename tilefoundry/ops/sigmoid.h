// `tf.sigmoid`.
#pragma once

#include "tilefoundry/ir/op.h"

namespace tilefoundry {

// tf.nn: sigmoid(x) = 1 / (1 + exp(-x)), in f32, rounded once.
struct Sigmoid : OpFields<Sigmoid> {
  static const OpClass& op_class();
};

void register_sigmoid();

}  // namespace tilefoundry
