// Limiting to a range: `tf.clamp` and the tile op `T.clamp`.
#pragma once

#include "tilefoundry/ir/op.h"

namespace tilefoundry {

// tf.math: clamp(x, min_val=, max_val=) = min(max(x, min_val), max_val), nan stays nan. The bounds
// are rounded to the dtype of x; for integers they are whole numbers or infinite.
struct Clamp : OpFields<Clamp> {
  double min_val = 0;
  double max_val = 0;
  static const OpClass& op_class();
};

// T.math, effect: clamp(src, dst, min_val=, max_val=).
struct TileClamp : OpFields<TileClamp> {
  double min_val = 0;
  double max_val = 0;
  static const OpClass& op_class();
};

void register_clamp();

}  // namespace tilefoundry
