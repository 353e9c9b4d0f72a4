// Element-wise choice: `tf.where`.
#pragma once

#include "tilefoundry/ir/op.h"

namespace tilefoundry {

// tf.tensor: where(condition, input, other), a three-way broadcast; the condition is bool.
struct Where : OpFields<Where> {
  static const OpClass& op_class();
};

void register_where();

}  // namespace tilefoundry
