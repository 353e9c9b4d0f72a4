// The rank of a tensor: `tf.rank`.
#pragma once

#include "tilefoundry/ir/op.h"

namespace tilefoundry {

// tf.shape: rank(x), an i64 scalar in umat.
struct Rank : OpFields<Rank> {
  static const OpClass& op_class();
};

void register_rank();

}  // namespace tilefoundry
