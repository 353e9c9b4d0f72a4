"""Causal attention with grouped heads: each key and value head serves several query heads.

The loop walks the keys in blocks. Three values are carried from block to block: the largest score of
every row so far, the sum of exponentials, and the weighted sum of values, both relative to that score.
A larger score rescales what was summed before, so that no exponential overflows and no row of scores is
ever held whole. Region tiling turns the loop into blocks of queries that run in parallel.
"""

from tilefoundry import func
from tilefoundry.dsl import Tensor, tile
from tilefoundry.dsl.tf import arange, exp, full_like, max, reduce, reshape, transpose, where, zeros

heads = 9
kv_heads = 3
group = heads // kv_heads
tokens = 1024
dim = 64
block = 64
scale = 0.125
lowest = -1e30


@func
def flash_attention(
    q: Tensor[(heads, tokens, dim), "f32"],
    k: Tensor[(kv_heads, tokens, dim), "f32"],
    v: Tensor[(kv_heads, tokens, dim), "f32"],
) -> Tensor[(heads, tokens, dim), "f32"]:
    queries = reshape(q * scale, new_shape=(kv_heads, group, tokens, dim))
    keys = reshape(k, new_shape=(kv_heads, 1, tokens, dim))
    values = reshape(v, new_shape=(kv_heads, 1, tokens, dim))
    position = arange(type=Tensor[(tokens,), "i32"])
    row = reshape(position, new_shape=(tokens, 1))
    total = zeros(type=Tensor[(kv_heads, group, tokens, 1), "f32"])
    best = full_like(total, value=lowest)
    summed = zeros(type=Tensor[(kv_heads, group, tokens, dim), "f32"])
    for j in tile(tokens, block):
        scores = queries @ transpose(keys[:, :, j, :], perm=(0, 1, 3, 2))
        column = reshape(position[j], new_shape=(1, block))
        masked = where(row >= column, scores, lowest)
        peak = max(best, reduce(masked, axes=(3,), kind="max"))
        rescale = exp(best - peak)
        weights = exp(masked - peak)
        total = total * rescale + reduce(weights, axes=(3,), kind="sum")
        summed = summed * rescale + weights @ values[:, :, j, :]
        best = peak
    return reshape(summed / total, new_shape=(heads, tokens, dim))
