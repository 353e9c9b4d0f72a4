"""Activations, softmax and layer norm against NumPy in float64, in generated code and in the evaluator."""

import math

import numpy as np
import pytest
from programs import DTYPES, FLOATS, INTS, check, program, run, save, tilefoundry
from references import DIMS, VALUE, pairs, rounded

erfc = np.vectorize(math.erfc, otypes=[np.float64])


def sigmoid(x):
    return np.where(x >= 0, 1 / (1 + np.exp(-np.abs(x))), np.exp(-np.abs(x)) / (1 + np.exp(-np.abs(x))))


def gelu_tanh(x):
    return x * sigmoid(2 * np.sqrt(2 / np.pi) * (x + 0.044715 * x**3))


ACTIVATIONS = {  # text: (reference over float64, ulp of f32)
    "sigmoid(x)": (sigmoid, 3),
    "tanh(x)": (np.tanh, 2),
    "softplus(x)": (lambda x: np.maximum(x, 0) + np.log1p(np.exp(-np.abs(x))), 2),
    'gelu(x, approximate="none")': (lambda x: x * 0.5 * erfc(-x / np.sqrt(2)), 8),
    "gelu(x)": (gelu_tanh, 32),
    'gelu(x, approximate="tanh")': (gelu_tanh, 32),
}


def activation_cases(x):
    cases = []
    for text, (function, ulps) in ACTIVATIONS.items():
        with np.errstate(all="ignore"):
            wanted = rounded(function(x.astype(np.float64)), x.dtype)
        cases.append((text, wanted, ulps if x.dtype == np.float32 else 1))
    return cases


@pytest.mark.parametrize("name", FLOATS)
@pytest.mark.parametrize("shape", [(5, 67), (2, 3), (1, 1), (0, 4), (3, 0)], ids=str)
def test_activations_of_many_sizes_from_one_program(name, shape):
    x, _ = pairs(name, shape[::-1])
    x = np.ascontiguousarray(x.T)
    x[(x < -5) & (x > -16)] = -5  # the tail of gelu as tanh: an ulp of its argument is many of it
    cases = activation_cases(x)
    check(program({"x": (("M", "N"), name)}, [text for text, _, _ in cases], DIMS), [x], cases)


def test_activations_over_a_dense_range():
    """Even steps of the bits from tiny numbers to 0.5, and even steps where functions are curved."""
    near = np.arange(0, 4096, dtype=np.uint32) * np.uint32(0x3F000000 // 4096)
    x = np.concatenate([near.view(np.float32), -near.view(np.float32), np.linspace(-5, 9, 20001)])
    x = x.astype(np.float32)
    cases = activation_cases(x)
    check(program({"x": (x.shape, "f32")}, [text for text, _, _ in cases]), [x], cases)


def test_activations_of_special_values():
    x = np.array([np.nan, np.inf, -np.inf, 0.0, 20.0, 100.0, 3e38, -3e38], np.float32)
    nan, inf = np.nan, np.inf
    cases = [
        ("sigmoid(x)", np.array([nan, 1, 0, 0.5, 1, 1, 1, 0]), 1),
        ("tanh(x)", np.array([nan, 1, -1, 0, 1, 1, 1, -1]), 0),
        ("softplus(x)", np.array([nan, inf, 0, math.log(2), 20, 100, 3e38, 0]), 1),
        ("gelu(x)", np.array([nan, inf, nan, 0, 20, 100, 3e38, -0.0]), VALUE),
        ('gelu(x, approximate="none")', np.array([nan, inf, nan, 0, 20, 100, 3e38, -0.0]), VALUE),
    ]
    cases = [(text, wanted.astype(np.float32), ulps) for text, wanted, ulps in cases]
    check(program({"x": (x.shape, "f32")}, [text for text, _, _ in cases]), [x], cases)


@pytest.mark.parametrize("name", [*FLOATS, *INTS])
def test_relu(name):
    x, _ = pairs(name, (5, 67))
    wanted = np.maximum(x, np.zeros(1, x.dtype))
    for text in ("relu(x)", 'unary(x, kind="relu")'):
        check(program({"x": (x.shape, name)}, [text]), [x], [(text, wanted, VALUE if name in FLOATS else 0)])


# ---- softmax ----

def softmax(x, axis):
    wide = x.astype(np.float64)
    with np.errstate(all="ignore"):
        weights = np.exp(wide - wide.max(axis, keepdims=True, initial=-np.inf))
        return rounded(weights / weights.sum(axis, keepdims=True), x.dtype)


SOFTMAX_SHAPES = [(5, 67), (3, 7, 33), (2, 3, 5, 130), (67,), (1,), (4, 1), (0, 3), (3, 0), (2, 64, 64)]


@pytest.mark.parametrize("name", FLOATS)
@pytest.mark.parametrize("shape", SOFTMAX_SHAPES, ids=str)
def test_softmax_over_every_axis(name, shape):
    x = (np.random.default_rng(3).standard_normal(shape) * 4).astype(np.float32).astype(DTYPES[name])
    cases = []
    for axis in range(len(shape)):
        written = axis - len(shape) if axis % 2 else axis
        cases.append((f"softmax(x, axis={written})", softmax(x, axis), 24 if name == "f32" else 1))
    check(program({"x": (shape, name)}, [text for text, _, _ in cases]), [x], cases)


@pytest.mark.parametrize("m, n", [(3, 67), (1, 1), (200, 3), (64, 200), (0, 5), (5, 0)])
def test_softmax_of_symbolic_extents(m, n):
    x = (np.random.default_rng(4).standard_normal((2, m, n)) * 3).astype(np.float32)
    cases = [(f"softmax(x, axis={axis})", softmax(x, axis), 24) for axis in (0, 1, 2)]
    check(program({"x": ((2, "M", "N"), "f32")}, [text for text, _, _ in cases], DIMS), [x], cases)


@pytest.mark.parametrize("axis", [0, 1])
def test_softmax_of_large_and_special_rows(axis):
    x = np.zeros((7, 70), np.float32)
    x[0] = 1e30
    x[1] = np.linspace(-3e38, 3e38, 70)
    x[2] = -np.inf
    x[3, 5:] = -np.inf
    x[4, 69] = np.nan
    x[5, 0] = np.inf
    x[6] = 1000 + np.arange(70) % 3
    wanted = softmax(x, 1)
    assert np.isnan(wanted[[2, 4, 5]]).all() and np.isfinite(wanted[[0, 1, 3, 6]]).all()
    if axis == 0:
        x, wanted = np.ascontiguousarray(x.T), np.ascontiguousarray(wanted.T)
    text = f"softmax(x, axis={axis})"
    check(program({"x": (x.shape, "f32")}, [text]), [x], [(text, wanted, 8)])


# ---- layer_norm ----

def layer_norm(x, weight, bias, axis, eps):
    wide = x.astype(np.float64)
    axes = tuple(range(axis, x.ndim))
    if x.size == 0:
        return wide
    with np.errstate(all="ignore"):
        centred = wide - wide.mean(axes, keepdims=True)
        scale = 1 / np.sqrt((centred**2).mean(axes, keepdims=True) + eps)
        return centred * scale * weight.astype(np.float64) + bias.astype(np.float64)


def near(result, wanted, name):
    """|error| within 2e-6 (f32) of the largest of a value and 1, or one unit of a 16-bit float."""
    unit = {"f32": 2e-6, "f16": 2.0**-10, "bf16": 2.0**-7}[name]
    got = result.astype(np.float64)
    return np.abs(got - wanted) <= unit * np.maximum(np.abs(wanted), 1)


def check_norm(params, inputs, texts, references, name, prelude=""):
    for evaluate in (False, True):
        outputs = run(program(params, texts, prelude), inputs, evaluate)
        for text, got, wanted in zip(texts, outputs, references):
            assert got.shape == wanted.shape and got.dtype == DTYPES[name], text
            same = near(got, wanted, name) | (np.isnan(got) & np.isnan(wanted))
            assert same.all(), f"{text}: {got[~same][:4]}, not {wanted[~same][:4]}"


@pytest.mark.parametrize("name, parameter", [("f32", "f32"), ("f16", "f16"), ("bf16", "bf16"), ("bf16", "f32")])
@pytest.mark.parametrize("shape", [(5, 67), (2, 3, 33), (3, 0), (0, 4), (4, 1), (67,), (2, 3, 5, 64)], ids=str)
def test_layer_norm_from_every_axis(name, parameter, shape):
    rng = np.random.default_rng(5)
    x = (rng.standard_normal(shape) * 3 + 1).astype(np.float32).astype(DTYPES[name])
    params, inputs, texts, wanted = {"x": (shape, name)}, [x], [], []
    for axis in range(len(shape)):
        rest = shape[axis:]
        for label in "wb":
            params[f"{label}{axis}"] = (rest, parameter)
            inputs.append(rng.standard_normal(rest).astype(np.float32).astype(DTYPES[parameter]))
        written = axis - len(shape) if axis % 2 else axis
        texts.append(f"layer_norm(x, w{axis}, b{axis}, axis={written}, eps=1e-5)")
        wanted.append(layer_norm(x, inputs[-2], inputs[-1], axis, 1e-5))
    check_norm(params, inputs, texts, wanted, name)


@pytest.mark.parametrize("m, n", [(3, 67), (1, 1), (2, 4095), (5, 0), (0, 5)])
def test_layer_norm_of_symbolic_extents(m, n):
    rng = np.random.default_rng(6)
    x = rng.standard_normal((m, n)).astype(np.float32)
    w, b = rng.standard_normal((2, n)).astype(np.float32)
    params = {"x": (("M", "N"), "f32"), "w": (("N",), "f32"), "b": (("N",), "f32")}
    wanted = [layer_norm(x, w, b, 1, 1e-5)]
    check_norm(params, [x, w, b], ["layer_norm(x, w, b, axis=1, eps=1e-5)"], wanted, "f32", DIMS)


def test_layer_norm_of_a_large_mean_and_a_small_variance():
    rng = np.random.default_rng(7)
    rows = [m + s * rng.standard_normal(1537) for m, s in ((1e4, 1e-2), (-1e6, 1), (1e8, 100), (3e4, 3e3))]
    x = np.array([*rows, np.full(1537, 1e8), np.full(1537, 0.1)]).astype(np.float32)
    w, b = np.ones((2, 1537), np.float32)
    params = {"x": (x.shape, "f32"), "w": ((1537,), "f32"), "b": ((1537,), "f32")}
    wanted = [layer_norm(x, w, b, 1, 1e-5)]
    check_norm(params, [x, w, b], ["layer_norm(x, w, b, axis=-1, eps=1e-5)"], wanted, "f32")


def test_layer_norm_of_special_rows():
    x = np.random.default_rng(8).standard_normal((4, 67)).astype(np.float32)
    x[0, 66], x[1, 3], x[2] = np.nan, np.inf, 1e15 * x[2]
    w, b = np.ones(67, np.float32), np.zeros(67, np.float32)
    params = {"x": (x.shape, "f32"), "w": ((67,), "f32"), "b": ((67,), "f32")}
    wanted = layer_norm(x, w, b, 1, 0)
    assert np.isnan(wanted[:2]).all() and np.isfinite(wanted[2:]).all()
    check_norm(params, [x, w, b], ["layer_norm(x, w, b, axis=1, eps=0.0)"], [wanted], "f32")


# ---- rope ----

def rope(x, cos, sin, ids):
    wide, half = x.astype(np.float64), x.shape[-1] // 2
    if cos.shape[1] == half:
        cos, sin = (np.concatenate([c, c], 1) for c in (cos, sin))
    turned = np.concatenate([-wide[..., half:], wide[..., :half]], -1)
    c, s = (np.broadcast_to(t.astype(np.float64)[ids], (*x.shape[:-2], x.shape[-1]))[..., None, :] for t in (cos, sin))
    return wide * c + turned * s


def angles(rows, width, dtype):
    turns = np.arange(rows)[:, None] / 10000.0 ** (np.arange(width) % (width // 2) / width)
    return np.cos(turns).astype(np.float32).astype(dtype), np.sin(turns).astype(np.float32).astype(dtype)


ROPE_SHAPES = [(3, 4, 2, 64), (2, 1, 1, 6), (1, 5, 3, 2), (2, 0, 3, 8)]


@pytest.mark.parametrize("full", [True, False], ids=["whole", "halves"])
@pytest.mark.parametrize("name, cache", [("f32", "f32"), ("f16", "f16"), ("bf16", "f32"), ("bf16", "bf16")])
@pytest.mark.parametrize("batch, seq, heads, width", ROPE_SHAPES)
def test_rope(name, cache, full, batch, seq, heads, width):
    rng = np.random.default_rng(9)
    q, k = (rng.standard_normal((batch, seq, h, width)).astype(np.float32).astype(DTYPES[name]) for h in (heads, 1))
    cos, sin = angles(50, width, DTYPES[cache])
    if not full:
        cos, sin = (np.ascontiguousarray(c[:, : width // 2]) for c in (cos, sin))
    for ids, dtype in ((rng.integers(0, 50, (batch, seq)), "i64"), (rng.integers(0, 50, seq), "i32")):
        ids = ids.astype(DTYPES[dtype])
        params = {"q": (q.shape, name), "k": (k.shape, name), "cos": (cos.shape, cache), "sin": (sin.shape, cache),
                  "ids": (ids.shape, dtype)}
        texts = ["rope(q, k, cos, sin, ids)[0]", "rope(q, k, cos, sin, ids)[1]"]
        wanted = [rope(x, cos, sin, ids) for x in (q, k)]
        check_norm(params, [q, k, cos, sin, ids], texts, wanted, name)


@pytest.mark.parametrize("bad", [-1, 50, 2**31 - 1])
def test_rope_refuses_a_position_outside_the_caches(bad, tmp_path):
    q = np.ones((4, 1, 8), np.float32)
    cos, sin = angles(50, 8, np.float32)
    ids = np.array([0, 49, bad, 3], np.int32)
    params = {"q": (q.shape, "f32"), "cos": (cos.shape, "f32"), "sin": (sin.shape, "f32"), "ids": ((4,), "i32")}
    path = tmp_path / "program.py"
    path.write_text(program(params, ["rope(q, q, cos, sin, ids)[0]"]))
    files = []
    for i, array in enumerate((q, cos, sin, ids)):
        files.append(tmp_path / f"in{i}.npy")
        save(files[-1], array)
    for option in ([], ["--evaluate"]):
        failed = tilefoundry("run", path, "--save", tmp_path / "out", *option, "--inputs", *files, status=1)
        assert f"the position {bad} lies outside the 50 rows of the caches" in failed.stderr
    assert not list(tmp_path.glob("out/*.npy"))
