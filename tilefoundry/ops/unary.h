// Functions of one value: `tf.neg`, `tf.exp`... and the tile op `T.unary`.
#pragma once

#include "tilefoundry/ir/op.h"
#include "tilefoundry/ir/tir/scalar_kinds.h"

namespace tilefoundry {

// tf.math: unary(x, kind=). The type of x; `round` takes ties to even.
struct Unary : OpFields<Unary> {
  UnaryKind kind = UnaryKind::neg;
  static const OpClass& op_class();
};

// T.math, effect: unary(src, dst, kind=).
struct TileUnary : OpFields<TileUnary> {
  UnaryKind kind = UnaryKind::neg;
  static const OpClass& op_class();
};

void register_unary();

}  // namespace tilefoundry
