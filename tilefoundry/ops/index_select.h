// Rows of a tensor by number: `tf.index_select`.
#pragma once

#include "tilefoundry/ir/op.h"

namespace tilefoundry {

// tf.shape: index_select(x, index, dim=0). Element i of the result along `dim` is element index[i]
// of x; index has rank 1 and dtype i32 or i64, and its elements are never negative.
struct IndexSelect : OpFields<IndexSelect> {
  std::int64_t dim = 0;
  static const OpClass& op_class();
};

void register_index_select();

}  // namespace tilefoundry
