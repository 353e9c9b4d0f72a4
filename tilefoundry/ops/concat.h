// tf.concat: tensors one after the other along an axis.
#pragma once

#include "tilefoundry/ir/op.h"

namespace tilefoundry {

// tf.shape: concat(*xs, axis=). All other extents agree.
struct Concat : OpFields<Concat> {
  std::int64_t axis = 0;
  static const OpClass& op_class();
};

void register_concat();

}  // namespace tilefoundry
