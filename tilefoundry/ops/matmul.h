// Matrix product: `tf.matmul`, `@`, and the tile op `T.matmul`.
#pragma once

#include "tilefoundry/ir/op.h"

namespace tilefoundry {

// tf.math: matmul(lhs, rhs): (..., M, K) x (..., K, N), batch axes broadcast right-aligned. One
// dtype; 16-bit floats accumulate in f32 and round once, integers wrap.
struct MatMul : OpFields<MatMul> {
  static const OpClass& op_class();
};

// T.math, effect: matmul(lhs, rhs, dst, accumulate=False): dst = lhs @ rhs, or dst += lhs @ rhs.
// dst has the operands' dtype, or f32 for 16-bit operands.
struct TileMatMul : OpFields<TileMatMul> {
  bool accumulate = false;
  static const OpClass& op_class();
};

void register_matmul();

}  // namespace tilefoundry
