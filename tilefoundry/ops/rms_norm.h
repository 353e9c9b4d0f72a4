// Root-mean-square normalization: `tf.rms_norm` and the tile op `T.rms_norm`.
#pragma once

#include "tilefoundry/ir/op.h"

namespace tilefoundry {

// tf.nn: rms_norm(x, weight, eps=1e-6) = x * rsqrt(mean(x * x) + eps) * weight over the last axis,
// in f32, rounded once. weight has rank 1 and x's dtype or f32.
struct RMSNorm : OpFields<RMSNorm> {
  double eps = 1e-6;
  static const OpClass& op_class();
};

// T.nn, effect: rms_norm(src, dst, weight, eps=).
struct TileRMSNorm : OpFields<TileRMSNorm> {
  double eps = 1e-6;
  static const OpClass& op_class();
};

void register_rms_norm();

}  // namespace tilefoundry
