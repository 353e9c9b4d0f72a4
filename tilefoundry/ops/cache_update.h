// tf.cache_update: rows of a key/value cache replaced by new ones.
#pragma once

#include "tilefoundry/ir/op.h"

namespace tilefoundry {

// tf.shape: cache_update(cache, cur_pos, s, new). cache [B, len, heads, dim] with the rows
// cur_pos to cur_pos + s replaced by the first s of new [B, S, heads, dim]; cur_pos and s are
// integer scalars known at run time.
struct CacheUpdate : OpFields<CacheUpdate> {
  static const OpClass& op_class();
};

void register_cache_update();

}  // namespace tilefoundry
