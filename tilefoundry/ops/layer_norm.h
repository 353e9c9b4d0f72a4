// Layer normalization: `tf.layer_norm` and the tile op `T.layer_norm`.
#pragma once

#include "tilefoundry/ir/op.h"

namespace tilefoundry {

// tf.nn: layer_norm(x, weight, bias, axis=, eps=) =
//   (x - mean) * rsqrt(variance + eps) * weight + bias
// over the axes of x from `axis` on, in f32, rounded once. weight and bias have the shape of those
// axes, and x's dtype or f32. The mean is held to more than f32, so a large one cancels rightly.
struct LayerNorm : OpFields<LayerNorm> {
  std::int64_t axis = 0;
  double eps = 0;
  static const OpClass& op_class();
};

// T.nn, effect: layer_norm(src, dst, weight, bias, axis=, eps=).
struct TileLayerNorm : OpFields<TileLayerNorm> {
  std::int64_t axis = 0;
  double eps = 0;
  static const OpClass& op_class();
};

void register_layer_norm();

}  // namespace tilefoundry
