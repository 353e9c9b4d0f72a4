// The extents of a tensor: `tf.shape_of`.
#pragma once

#include "tilefoundry/ir/op.h"

namespace tilefoundry {

// tf.shape: shape_of(x), the run-time extents as an i64 vector in umat.
struct ShapeOf : OpFields<ShapeOf> {
  static const OpClass& op_class();
};

void register_shape_of();

}  // namespace tilefoundry
