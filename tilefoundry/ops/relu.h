// `tf.relu` and the tile op `T.relu`.
#pragma once

#include "tilefoundry/ir/op.h"

namespace tilefoundry {

// tf.nn: relu(x) = max(x, 0); nan stays nan. Floats and integers.
struct ReLU : OpFields<ReLU> {
  static const OpClass& op_class();
};

// T.math, effect: relu(src, dst) = max(src, 0); nan stays nan.
struct TileReLU : OpFields<TileReLU> {
  static const OpClass& op_class();
};

void register_relu();

}  // namespace tilefoundry
