// Conversion between dtypes: `tf.cast` and the tile op `T.cast`.
#pragma once

#include "tilefoundry/ir/op.h"

namespace tilefoundry {

// tf.math: cast(x, dtype=). Float to integer truncates and saturates, nan gives 0; integers wrap;
// to bool is `!= 0`; floats round to nearest, ties to even.
struct Cast : OpFields<Cast> {
  DType dtype;
  static const OpClass& op_class();
};

// T.math, effect: cast(src, dst), to the dtype of dst.
struct TileCast : OpFields<TileCast> {
  static const OpClass& op_class();
};

void register_cast();

}  // namespace tilefoundry
