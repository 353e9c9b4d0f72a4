// tf.reshape: the same elements in row-major order under another shape.
#pragma once

#include "tilefoundry/ir/op.h"

namespace tilefoundry {

// tf.shape: reshape(x, new_shape=). One extent may be -1: it is inferred.
struct Reshape : OpFields<Reshape> {
  Shape new_shape;
  static const OpClass& op_class();
};

void register_reshape();

}  // namespace tilefoundry
