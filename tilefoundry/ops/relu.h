// The tile op `T.relu`.
#pragma once

#include "tilefoundry/ir/op.h"

namespace tilefoundry {

// T.math, effect: relu(src, dst) = max(src, 0); nan stays nan.
struct TileReLU : OpFields<TileReLU> {
  static const OpClass& op_class();
};

void register_relu();

}  // namespace tilefoundry
