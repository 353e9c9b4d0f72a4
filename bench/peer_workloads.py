"""The workloads of bench/peers.py: inputs, a float64 reference, and each in the words of every tool.

A workload's `plain` function is written for NumPy arrays of any float type: on float64 it is the
reference, on float32 the NumPy contender. `torch` works on tensors; `onnx` adds nodes to a `Graph`.
Names in `constants` are weights, which ONNX Runtime gets as initializers and may prepack.
"""

import dataclasses
import math
from collections.abc import Callable

import numpy as np

HIDDEN, INNER, HEADS, KV_HEADS, DIM = 576, 1536, 9, 3, 64
LENGTH = 1024
LOWEST = -1e30


@dataclasses.dataclass
class Workload:
    name: str
    program: str  # FILE:SELECTOR below the repository
    inputs: dict  # name to array, in the order of the program's parameters
    constants: tuple
    plain: Callable
    torch: Callable
    onnx: Callable
    flops: int
    traffic: int = 0  # bytes that must move; 0: inputs and outputs once


class Drawn:
    """Random f32 arrays, 64-byte aligned; equal for equal calls."""

    def __init__(self):
        self.generator = np.random.default_rng(0)

    def __call__(self, *shape, scale=1.0, shift=0.0):
        array = aligned(shape)
        self.generator.standard_normal(dtype=np.float32, out=array)
        array *= np.float32(scale)
        array += np.float32(shift)
        return array


def aligned(shape, dtype=np.float32):
    size = int(np.prod(shape)) * np.dtype(dtype).itemsize
    raw = np.empty(size + 64, np.uint8)
    start = -raw.ctypes.data % 64
    return raw[start : start + size].view(dtype).reshape(shape)


def erf(x):
    if x.dtype == np.float64:
        return np.vectorize(math.erf)(x)
    # Abramowitz and Stegun 7.1.26: 1.5e-7, which is what f32 can show.
    t = 1 / (1 + np.float32(0.3275911) * np.abs(x))
    poly = t * (0.254829592 + t * (-0.284496736 + t * (1.421413741 + t * (-1.453152027 + t * 1.061405429))))
    return np.sign(x) * (1 - poly * np.exp(-x * x)).astype(x.dtype)


def softmax(x):
    shifted = np.exp(x - x.max(-1, keepdims=True))
    return shifted / shifted.sum(-1, keepdims=True)


def silu(x):
    return x / (1 + np.exp(-x))


def rms_norm(x, weight, eps=1e-5):
    return x / np.sqrt((x * x).mean(-1, keepdims=True) + x.dtype.type(eps)) * weight


def layer_norm(x, weight, bias, eps):
    centred = x - x.mean(-1, keepdims=True)
    return centred / np.sqrt((centred * centred).mean(-1, keepdims=True) + x.dtype.type(eps)) * weight + bias


def weights(drawn, *names_and_shapes):
    return {name: drawn(*shape, scale=shape[0] ** -0.5) for name, shape in names_and_shapes}


# Kernels over rows, and memory.


def rows(drawn):
    x = drawn(4096, 4096)
    gain, bias = drawn(4096, scale=0.1, shift=1), drawn(4096)

    def rmsnorm_onnx(g, x, weight):
        return g.op("RMSNormalization", x, weight, axis=-1, epsilon=1e-5)

    def rmsnorm_torch(t, x, weight):
        return t.nn.functional.rms_norm(x, (4096,), weight, 1e-5)

    yield Workload("rmsnorm", "bench/programs/rows.py:rmsnorm", {"x": x, "weight": gain}, ("weight",),
                   rms_norm, rmsnorm_torch, rmsnorm_onnx, 8 * x.size)
    yield Workload("softmax", "bench/programs/rows.py:row_softmax", {"x": x}, (), softmax,
                   lambda t, x: t.softmax(x, 1), lambda g, x: g.op("Softmax", x, axis=1), 5 * x.size)

    small, residual = drawn(2048, 1024), drawn(2048, 1024)
    weight, shift = drawn(1024, scale=0.1, shift=1), drawn(1024)

    def norm_onnx(g, x, r, w, b):
        return g.op("LayerNormalization", g.op("Add", x, r), w, b, axis=-1, epsilon=1e-5)

    yield Workload("layernorm_res", "bench/programs/rows.py:layernorm_residual",
                   {"x": small, "residual": residual, "weight": weight, "bias": shift}, ("weight", "bias"),
                   lambda x, r, w, b: layer_norm(x + r, w, b, 1e-5),
                   lambda t, x, r, w, b: t.nn.functional.layer_norm(x + r, (1024,), w, b, 1e-5),
                   norm_onnx, 9 * small.size)

    def chain(x, scale, bias):
        y = x * scale + bias
        return 0.5 * y * (1 + np.tanh(x.dtype.type(math.sqrt(2 / math.pi)) * (y + x.dtype.type(0.044715) * y * y * y)))

    def chain_onnx(g, x, scale, bias):
        return g.op("Gelu", g.op("Add", g.op("Mul", x, scale), bias), approximate="tanh")

    yield Workload("gelu_chain", "bench/programs/rows.py:gelu_chain", {"x": x, "scale": gain, "bias": bias},
                   ("scale", "bias"), chain,
                   lambda t, x, s, b: t.nn.functional.gelu(x * s + b, approximate="tanh"), chain_onnx, 11 * x.size)


def memory(drawn):
    x = drawn(8192, 8192)
    yield Workload("colsum", "bench/programs/memory.py:column_sum", {"x": x}, (), lambda x: x.sum(0),
                   lambda t, x: x.sum(0), lambda g, x: g.op("ReduceSum", x, g.constant([0]), keepdims=0), x.size)
    yield Workload("transpose", "bench/programs/memory.py:transposed", {"x": x}, (),
                   lambda x: np.ascontiguousarray(x.T), lambda t, x: x.t().contiguous(),
                   lambda g, x: g.op("Transpose", x, perm=[1, 0]), 0)


# Products.


def products(drawn):
    def product(name, selector, rows, n):
        a, b = drawn(rows, n), drawn(n, n, scale=n**-0.5)
        return Workload(name, f"bench/programs/products.py:{selector}", {"a": a, "b": b}, ("b",),
                        lambda a, b: a @ b, lambda t, a, b: a @ b, lambda g, a, b: g.op("MatMul", a, b),
                        2 * rows * n * n)

    yield product("sgemm_1024", "square", 1024, 1024)
    yield product("sgemm_8", "rows_8", 8, 4096)
    yield product("matvec", "rows_1", 1, 4096)

    def mlp_onnx(g, x, gate, up, down):
        gated = g.op("MatMul", x, gate)
        gated = g.op("Mul", gated, g.op("Sigmoid", gated))
        return g.op("MatMul", g.op("Mul", gated, g.op("MatMul", x, up)), down)

    for tokens in (128, 1):
        inputs = {"x": drawn(tokens, HIDDEN)}
        inputs |= weights(drawn, ("gate", (HIDDEN, INNER)), ("up", (HIDDEN, INNER)), ("down", (INNER, HIDDEN)))
        yield Workload(f"mlp_{tokens}", f"bench/programs/products.py:swiglu_{tokens}", inputs,
                       ("gate", "up", "down"), lambda x, g, u, d: (silu(x @ g) * (x @ u)) @ d,
                       lambda t, x, g, u, d: (t.nn.functional.silu(x @ g) * (x @ u)) @ d, mlp_onnx,
                       6 * tokens * HIDDEN * INNER)


# Attention: [heads, tokens, dim], causal, grouped.


def causal(count):
    return np.tril(np.ones((count, count), bool))


def attention_plain(q, k, v, mask=None):
    group = q.shape[0] // k.shape[0]
    k, v = np.repeat(k, group, 0), np.repeat(v, group, 0)
    scores = (q * q.dtype.type(DIM**-0.5)) @ k.swapaxes(1, 2)
    return softmax(scores if mask is None else np.where(mask, scores, q.dtype.type(LOWEST))) @ v


def attention_torch(t, q, k, v, causal):
    attend = t.nn.functional.scaled_dot_product_attention
    return attend(q[None], k[None], v[None], is_causal=causal, enable_gqa=True)[0]


def attention_onnx(g, q, k, v, mask=None):
    """q (9, m, 64), k and v (3, n, 64) as names; grouped heads broadcast."""
    queries = g.op("Reshape", g.op("Mul", q, g.constant(np.float32(DIM**-0.5))), g.constant([KV_HEADS, 3, -1, DIM]))
    keys = g.op("Unsqueeze", g.op("Transpose", k, perm=[0, 2, 1]), g.constant([1]))
    scores = g.op("MatMul", queries, keys)
    if mask is not None:
        scores = g.op("Add", scores, g.constant(np.where(mask, np.float32(0), np.float32(LOWEST))))
    mixed = g.op("MatMul", g.op("Softmax", scores, axis=-1), g.op("Unsqueeze", v, g.constant([1])))
    return g.op("Reshape", mixed, g.constant([HEADS, -1, DIM]))


def attention(drawn):
    q, k, v = drawn(HEADS, LENGTH, DIM), drawn(KV_HEADS, LENGTH, DIM), drawn(KV_HEADS, LENGTH, DIM)
    mask = causal(LENGTH)
    yield Workload("attn_prefill", "examples/flash_attention.py", {"q": q, "k": k, "v": v}, (),
                   lambda q, k, v: attention_plain(q, k, v, mask),
                   lambda t, q, k, v: attention_torch(t, q, k, v, True),
                   lambda g, q, k, v: attention_onnx(g, q, k, v, mask), 2 * HEADS * LENGTH * (LENGTH + 1) * DIM)
    row = drawn(HEADS, 1, DIM)
    yield Workload("attn_decode", "bench/programs/attention.py:decode", {"q": row, "k": k, "v": v}, (),
                   attention_plain, lambda t, q, k, v: attention_torch(t, q, k, v, False), attention_onnx,
                   4 * HEADS * LENGTH * DIM)


# One Llama block.

BLOCK = (("norm1", (HIDDEN,)), ("wq", (HIDDEN, HIDDEN)), ("wk", (HIDDEN, KV_HEADS * DIM)),
         ("wv", (HIDDEN, KV_HEADS * DIM)), ("wo", (HIDDEN, HIDDEN)), ("norm2", (HIDDEN,)),
         ("gate", (HIDDEN, INNER)), ("up", (HIDDEN, INNER)), ("down", (INNER, HIDDEN)))
BLOCK_NAMES = tuple(name for name, _ in BLOCK)


def rotary(positions):
    angle = np.asarray(positions)[:, None] * 1e5 ** (-np.arange(32) / 32)
    return np.cos(angle).astype(np.float32), np.sin(angle).astype(np.float32)


def rotate(cat, x, cos, sin):
    """x (tokens, heads, 64)."""
    a, b, c, s = x[..., :32], x[..., 32:], cos[:, None], sin[:, None]
    return cat([a * c - b * s, b * c + a * s], -1)


def block_plain(x, cos, sin, past, mask, w):
    """The output; keys and values (tokens, heads, dim), those of `past` first."""
    normed = rms_norm(x, w["norm1"])
    q, k, v = ((normed @ w[n]).reshape(len(x), -1, DIM) for n in ("wq", "wk", "wv"))
    q, k = rotate(np.concatenate, q, cos, sin), rotate(np.concatenate, k, cos, sin)
    keys, values = past(k, v)
    heads = [a.swapaxes(0, 1) for a in (q, keys, values)]
    context = attention_plain(*heads, mask).swapaxes(0, 1).reshape(len(x), HIDDEN)
    x = x + context @ w["wo"]
    normed = rms_norm(x, w["norm2"])
    return x + (silu(normed @ w["gate"]) * (normed @ w["up"])) @ w["down"], k, v


def block_torch(t, x, cos, sin, past, causal, w):
    f = t.nn.functional
    normed = f.rms_norm(x, (HIDDEN,), w["norm1"], 1e-5)
    q, k, v = ((normed @ w[n]).view(len(x), -1, DIM) for n in ("wq", "wk", "wv"))
    q, k = rotate(t.cat, q, cos, sin), rotate(t.cat, k, cos, sin)
    keys, values = past(k, v)
    context = attention_torch(t, q.transpose(0, 1), keys.transpose(0, 1), values.transpose(0, 1), causal)
    x = x + context.transpose(0, 1).reshape(len(x), HIDDEN) @ w["wo"]
    normed = f.rms_norm(x, (HIDDEN,), w["norm2"], 1e-5)
    return x + (f.silu(normed @ w["gate"]) * (normed @ w["up"])) @ w["down"], k, v


def block_onnx(g, x, cos, sin, past, mask, w):
    def split(name, heads):
        return g.op("Reshape", g.op("MatMul", normed, w[name]), g.constant([-1, heads, DIM]))

    def turned(a):
        first, second = g.ops("Split", a, outputs=2, axis=-1, num_outputs=2)
        c, s = (g.op("Unsqueeze", angle, g.constant([1])) for angle in (cos, sin))
        return g.op("Concat", g.op("Sub", g.op("Mul", first, c), g.op("Mul", second, s)),
                    g.op("Add", g.op("Mul", second, c), g.op("Mul", first, s)), axis=-1)

    normed = g.op("RMSNormalization", x, w["norm1"], axis=-1, epsilon=1e-5)
    q, k, v = turned(split("wq", HEADS)), turned(split("wk", KV_HEADS)), split("wv", KV_HEADS)
    keys, values = past(k, v)
    heads = [g.op("Transpose", a, perm=[1, 0, 2]) for a in (q, keys, values)]
    context = g.op("Transpose", attention_onnx(g, *heads, mask), perm=[1, 0, 2])
    x = g.op("Add", x, g.op("MatMul", g.op("Reshape", context, g.constant([-1, HIDDEN])), w["wo"]))
    normed = g.op("RMSNormalization", x, w["norm2"], axis=-1, epsilon=1e-5)
    gated = g.op("MatMul", normed, w["gate"])
    gated = g.op("Mul", g.op("Mul", gated, g.op("Sigmoid", gated)), g.op("MatMul", normed, w["up"]))
    return g.op("Add", x, g.op("MatMul", gated, w["down"])), k, v


def named(values):
    return dict(zip(BLOCK_NAMES, values))


def llama(drawn):
    linear = HIDDEN * (2 * HIDDEN + 2 * KV_HEADS * DIM) + 3 * HIDDEN * INNER
    w = weights(drawn, *BLOCK)
    tokens = 128
    cos, sin = rotary(range(tokens))
    mask = causal(tokens)

    def keep(k, v):
        return k, v

    yield Workload("block_prefill", "examples/llama_block.py:prefill",
                   {"x": drawn(tokens, HIDDEN), "cos": cos, "sin": sin, **w}, BLOCK_NAMES,
                   lambda x, c, s, *w: block_plain(x, c, s, keep, mask, named(w)),
                   lambda t, x, c, s, *w: block_torch(t, x, c, s, keep, True, named(w)),
                   lambda g, x, c, s, *w: block_onnx(g, x, c, s, keep, mask, named(w)),
                   2 * tokens * linear + 2 * HEADS * tokens * (tokens + 1) * DIM)

    # The last position of a full cache: every tool reads the same keys, and needs no mask.
    position = LENGTH - 1
    cos, sin = rotary([position])
    cache = {n: drawn(1, LENGTH, KV_HEADS, DIM) for n in ("key_cache", "value_cache")}

    def write(index):
        """Writes the row into the tool's own copy of the cache."""
        def written(own, k, v):
            own[0][0, index:], own[1][0, index:] = k, v
            return own[0][0], own[1][0]
        return written

    def decode_plain(x, keys, values, _position, _one, c, s, *w):
        past = write(position)
        return block_plain(x, c, s, lambda k, v: past((keys, values), k, v), None, named(w))[0], keys, values

    def decode_torch(t, x, keys, values, _position, _one, c, s, *w):
        past = write(position)
        return block_torch(t, x, c, s, lambda k, v: past((keys, values), k, v), False, named(w))[0], keys, values

    def decode_onnx(g, x, keys, values, at, _one, c, s, *w):
        caches = []

        def past(k, v):
            index = g.op("Reshape", at, g.constant([1, 1]))
            for cache_name, row in ((keys, k), (values, v)):
                rows = g.op("Reshape", cache_name, g.constant([LENGTH, KV_HEADS, DIM]))
                caches.append(g.op("ScatterND", rows, index, row))
            return caches

        out = block_onnx(g, x, c, s, past, None, named(w))[0]
        shape = g.constant([1, LENGTH, KV_HEADS, DIM])
        return out, g.op("Reshape", caches[0], shape), g.op("Reshape", caches[1], shape)

    moved = 4 * linear + sum(a.nbytes for a in cache.values())
    yield Workload("block_decode", "examples/llama_block.py:decode",
                   {"x": drawn(1, HIDDEN), **cache, "position": np.array(position, np.int32),
                    "one": np.array(1, np.int32), "cos": cos, "sin": sin, **w}, BLOCK_NAMES,
                   decode_plain, decode_torch, decode_onnx, 2 * linear + 4 * HEADS * LENGTH * DIM, moved)


# One BERT layer.

BERT = (("wq", (384, 384)), ("bq", (384,)), ("wk", (384, 384)), ("bk", (384,)), ("wv", (384, 384)), ("bv", (384,)),
        ("wo", (384, 384)), ("bo", (384,)), ("norm1", (384,)), ("shift1", (384,)), ("w1", (384, 1536)),
        ("b1", (1536,)), ("w2", (1536, 384)), ("b2", (384,)), ("norm2", (384,)), ("shift2", (384,)))


def bert(drawn):
    batch, tokens, hidden, heads = 8, 128, 384, 12
    names = tuple(name for name, _ in BERT)

    def plain(x, *values):
        w = dict(zip(names, values))

        def split(n):
            return (x @ w[f"w{n}"] + w[f"b{n}"]).reshape(batch, tokens, heads, -1).swapaxes(1, 2)

        q, k, v = split("q"), split("k"), split("v")
        context = softmax(q @ k.swapaxes(2, 3) * x.dtype.type(32**-0.5)) @ v
        context = context.swapaxes(1, 2).reshape(batch, tokens, hidden)
        y = layer_norm(x + (context @ w["wo"] + w["bo"]), w["norm1"], w["shift1"], 1e-12)
        wide = y @ w["w1"] + w["b1"]
        wide = wide * x.dtype.type(0.5) * (1 + erf(wide * x.dtype.type(0.5**0.5)))
        return layer_norm(y + (wide @ w["w2"] + w["b2"]), w["norm2"], w["shift2"], 1e-12)

    def torch(t, x, *values):
        w, f = dict(zip(names, values)), t.nn.functional

        def linear(a, weight, bias):
            return t.addmm(bias, a.reshape(-1, a.shape[-1]), weight).view(batch, tokens, -1)

        q, k, v = (linear(x, w[f"w{n}"], w[f"b{n}"]).view(batch, tokens, heads, -1).transpose(1, 2) for n in "qkv")
        context = f.scaled_dot_product_attention(q, k, v).transpose(1, 2).reshape(batch, tokens, hidden)
        y = f.layer_norm(x + linear(context, w["wo"], w["bo"]), (hidden,), w["norm1"], w["shift1"], 1e-12)
        wide = linear(f.gelu(linear(y, w["w1"], w["b1"])), w["w2"], w["b2"])
        return f.layer_norm(y + wide, (hidden,), w["norm2"], w["shift2"], 1e-12)

    def onnx(g, x, *values):
        w = dict(zip(names, values))

        def linear(a, weight, bias):
            return g.op("Add", g.op("MatMul", a, weight), bias)

        def split(n, perm):
            flat = linear(x, w[f"w{n}"], w[f"b{n}"])
            return g.op("Transpose", g.op("Reshape", flat, g.constant([batch, tokens, heads, -1])), perm=perm)

        def norm(a, n):
            return g.op("LayerNormalization", a, w[f"norm{n}"], w[f"shift{n}"], axis=-1, epsilon=1e-12)

        scores = g.op("MatMul", split("q", [0, 2, 1, 3]), split("k", [0, 2, 3, 1]))
        scores = g.op("Softmax", g.op("Mul", scores, g.constant(np.float32(32**-0.5))), axis=-1)
        context = g.op("Transpose", g.op("MatMul", scores, split("v", [0, 2, 1, 3])), perm=[0, 2, 1, 3])
        context = g.op("Reshape", context, g.constant([batch, tokens, hidden]))
        y = norm(g.op("Add", x, linear(context, w["wo"], w["bo"])), 1)
        wide = linear(g.op("Gelu", linear(y, w["w1"], w["b1"]), approximate="none"), w["w2"], w["b2"])
        return norm(g.op("Add", y, wide), 2)

    flops = batch * tokens * (8 * hidden**2 + 4 * hidden * 1536 + 4 * tokens * hidden)
    yield Workload("encoder", "examples/bert_layer.py:bert_layer",
                   {"x": drawn(batch, tokens, hidden), **weights(drawn, *BERT)}, names, plain, torch, onnx, flops)


def workloads():
    drawn = Drawn()
    for family in (rows, products, attention, llama, bert, memory):
        yield from family(drawn)
