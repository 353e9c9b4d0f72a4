# RUN: tilefoundry check %s
# EXIT: 1
from tilefoundry import func
from tilefoundry.dsl import Tensor
from tilefoundry.dsl.tf import rope


@func
def positions(
    q: Tensor[(2, 3, 4, 8), "f32"],
    k: Tensor[(2, 3, 1, 8), "f32"],
    cos: Tensor[(16, 8), "f32"],
    ids: Tensor[(2, 3), "i32"],
    odd: Tensor[(3, 4, 7), "f32"],
    flat: Tensor[(3, 8), "f32"],
):
    a, b = rope(q, q, cos, cos, flat)  # ERROR: TF3100
    c, d = rope(q, k, cos, ids, ids)  # ERROR: TF3100
    e, f = rope(q, odd, cos, cos, ids)  # ERROR: TF3100
    g, h = rope(odd, odd, cos, cos, ids)  # ERROR: TF3100
    i, j = rope(flat, flat, cos, cos, ids)  # ERROR: TF3100
    l, m = rope(q, k, flat, cos, ids)  # ERROR: TF3100
    n, o = rope(q, k, odd, odd, ids)  # ERROR: TF3100
    p, r = rope(q, k, cos, cos, odd)  # ERROR: TF3100
    return q
# ==== EXPECTED ====
# ---- tilefoundry check %s
# ERR| %s:17:12: error[TF3100]: Call[RoPE]: pos_ids has dtype f32, wanted i32 or i64
# ERR|  17 |     a, b = rope(q, q, cos, cos, flat)  # ERROR: TF3100
# ERR|     |            ^~~~~~~~~~~~~~~~~~~~~~~~~~
# ERR| hint: cast it first: cast(pos_ids, dtype="i32")
# ERR| %s:18:12: error[TF3100]: Call[RoPE]: sin_cache has dtype i32, wanted f32
# ERR|  18 |     c, d = rope(q, k, cos, ids, ids)  # ERROR: TF3100
# ERR|     |            ^~~~~~~~~~~~~~~~~~~~~~~~~
# ERR| hint: cast it first: cast(sin_cache, dtype="f32")
# ERR| %s:19:12: error[TF3100]: Call[RoPE]: q has shape (2, 3, 4, 8) and k has shape (3, 4, 7); they may differ in their heads only
# ERR|  19 |     e, f = rope(q, odd, cos, cos, ids)  # ERROR: TF3100
# ERR|     |            ^~~~~~~~~~~~~~~~~~~~~~~~~~~
# ERR| %s:20:12: error[TF3100]: Call[RoPE]: the last extent of q is 7, wanted an even number
# ERR|  20 |     g, h = rope(odd, odd, cos, cos, ids)  # ERROR: TF3100
# ERR|     |            ^~~~~~~~~~~~~~~~~~~~~~~~~~~~~
# ERR| hint: the halves of the last axis are rotated into each other
# ERR| %s:21:12: error[TF3100]: Call[RoPE]: q has shape (3, 8), wanted (..., positions, heads, width)
# ERR|  21 |     i, j = rope(flat, flat, cos, cos, ids)  # ERROR: TF3100
# ERR|     |            ^~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~
# ERR| hint: reshape it to one axis of positions, one of heads and one of their width
# ERR| %s:22:12: error[TF3100]: Call[RoPE]: sin_cache has shape (16, 8) and cos_cache has shape (3, 8); they must be one shape
# ERR|  22 |     l, m = rope(q, k, flat, cos, ids)  # ERROR: TF3100
# ERR|     |            ^~~~~~~~~~~~~~~~~~~~~~~~~~
# ERR| %s:23:12: error[TF3100]: Call[RoPE]: cos_cache has shape (3, 4, 7), wanted (rows, 8) or (rows, 4)
# ERR|  23 |     n, o = rope(q, k, odd, odd, ids)  # ERROR: TF3100
# ERR|     |            ^~~~~~~~~~~~~~~~~~~~~~~~~
# ERR| %s:24:12: error[TF3100]: Call[RoPE]: pos_ids has dtype f32, wanted i32 or i64
# ERR|  24 |     p, r = rope(q, k, cos, cos, odd)  # ERROR: TF3100
# ERR|     |            ^~~~~~~~~~~~~~~~~~~~~~~~~
# ERR| hint: cast it first: cast(pos_ids, dtype="i32")
