// tf.slice: a rectangular window.
#pragma once

#include "tilefoundry/ir/op.h"

namespace tilefoundry {

// tf.shape: slice(x, starts, sizes=, strides=). Element i of the result along an axis is element
// start + i * stride of x; `starts` is a tuple of one integer scalar per axis, never negative.
struct Slice : OpFields<Slice> {
  Shape sizes;
  AttrInts strides;
  static const OpClass& op_class();
};

void register_slice();

}  // namespace tilefoundry
