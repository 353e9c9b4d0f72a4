// One matrix multiply-accumulate of a tile: `T.mma`.
#pragma once

#include "tilefoundry/ir/op.h"

namespace tilefoundry {

// T.math, effect: mma(acc, lhs, rhs): acc += lhs @ rhs on rank-2 tiles. lhs and rhs have one dtype
// of f16, bf16 and f32; acc is f32.
struct Mma : OpFields<Mma> {
  static const OpClass& op_class();
};

void register_mma();

}  // namespace tilefoundry
