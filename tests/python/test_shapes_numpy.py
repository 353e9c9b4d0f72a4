"""Reductions, products, ops that move values and calls against NumPy, as test_ops_numpy.py does.

Where the order of a sum is free, the inputs are small multiples of 1/8: every partial sum is exact and
the result is held to the bit.
"""

import itertools

import numpy as np
import pytest
from programs import DTYPES, FLOATS, HEADER, INTS, check, program, run
from references import DIMS, VALUE, eighths, pairs, rounded, wide


# ---- Reduce and RMSNorm ----

AXES = [(0,), (1,), (2,), (-1,), (0, 1), (0, 2), (1, 2), (0, 1, 2), ()]
FEW_AXES = [(1,), (-1,), (0, 2)]  # 16-bit floats compute in f32, and compile slowly
REDUCE = {
    "sum": lambda x, **how: np.sum(x, **how),
    "mean": lambda x, **how: np.mean(x, **how),
    "max": lambda x, **how: np.max(x, **how),
    "abs_max": lambda x, **how: np.max(np.abs(x), **how),
}


def reduce_cases(x, name, kinds):
    cases = []
    axes_of = FEW_AXES if name in ("f16", "bf16") else AXES
    for kind, axes, keep in itertools.product(kinds, axes_of, (True, False)):
        if kind == "mean" and name in INTS:
            continue
        reference = x if name in INTS else x.astype(np.float64)
        wanted = np.asarray(REDUCE[kind](reference, axis=axes, keepdims=keep))
        wanted = wanted.astype(x.dtype) if name in INTS else rounded(wanted, x.dtype)
        cases.append((f'reduce(x, axes={axes}, kind="{kind}", keepdim={keep})', wanted, VALUE))
    return cases


@pytest.mark.parametrize("kind", REDUCE)
@pytest.mark.parametrize("name", [*FLOATS, *INTS])
def test_reduce_of_two_sizes_from_one_program(name, kind):
    if kind == "mean" and name in INTS:
        pytest.skip("a mean of integers is refused")
    for shape in ((3, 5, 67), (1, 5, 130)):
        x = eighths(shape, DTYPES[name], 7)
        cases = reduce_cases(x, name, [kind])
        check(program({"x": (("M", 5, "N"), name)}, [form for form, _, _ in cases], DIMS), [x], cases)


@pytest.mark.parametrize("name", [*FLOATS, *INTS])
def test_reduce_over_no_elements(name):
    dtype = DTYPES[name]
    x = np.zeros((0, 4), dtype)
    least = np.float64(-np.inf).astype(dtype) if name in FLOATS else np.iinfo(dtype).min
    wanted = {"sum": 0, "abs_max": 0, "max": least}
    if name in FLOATS:
        wanted["mean"] = np.nan
    cases = [(f'reduce(x, axes=(0,), kind="{kind}", keepdim=False)', np.full(4, value).astype(dtype), VALUE)
             for kind, value in wanted.items()]
    cases.append(('reduce(x, axes=(1,), kind="sum")', np.zeros((0, 1), dtype), 0))
    results = [form for form, _, _ in cases]
    check(program({"x": (("M", 4), name)}, results, DIMS), [x], cases)
    check(program({"x": ((0, 4), name)}, results), [x], cases)


def test_integer_sums_wrap():
    x = np.full((3,), np.iinfo(np.int32).max, np.int32)
    total = np.sum(x, dtype=np.int32)
    cases = [('reduce(x, axes=(0,), kind="sum", keepdim=False)', total, 0), ("x + x", x + x, 0), ("x * x", x * x, 0)]
    check(program({"x": ((3,), "i32")}, [form for form, _, _ in cases]), [x], cases)


@pytest.mark.parametrize("name", FLOATS)
def test_rms_norm(name):
    for shape in ((3, 4, 67), (1, 1, 1), (2, 0, 96)):
        generator = np.random.default_rng(11)
        x = (generator.standard_normal(shape) * 3).astype(np.float32).astype(DTYPES[name])
        w = generator.standard_normal(shape[-1]).astype(np.float32).astype(DTYPES[name])
        cases = []
        for text, eps in (("", 1e-6), (", eps=0.5", 0.5)):
            value = x.astype(np.float64)
            norm = value / np.sqrt(np.mean(value * value, axis=-1, keepdims=True) + eps)
            wanted = rounded(norm * w.astype(np.float64), x.dtype)
            cases.append((f"rms_norm(x, w{text})", wanted, 4 if name == "f32" else 1))
        params = {"x": (("M", "N", "K"), name), "w": (("K",), name)}
        dims = DIMS.replace('"K", 1, 64', '"K", 1, 4096')
        check(program(params, [form for form, _, _ in cases], dims), [x, w], cases)


# ---- MatMul ----

MATMULS = [
    ((1, 24), (24, 40)), ((13, 96), (96, 13)), ((24, 40), (40, 96)), ((96, 13), (13, 24)), ((1, 1), (1, 1)),
    ((40, 24), (24, 1)), ((3, 5, 7), (3, 7, 9)), ((2, 1, 13, 24), (3, 24, 40)), ((5, 7), (4, 7, 6)), ((4, 1, 7), (7, 6)),
    ((3, 0), (0, 4)), ((0, 3), (3, 4)), ((2, 3, 4), (1, 4, 0)),
]


@pytest.mark.parametrize("name", [*FLOATS, *INTS])
def test_matmul(name):
    params, inputs, cases = {}, [], []
    for i, (left, right) in enumerate(MATMULS):
        x, y = eighths(left, DTYPES[name], i), eighths(right, DTYPES[name], i + 50)
        params |= {f"x{i}": (left, name), f"y{i}": (right, name)}
        inputs += [x, y]
        wanted = np.matmul(x.astype(np.float64), y.astype(np.float64))
        wanted = wanted.astype(x.dtype) if name in INTS else rounded(wanted, x.dtype)
        cases.append((f"x{i} @ y{i}" if i % 2 else f"matmul(x{i}, y{i})", wanted, VALUE))
    check(program(params, [form for form, _, _ in cases]), inputs, cases)


@pytest.mark.parametrize("name", ["f32", "bf16"])
def test_matmul_of_many_sizes_from_one_program(name):
    params = {"x": (("M", "K"), name), "y": (("K", "N"), name), "b": (("M", "N"), name)}
    source = program(params, ["x @ y", "b + x @ y", "transpose(x @ y, perm=(1, 0))"], DIMS)
    for m, k, n in ((1, 24, 40), (13, 63, 96), (40, 1, 13), (129, 40, 65), (0, 3, 4)):
        x, y, b = (eighths(shape, DTYPES[name], i) for i, shape in enumerate([(m, k), (k, n), (m, n)]))
        product = rounded(x.astype(np.float64) @ y.astype(np.float64), x.dtype)
        total = rounded(wide(b) + wide(product), x.dtype)
        wanted = {"product": product, "sum": total, "turned": product.T}
        check(source, [x, y, b], [(label, value, VALUE) for label, value in wanted.items()])


def test_matmul_of_random_floats():
    generator = np.random.default_rng(3)
    x, y = (generator.standard_normal(shape).astype(np.float32) for shape in ((96, 300), (300, 130)))
    source = program({"x": ((96, 300), "f32"), "y": ((300, 130), "f32")}, ["x @ y"])
    wanted = x.astype(np.float64) @ y.astype(np.float64)
    scale = np.abs(x).astype(np.float64) @ np.abs(y).astype(np.float64)
    for evaluate in (False, True):
        error = np.abs(run(source, [x, y], evaluate)[0] - wanted)
        assert np.max(error / scale) < 2**-20


def test_matmul_keeps_nan_and_infinity():
    x = np.ones((3, 40), np.float32)
    x[0, 39], x[1, 0] = np.nan, np.inf
    y = np.ones((40, 17), np.float32)
    y[0, 16] = 0
    cases = [("x @ y", (x.astype(np.float64) @ y.astype(np.float64)).astype(np.float32), VALUE)]
    assert np.isnan(cases[0][1][1, 16]) and np.isinf(cases[0][1][1, 0])
    check(program({"x": ((3, 40), "f32"), "y": ((40, 17), "f32")}, ["x @ y"]), [x, y], cases)


# ---- Moving values ----

@pytest.mark.parametrize("name", DTYPES)
def test_ops_that_move_values(name):
    x, y = pairs(name, (4, 6, 35))
    n = np.array(2, np.int64)
    cases = [
        ("reshape(x, new_shape=(24, 35))", x.reshape(24, 35), 0),
        ("reshape(x, new_shape=(840,))", x.reshape(840), 0),
        ("reshape(x, new_shape=(2, 2, 6, 5, 1, 7))", x.reshape(2, 2, 6, 5, 1, 7), 0),
        ("reshape(transpose(x, perm=(2, 0, 1)), new_shape=(7, 5, 24))", x.transpose(2, 0, 1).reshape(7, 5, 24), 0),
        ("reshape(x[0:1, 0:1, 0:1], new_shape=())", x[0, 0, 0], 0),
        *((f"transpose(x, perm={perm})", x.transpose(perm), 0) for perm in itertools.permutations(range(3))),
        ("x[1]", x[1], 0),
        ("x[-1, -2]", x[-1, -2], 0),
        ("x[0, 0, 0]", x[0, 0, 0], 0),
        ("x[1:3]", x[1:3], 0),
        ("x[..., -1]", x[..., -1], 0),
        ("x[:, 2:-1, 5:]", x[:, 2:-1, 5:], 0),
        ("x[::2, 1::3, 3:30:7]", x[::2, 1::3, 3:30:7], 0),
        ("x[-3:-1, ..., :-30]", x[-3:-1, ..., :-30], 0),
        ("x[2:2]", x[2:2], 0),
        ("x[n]", x[2], 0),
        ("x[n:n + 2, :, 1]", x[2:4, :, 1], 0),
        ("x[1:][1:, 2][:, ::5]", x[1:][1:, 2][:, ::5], 0),
        ("slice(x, (1, 0, 2), sizes=(2, 6, 3), strides=(1, 1, 4))", x[1:3, :, 2:14:4], 0),
        ("concat(x, y, axis=0)", np.concatenate([x, y], 0), 0),
        ("concat(x, y[:, :1], x[:, :0], y, axis=1)", np.concatenate([x, y[:, :1], y], 1), 0),
        ("concat(y, x, y, axis=-1)", np.concatenate([y, x, y], -1), 0),
        ("concat(x, axis=2)", x, 0),
        *((f"split(x, axis=1, num_splits=3)[{i}]", np.split(x, 3, 1)[i], 0) for i in (0, 1, -1)),
        ("split(x, axis=-1, num_splits=5)[3]", np.split(x, 5, -1)[3], 0),
        ("tuple_get_item(split(x, axis=0, num_splits=2), index=1)", x[2:], 0),
        ("x", x, 0),
    ]
    params = {"x": ((4, 6, 35), name), "y": ((4, 6, 35), name), "n": ((), "i64")}
    check(program(params, [form for form, _, _ in cases]), [x, y, n], cases)


def test_moving_values_of_symbolic_shapes():
    params = {"x": (("M", 6), "f32"), "y": (("N", 6), "f32")}
    results = [
        "reshape(x, new_shape=(M * 6,))",
        "reshape(x, new_shape=(M, 2, 3))",
        "transpose(x, perm=(1, 0))",
        "x[:, -1]",
        "concat(x, y, x, axis=0)",
        "split(y, axis=1, num_splits=2)[1]",
        "full_like(x, value=2.0)",
        'zeros(Tensor[(M + N, 1), "i32"])',
        "transpose(x, perm=(1, 0)) * 2.0",
        'reduce(concat(x, y, axis=0), axes=(0,), kind="sum")',
    ]
    source = program(params, results, DIMS)
    for m, n in ((4, 33), (1, 2), (0, 5)):
        x, y = eighths((m, 6), np.float32, 1), eighths((n, 6), np.float32, 2)
        joined = np.concatenate([x, y])
        wanted = [x.reshape(-1), x.reshape(m, 2, 3), x.T, x[:, -1], np.concatenate([x, y, x]), y[:, 3:],
                  np.full_like(x, 2), np.zeros((m + n, 1), np.int32), x.T * 2, joined.sum(0, keepdims=True)]
        check(source, [x, y], [(form, np.asarray(w), VALUE) for form, w in zip(results, wanted)])


# ---- Functions ----

CALLS = '''
@func
def scale(a: Tensor[(M, 4), "f32"], b: Tensor[(4,), "f32"]):
    return a * b


@func
def dot(a: Tensor[(3, 4), "f32"], b: Tensor[(3, 4), "f32"]):
    return reduce(a * b, axes=(0, 1), kind="sum", keepdim=False)


@func
def pair(a: Tensor[(M, 4), "f32"], b: Tensor[(3, 4), "f32"]):
    s = scale(a, b[0])
    return s, s + dot(b, b)


@func
def program(x: Tensor[(M, 4), "f32"], y: Tensor[(3, 4), "f32"]):
    a, b = pair(x, y)
    c = pair(a, y * 2.0)
    return a, b, c[1], scale(scale(x, y[1]), y[2]), dot(y, y), scale(b, c[0][0])
'''


def test_function_calls():
    for m in (2, 9):
        x, y = eighths((m, 4), np.float32, 1), eighths((3, 4), np.float32, 2)
        z = y * 2
        a = x * y[0]
        b = a + np.sum(y * y)
        c = a * z[0], a * z[0] + np.sum(z * z)
        wanted = [a, b, c[1], x * y[1] * y[2], np.sum(y * y), b * c[0][0]]
        check(HEADER + DIMS + CALLS, [x, y], [(f"result {i}", w, VALUE) for i, w in enumerate(wanted)])
