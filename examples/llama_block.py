"""One block of a Llama-style model (the sizes of SmolLM2-135M), for a prompt and for one more token.

`prefill` takes the prompt at once and returns the block's output with the keys and values of every
token. `decode` takes one token at `position`, writes its key and value into the cache, and attends to
the cache up to there. The rotary embedding turns each pair (x[i], x[i + half]) of a head by the angle of
its token; `cos` and `sin` hold a row per token.
"""

from tilefoundry import func
from tilefoundry.dsl import ConstTensor, Tensor
from tilefoundry.dsl.tf import (
    arange,
    cache_update,
    concat,
    reshape,
    rms_norm,
    silu,
    softmax,
    split,
    transpose,
    where,
)

hidden = 576
heads = 9
kv_heads = 3
group = heads // kv_heads
dim = hidden // heads
half = dim // 2
kv_width = kv_heads * dim
inner = 1536
prompt = 128
length = 1024
scale = dim**-0.5
eps = 1e-5
lowest = -1e30


@func
def prefill(
    x: Tensor[(prompt, hidden), "f32"],
    cos: Tensor[(prompt, half), "f32"],
    sin: Tensor[(prompt, half), "f32"],
    norm1: ConstTensor[(hidden,), "f32"],
    wq: ConstTensor[(hidden, hidden), "f32"],
    wk: ConstTensor[(hidden, kv_width), "f32"],
    wv: ConstTensor[(hidden, kv_width), "f32"],
    wo: ConstTensor[(hidden, hidden), "f32"],
    norm2: ConstTensor[(hidden,), "f32"],
    gate: ConstTensor[(hidden, inner), "f32"],
    up: ConstTensor[(hidden, inner), "f32"],
    down: ConstTensor[(inner, hidden), "f32"],
):
    """The output (prompt, hidden); keys and values (prompt, kv_heads, dim)."""
    normed = rms_norm(x, norm1, eps=eps)
    c = reshape(cos, new_shape=(prompt, 1, half))
    s = reshape(sin, new_shape=(prompt, 1, half))
    q = reshape(normed @ wq, new_shape=(prompt, heads, dim))
    a, b = split(q, axis=2, num_splits=2)
    q = concat(a * c - b * s, b * c + a * s, axis=2)
    k = reshape(normed @ wk, new_shape=(prompt, kv_heads, dim))
    a, b = split(k, axis=2, num_splits=2)
    k = concat(a * c - b * s, b * c + a * s, axis=2)
    v = reshape(normed @ wv, new_shape=(prompt, kv_heads, dim))
    queries = transpose(
        reshape(q * scale, new_shape=(prompt, kv_heads, group, dim)), perm=(1, 2, 0, 3)
    )
    keys = reshape(transpose(k, perm=(1, 2, 0)), new_shape=(kv_heads, 1, dim, prompt))
    values = reshape(transpose(v, perm=(1, 0, 2)), new_shape=(kv_heads, 1, prompt, dim))
    position = arange(type=Tensor[(prompt,), "i32"])
    seen = reshape(position, new_shape=(prompt, 1)) >= reshape(position, new_shape=(1, prompt))
    weights = softmax(where(seen, queries @ keys, lowest), axis=3)
    context = reshape(
        transpose(weights @ values, perm=(2, 0, 1, 3)), new_shape=(prompt, hidden)
    )
    attended = x + context @ wo
    normed = rms_norm(attended, norm2, eps=eps)
    y = attended + (silu(normed @ gate) * (normed @ up)) @ down
    return y, k, v


@func
def decode(
    x: Tensor[(1, hidden), "f32"],
    key_cache: Tensor[(1, length, kv_heads, dim), "f32"],
    value_cache: Tensor[(1, length, kv_heads, dim), "f32"],
    position: Tensor[(), "i32"],
    one: Tensor[(), "i32"],
    cos: Tensor[(1, half), "f32"],
    sin: Tensor[(1, half), "f32"],
    norm1: ConstTensor[(hidden,), "f32"],
    wq: ConstTensor[(hidden, hidden), "f32"],
    wk: ConstTensor[(hidden, kv_width), "f32"],
    wv: ConstTensor[(hidden, kv_width), "f32"],
    wo: ConstTensor[(hidden, hidden), "f32"],
    norm2: ConstTensor[(hidden,), "f32"],
    gate: ConstTensor[(hidden, inner), "f32"],
    up: ConstTensor[(hidden, inner), "f32"],
    down: ConstTensor[(inner, hidden), "f32"],
):
    """The output (1, hidden) and both caches with this token at `position`."""
    normed = rms_norm(x, norm1, eps=eps)
    c = reshape(cos, new_shape=(1, 1, half))
    s = reshape(sin, new_shape=(1, 1, half))
    q = reshape(normed @ wq, new_shape=(1, heads, dim))
    a, b = split(q, axis=2, num_splits=2)
    q = concat(a * c - b * s, b * c + a * s, axis=2)
    k = reshape(normed @ wk, new_shape=(1, kv_heads, dim))
    a, b = split(k, axis=2, num_splits=2)
    k = concat(a * c - b * s, b * c + a * s, axis=2)
    v = normed @ wv
    new_keys = cache_update(
        key_cache, position, one, reshape(k, new_shape=(1, 1, kv_heads, dim))
    )
    new_values = cache_update(
        value_cache, position, one, reshape(v, new_shape=(1, 1, kv_heads, dim))
    )
    queries = reshape(q * scale, new_shape=(kv_heads, group, dim))
    keys = transpose(reshape(new_keys, new_shape=(length, kv_heads, dim)), perm=(1, 2, 0))
    values = transpose(reshape(new_values, new_shape=(length, kv_heads, dim)), perm=(1, 0, 2))
    seen = arange(type=Tensor[(length,), "i32"]) <= position
    weights = softmax(where(seen, queries @ keys, lowest), axis=2)
    context = reshape(weights @ values, new_shape=(1, hidden))
    attended = x + context @ wo
    normed = rms_norm(attended, norm2, eps=eps)
    y = attended + (silu(normed @ gate) * (normed @ up)) @ down
    return y, new_keys, new_values
