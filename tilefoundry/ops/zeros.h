// A tensor of zeros: `tf.zeros`.
#pragma once

#include "tilefoundry/ir/op.h"

namespace tilefoundry {

// tf.tensor: zeros(type=Tensor[...]); the result has exactly that type.
struct Zeros : OpFields<Zeros> {
  TypeRef type;
  static const OpClass& op_class();
};

void register_zeros();

}  // namespace tilefoundry
