// x * sigmoid(x): `tf.silu`.
#pragma once

#include "tilefoundry/ir/op.h"

namespace tilefoundry {

// tf.math: silu(x), computed in f32 and rounded once to the dtype of x.
struct Silu : OpFields<Silu> {
  static const OpClass& op_class();
};

void register_silu();

}  // namespace tilefoundry
