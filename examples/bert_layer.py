"""One encoder layer of a BERT-style model on a batch of sentences: attention over the whole sentence,
then a feed-forward block with the erf form of gelu; each followed by its residual and a LayerNorm.
"""

from tilefoundry import func
from tilefoundry.dsl import ConstTensor, Tensor
from tilefoundry.dsl.tf import gelu, layer_norm, reshape, softmax, transpose

batch = 8
tokens = 128
hidden = 384
heads = 12
dim = hidden // heads
inner = 1536
scale = dim**-0.5
eps = 1e-12


@func
def split_heads(x: Tensor[(batch, tokens, hidden), "f32"]):
    return transpose(reshape(x, new_shape=(batch, tokens, heads, dim)), perm=(0, 2, 1, 3))


@func
def bert_layer(
    x: Tensor[(batch, tokens, hidden), "f32"],
    wq: ConstTensor[(hidden, hidden), "f32"],
    bq: ConstTensor[(hidden,), "f32"],
    wk: ConstTensor[(hidden, hidden), "f32"],
    bk: ConstTensor[(hidden,), "f32"],
    wv: ConstTensor[(hidden, hidden), "f32"],
    bv: ConstTensor[(hidden,), "f32"],
    wo: ConstTensor[(hidden, hidden), "f32"],
    bo: ConstTensor[(hidden,), "f32"],
    norm1: ConstTensor[(hidden,), "f32"],
    shift1: ConstTensor[(hidden,), "f32"],
    w1: ConstTensor[(hidden, inner), "f32"],
    b1: ConstTensor[(inner,), "f32"],
    w2: ConstTensor[(inner, hidden), "f32"],
    b2: ConstTensor[(hidden,), "f32"],
    norm2: ConstTensor[(hidden,), "f32"],
    shift2: ConstTensor[(hidden,), "f32"],
) -> Tensor[(batch, tokens, hidden), "f32"]:
    q = split_heads(x @ wq + bq)
    k = split_heads(x @ wk + bk)
    v = split_heads(x @ wv + bv)
    weights = softmax((q @ transpose(k, perm=(0, 1, 3, 2))) * scale, axis=3)
    context = reshape(transpose(weights @ v, perm=(0, 2, 1, 3)), new_shape=(batch, tokens, hidden))
    attended = layer_norm(x + (context @ wo + bo), norm1, shift1, axis=2, eps=eps)
    widened = gelu(attended @ w1 + b1, approximate="none")
    return layer_norm(attended + (widened @ w2 + b2), norm2, shift2, axis=2, eps=eps)
