// Softmax: `tf.softmax` and the tile op `T.softmax`.
#pragma once

#include "tilefoundry/ir/op.h"

namespace tilefoundry {

// tf.nn: softmax(x, axis=) = exp(x - max) / sum(exp(x - max)) over an axis, in f32, rounded once.
// A row with a nan or an inf, or of -inf alone, is all nan.
struct SoftMax : OpFields<SoftMax> {
  std::int64_t axis = 0;
  static const OpClass& op_class();
};

// T.nn, effect: softmax(src, dst, axis=).
struct TileSoftMax : OpFields<TileSoftMax> {
  std::int64_t axis = 0;
  static const OpClass& op_class();
};

void register_soft_max();

}  // namespace tilefoundry
