// Rotary position embedding: `tf.rope`.
#pragma once

#include "tilefoundry/ir/op.h"

namespace tilefoundry {

// tf.nn: rope(q, k, cos_cache, sin_cache, pos_ids) -> Tuple(q, k), in f32, rounded once:
//   x * cos + rotate_half(x) * sin,  rotate_half([a, b]) = [-b, a]
// q and k are [..., S, heads, D] with D even; their heads may differ. The caches are [P, D], or
// [P, D / 2] for both halves alike, of q's dtype or f32; row pos_ids[..., s] rotates position s.
// pos_ids (i32 or i64) has the leading axes of q up to S, or the last of them. A position outside
// the caches ends the call.
struct RoPE : OpFields<RoPE> {
  static const OpClass& op_class();
};

void register_rope();

}  // namespace tilefoundry
