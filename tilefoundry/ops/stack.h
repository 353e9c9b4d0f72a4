// Tensors along a new axis: `tf.stack`.
#pragma once

#include "tilefoundry/ir/op.h"

namespace tilefoundry {

// tf.shape: stack(*xs, axis=). The axis is one of the result.
struct Stack : OpFields<Stack> {
  std::int64_t axis = 0;
  static const OpClass& op_class();
};

void register_stack();

}  // namespace tilefoundry
