// Binary arithmetic, comparison and logic: `tf.add`, `tf.cmp_lt`... and the tile op `T.binary`.
#pragma once

#include "tilefoundry/ir/op.h"
#include "tilefoundry/ir/tir/scalar_kinds.h"

namespace tilefoundry {

// tf.math: binary(lhs, rhs, kind=). Right-aligned broadcast; both operands have one dtype;
// comparisons and logic give bool.
struct Binary : OpFields<Binary> {
  BinaryKind kind = BinaryKind::add;
  static const OpClass& op_class();
};

// T.math, effect: binary(lhs, rhs, dst, kind=). The operands broadcast to the shape of dst.
struct TileBinary : OpFields<TileBinary> {
  BinaryKind kind = BinaryKind::add;
  static const OpClass& op_class();
};

void register_binary();

}  // namespace tilefoundry
