// The largest or smallest elements of an axis: `tf.topk`.
#pragma once

#include "tilefoundry/ir/op.h"

namespace tilefoundry {

// tf.math: topk(x, k=, axis=-1, largest=True, sorted=True), Tuple(values, i64 indices), in order of
// rank: ties by lower index, nan counts as largest. The order is the same with sorted=False.
struct TopK : OpFields<TopK> {
  Dim k;
  std::int64_t axis = -1;
  bool largest = true;
  bool sorted = true;
  static const OpClass& op_class();
};

void register_top_k();

}  // namespace tilefoundry
