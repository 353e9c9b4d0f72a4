// tf.transpose: axes in another order.
#pragma once

#include "tilefoundry/ir/op.h"

namespace tilefoundry {

// tf.shape: transpose(x, perm=). Axis k of the result is axis perm[k] of x.
struct Transpose : OpFields<Transpose> {
  AttrInts perm;
  static const OpClass& op_class();
};

void register_transpose();

}  // namespace tilefoundry
