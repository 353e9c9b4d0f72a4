// tf.arange: evenly spaced integers.
#pragma once

#include "tilefoundry/ir/op.h"

namespace tilefoundry {

// tf.tensor: arange(type=Tensor[(n,), "i64"], start=0, step=1): start + i * step at i; the result
// has exactly that type, of rank 1 and dtype i32 or i64.
struct Arange : OpFields<Arange> {
  TypeRef type;
  std::int64_t start = 0;
  std::int64_t step = 1;
  static const OpClass& op_class();
};

void register_arange();

}  // namespace tilefoundry
