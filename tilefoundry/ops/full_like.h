// A tensor of one value: `tf.full_like`.
#pragma once

#include "tilefoundry/ir/op.h"

namespace tilefoundry {

// tf.tensor: full_like(x, value=), of the type of x, whose elements are not read. The value is
// rounded to the dtype; for integers it is a whole number in range, for bool 0 or 1.
struct FullLike : OpFields<FullLike> {
  double value = 0;
  static const OpClass& op_class();
};

void register_full_like();

}  // namespace tilefoundry
