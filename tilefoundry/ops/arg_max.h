// The place of the largest element: `tf.argmax`.
#pragma once

#include "tilefoundry/ir/op.h"

namespace tilefoundry {

// tf.math: argmax(x, axis=-1), i64: the first of equals; the first nan where there is one. The axis
// goes.
struct ArgMax : OpFields<ArgMax> {
  std::int64_t axis = -1;
  static const OpClass& op_class();
};

void register_arg_max();

}  // namespace tilefoundry
