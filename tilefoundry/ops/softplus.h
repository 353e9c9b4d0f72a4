// `tf.softplus`.
#pragma once

#include "tilefoundry/ir/op.h"

namespace tilefoundry {

// tf.nn: softplus(x) = log(1 + exp(x)) without overflow, in f32, rounded once.
struct Softplus : OpFields<Softplus> {
  static const OpClass& op_class();
};

void register_softplus();

}  // namespace tilefoundry
