// tf.split: equal parts along an axis.
#pragma once

#include "tilefoundry/ir/op.h"

namespace tilefoundry {

// tf.shape: split(x, axis=, num_splits=). A tuple of `num_splits` parts.
struct Split : OpFields<Split> {
  std::int64_t axis = 0;
  std::int64_t num_splits = 1;
  static const OpClass& op_class();
};

void register_split();

}  // namespace tilefoundry
