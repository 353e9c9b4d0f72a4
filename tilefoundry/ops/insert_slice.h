// tf.insert_slice: a value with one of its windows replaced.
#pragma once

#include "tilefoundry/ir/op.h"

namespace tilefoundry {

// tf.shape: insert_slice(dst, update, offsets). dst with the window at `offsets`, of update's
// shape, replaced by update. `offsets` is a tuple of one integer scalar per axis: absolute element
// coordinates, never negative.
struct InsertSlice : OpFields<InsertSlice> {
  static const OpClass& op_class();
};

void register_insert_slice();

}  // namespace tilefoundry
