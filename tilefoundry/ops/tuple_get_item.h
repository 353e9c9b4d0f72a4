// tf.tuple_get_item: one field of a tuple.
#pragma once

#include "tilefoundry/ir/op.h"

namespace tilefoundry {

// tf.tuple: tuple_get_item(tuple_value, index=).
struct TupleGetItem : OpFields<TupleGetItem> {
  std::int64_t index = 0;
  static const OpClass& op_class();
};

void register_tuple_get_item();

}  // namespace tilefoundry
