"""One step of decoding: one query row a head over a cache of 1024 keys and values."""

from tilefoundry import func
from tilefoundry.dsl import Tensor
from tilefoundry.dsl.tf import reshape, softmax, transpose

heads = 9
kv_heads = 3
group = heads // kv_heads
length = 1024
dim = 64
scale = 0.125


@func
def decode(
    q: Tensor[(heads, 1, dim), "f32"],
    k: Tensor[(kv_heads, length, dim), "f32"],
    v: Tensor[(kv_heads, length, dim), "f32"],
) -> Tensor[(heads, 1, dim), "f32"]:
    queries = reshape(q * scale, new_shape=(kv_heads, group, dim))
    weights = softmax(queries @ transpose(k, perm=(0, 2, 1)), axis=2)
    return reshape(weights @ v, new_shape=(heads, 1, dim))
