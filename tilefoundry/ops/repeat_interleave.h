// Every element of an axis repeated: `tf.repeat_interleave`.
#pragma once

#include "tilefoundry/ir/op.h"

namespace tilefoundry {

// tf.shape: repeat_interleave(x, repeats=, axis=). Element k of the result along the axis is
// element k // repeats of x.
struct RepeatInterleave : OpFields<RepeatInterleave> {
  std::int64_t repeats = 1;
  std::int64_t axis = 0;
  static const OpClass& op_class();
};

void register_repeat_interleave();

}  // namespace tilefoundry
