// Reductions over axes: `tf.reduce` and the tile op `T.reduce`.
#pragma once

#include <array>
#include <string_view>

#include "tilefoundry/ir/op.h"

namespace tilefoundry {

enum class ReduceKind { mean, sum, abs_max, max };

template <>
struct EnumNames<ReduceKind> {
  static constexpr std::array<std::string_view, 4> names = {"mean", "sum", "abs_max", "max"};
};

// tf.math: reduce(x, axes=, keepdim=True, kind="mean"). Floats accumulate in f32 and round once;
// integers wrap and have no mean. Over no elements: sum 0, abs_max 0, max the least value of the
// dtype, mean nan. max and abs_max propagate nan.
struct Reduce : OpFields<Reduce> {
  AttrInts axes;
  bool keepdim = true;
  ReduceKind kind = ReduceKind::mean;
  static const OpClass& op_class();
};

// T.math, effect: reduce(src, dst, workspace=None, axes=, kind=). dst keeps the reduced axes with
// extent 1, or drops them.
struct TileReduce : OpFields<TileReduce> {
  AttrInts axes;
  ReduceKind kind = ReduceKind::mean;
  static const OpClass& op_class();
};

void register_reduce();

}  // namespace tilefoundry
