"""Every op against NumPy, in generated code and in the evaluator.

A program returns many results, so that one build covers many ops. Where the order of a sum is free,
the inputs are small multiples of 1/8: every partial sum is exact and the result is held to the bit.
"""

import itertools
import math

import numpy as np
import pytest
from programs import BF16, DTYPES, FLOATS, HEADER, INTS, check, program, run, tensor

# Value equal, either sign of zero.
VALUE = 1e-3
DIMS = 'M = DimVar("M", 0, 4096)\nN = DimVar("N", 0, 4096)\nK = DimVar("K", 1, 64)\n'
erf = np.vectorize(math.erf, otypes=[np.float64])


@pytest.fixture(autouse=True)
def quiet():
    with np.errstate(all="ignore"):
        yield


def wide(array):
    """Exact in the dtype that a float op computes in."""
    return array.astype(np.float32) if array.dtype in (np.float16, BF16) else array


def rounded(value, dtype):
    """A float64 or f32 reference, rounded once to f32 and once to the dtype."""
    value = np.asarray(value)
    return value.astype(np.float32).astype(dtype)


def specials(name):
    if name == "bool":
        return np.array([True, False])
    dtype = DTYPES[name]
    if name in INTS:
        least, most = np.iinfo(dtype).min, np.iinfo(dtype).max
        return np.array([least, least + 1, -8, -7, -3, -1, 0, 1, 2, 3, 7, 8, most], dtype)
    tiny = {"f32": 1e-45, "f16": 6e-8, "bf16": 1e-40}[name]
    most = {"f32": 3.4028235e38, "f16": 65504.0, "bf16": 3.3895314e38}[name]
    values = [np.nan, np.inf, -np.inf, 0.0, -0.0, 1, -1, 0.5, -7, 3, 2.5, -2.5, tiny, -tiny, most, -most]
    return np.array(values, np.float64).astype(dtype)


def pairs(name, shape, seed=0):
    """Two arrays that hold every pair of special values as far as they go, then random ones."""
    generator = np.random.default_rng(seed)
    dtype, size = DTYPES[name], int(np.prod(shape))
    if name == "bool":
        fill = generator.integers(0, 2, (2, size)).astype(bool)
    elif name in INTS:
        fill = generator.integers(-50, 50, (2, size)).astype(dtype)
    else:
        fill = (generator.standard_normal((2, size)) * 4).astype(np.float32).astype(dtype)
    special = specials(name)
    crossed = np.array(list(itertools.product(special, special)), dtype)[:size]
    fill[0, : len(crossed)], fill[1, : len(crossed)] = crossed[:, 0], crossed[:, 1]
    return fill[0].reshape(shape), fill[1].reshape(shape)


def eighths(shape, dtype, seed=0):
    """Multiples of 1/8 (of 1 for integers), small enough that sums of them are exact."""
    drawn = np.random.default_rng(seed).integers(-8, 9, shape)
    return (drawn / 8).astype(dtype) if DTYPES["f32"] == dtype or dtype in (np.float16, BF16) else drawn.astype(dtype)


# ---- Binary ----

def by_f32(function):
    return lambda a, b: rounded(function(wide(a), wide(b)), a.dtype)


def by_f64(function):
    return lambda a, b: rounded(function(a.astype(np.float64), b.astype(np.float64)), a.dtype)


ARITHMETIC = {  # kind: (NumPy, operator or None, ulp of f32)
    "add": (np.add, "+", 0),
    "sub": (np.subtract, "-", 0),
    "mul": (np.multiply, "*", 0),
    "floor_div": (np.floor_divide, "//", 0),
    "mod": (np.mod, "%", 0),
    "min": (np.minimum, None, VALUE),
    "max": (np.maximum, None, VALUE),
}
COMPARISONS = {
    "cmp_eq": (np.equal, "=="),
    "cmp_ne": (np.not_equal, "!="),
    "cmp_lt": (np.less, "<"),
    "cmp_le": (np.less_equal, "<="),
    "cmp_gt": (np.greater, ">"),
    "cmp_ge": (np.greater_equal, ">="),
}


def binary_forms(kind, operator):
    """The op, its alias and its operator, which all mean the same."""
    forms = [f'binary(x, y, kind="{kind}")', f"{kind}(x, y)"]
    forms += [f"x {operator} y"] if operator else []
    forms += {"min": ["minimum(x, y)"], "max": ["maximum(x, y)"]}.get(kind, [])
    return forms


def binary_cases(name, x, y):
    cases = []

    def add(kind, operator, wanted, ulps=0):
        forms = binary_forms(kind, operator)
        # Every form for f32, a form of each kind in turn for the others.
        for form in forms if name in ("f32", "bool") else [forms[len(cases) % len(forms)]]:
            cases.append((form, wanted, ulps))

    numbers = name != "bool"
    if numbers:
        for kind, (function, operator, ulps) in ARITHMETIC.items():
            add(kind, operator, (by_f32(function) if name in FLOATS else function)(x, y), ulps)
    if name in FLOATS:
        add("div", "/", by_f32(np.divide)(x, y))
        add("pow", "**", by_f64(np.power)(x, y), 1)
    for kind, (function, operator) in COMPARISONS.items():
        if numbers or kind in ("cmp_eq", "cmp_ne"):
            add(kind, operator, function(x, y))
    if name == "bool":
        add("logical_and", "and", x & y)
        add("logical_or", "or", x | y)
        cases.append(("x & y", x & y, 0))
        cases.append(("x | y", x | y, 0))
    return cases


@pytest.mark.parametrize("name", DTYPES)
def test_binary_of_two_sizes_from_one_program(name):
    for shape in ((17, 19), (3, 67)):
        x, y = pairs(name, shape)
        cases = binary_cases(name, x, y)
        params = {"x": (("M", "N"), name), "y": (("M", "N"), name)}
        check(program(params, [form for form, _, _ in cases], DIMS), [x, y], cases)


@pytest.mark.parametrize(
    "left, right",
    [((4, 1), (1, 8)), ((), (2, 3)), ((5,), (3, 1, 1)), ((1,), ()), ((0, 3), (3,)), ((2, 1, 7), (1, 5, 1))],
    ids=str,
)
def test_binary_broadcasts(left, right):
    cases, params, inputs = [], {}, []
    for name in DTYPES:
        x, y = pairs(name, left, 1)[0], pairs(name, right, 2)[1]
        params |= {f"x_{name}": (left, name), f"y_{name}": (right, name)}
        inputs += [x, y]
        function, kind = (np.not_equal, "cmp_ne") if name == "bool" else (np.subtract, "sub")
        wanted = by_f32(function)(x, y) if name in FLOATS else function(x, y)
        flipped = by_f32(function)(y, x) if name in FLOATS else function(y, x)
        cases.append((f"{kind}(x_{name}, y_{name})", wanted, 0))
        cases.append((f"{kind}(y_{name}, x_{name})", flipped, 0))
    check(program(params, [form for form, _, _ in cases]), inputs, cases)


def test_a_symbolic_extent_broadcasts_with_one():
    params = {"x": (("M", 1), "f32"), "y": (("N",), "f32"), "z": (("M", "N"), "f32")}
    for m, n in ((3, 67), (1, 1), (5, 0)):
        x, y, z = (pairs("f32", shape, i)[0] for i, shape in enumerate([(m, 1), (n,), (m, n)]))
        cases = [("x * y", x * y, 0), ("z + x", z + x, 0), ("y - z", y - z, 0)]
        check(program(params, [form for form, _, _ in cases], DIMS), [x, y, z], cases)


def test_numbers_beside_tensors_and_chained_comparisons():
    x, _ = pairs("f32", (67,))
    n, _ = pairs("i32", (67,))
    f32 = np.float32
    cases = [
        ("x + 0.1", x + f32(0.1), 0),
        ("0.1 - x", f32(0.1) - x, 0),
        ("1 / x", f32(1) / x, 0),
        ("-x", -x, 0),
        ("x ** 2.0", np.power(x.astype(np.float64), 2).astype(f32), 1),
        ("x == float('inf')", x == np.inf, 0),
        ("x < float('nan')", np.zeros(67, bool), 0),
        ("-1.0 < x <= 1.0", (x > -1) & (x <= 1), 0),
        ("not (x < 0.5)", ~(x < f32(0.5)), 0),
        ("~(x < 0.5) | (x < -1.0) & (x > -3.0)", ~(x < f32(0.5)) | ((x < -1) & (x > -3)), 0),
        ("n // 3 + n % 3", n // np.int32(3) + n % np.int32(3), 0),
        ("-7 // n", np.int32(-7) // n, 0),
        ("-n", -n, 0),
    ]
    params = {"x": ((67,), "f32"), "n": ((67,), "i32")}
    check(program(params, [form for form, _, _ in cases]), [x, n], cases)


@pytest.mark.parametrize("name", INTS)
def test_integer_division_follows_python(name):
    least = int(np.iinfo(DTYPES[name]).min)
    left = [-7, 7, -7, 7, 5, 0, least, least, least, -1, least + 1]
    right = [3, -3, -3, 3, 0, 0, -1, 0, 3, least, -1]
    x, y = np.array(left, DTYPES[name]), np.array(right, DTYPES[name])
    quotient = [a // b if b else 0 for a, b in zip(left, right)]
    remainder = [a % b if b else 0 for a, b in zip(left, right)]
    quotient[6] = least  # wraps
    cases = [
        ("x // y", np.array(quotient, DTYPES[name]), 0),
        ("x % y", np.array(remainder, DTYPES[name]), 0),
        ("x * 0 + (-7 // 3)", np.full(11, -3, DTYPES[name]), 0),
        ("x * 0 + (-7 % 3)", np.full(11, 2, DTYPES[name]), 0),
        ("x * 0 - 7 // y * 0 + full_like(x, value=-7) // 3", np.full(11, -3, DTYPES[name]), 0),
    ]
    params = {"x": ((11,), name), "y": ((11,), name)}
    check(program(params, [form for form, _, _ in cases]), [x, y], cases)


# ---- Unary ----

def exact_sigmoid(x):
    return 1 / (1 + np.exp(-x))


UNARY = {  # kind: (reference over float64, ulp of f32)
    "neg": (np.negative, 0),
    "abs": (np.abs, 0),
    "relu": (lambda x: np.maximum(x, 0), VALUE),
    "square": (np.square, 0),
    "exp": (np.exp, 2),
    "exp2": (np.exp2, 2),
    "log": (np.log, 2),
    "log2": (np.log2, 2),
    "log1p": (np.log1p, 2),
    "sqrt": (np.sqrt, 0),
    "rsqrt": (lambda x: 1 / np.sqrt(x), 2),
    "sin": (np.sin, 3),
    "cos": (np.cos, 3),
    "erf": (erf, 2),
    "ceil": (np.ceil, 0),
    "floor": (np.floor, 0),
    "round": (np.rint, 0),
}


def unary_cases(name, x):
    cases = []
    for kind, (function, ulps) in UNARY.items():
        if name in INTS and kind not in ("neg", "abs", "relu", "square"):
            continue
        if name in INTS:
            wanted = function(x).astype(x.dtype)
        else:
            wanted = rounded(function(x.astype(np.float64)), x.dtype)
            ulps = min(ulps, 1) if name != "f32" else ulps
        cases.append((f"{kind}(x)", wanted, ulps))
        if name == "f32":
            cases.append((f'unary(x, kind="{kind}")', wanted, ulps))
    if name in FLOATS:
        silu = x.astype(np.float64) * exact_sigmoid(x.astype(np.float64))
        silu = np.where(x == -np.inf, np.nan, silu)
        low = x.astype(np.float64) < -80  # tails below the normal numbers
        cases.append(("silu(where(x < -80.0, full_like(x, value=1.0), x))",
                      rounded(np.where(low, exact_sigmoid(1.0), silu), x.dtype), 3 if name == "f32" else 1))
    return cases


@pytest.mark.parametrize("name", [*FLOATS, *INTS])
def test_unary_of_two_sizes_from_one_program(name):
    for shape in ((5, 67), (2, 3)):
        x, _ = pairs(name, shape[::-1])
        x = np.ascontiguousarray(x.T)
        cases = unary_cases(name, x)
        check(program({"x": (("M", "N"), name)}, [form for form, _, _ in cases], DIMS), [x], cases)


def test_logical_not():
    x = np.array([True, False, True])
    cases = [(form, ~x, 0) for form in ("logical_not(x)", "not x", "~x", 'unary(x, kind="logical_not")')]
    check(program({"x": ((3,), "bool")}, [form for form, _, _ in cases]), [x], cases)


def test_silu_of_large_and_special_arguments():
    x = np.array([np.nan, np.inf, -0.0, 0.0, 88.0, 200.0, -88.0, -5.0, 3e38], np.float32)
    wide_x = x.astype(np.float64)
    wanted = (wide_x * exact_sigmoid(wide_x)).astype(np.float32)
    check(program({"x": ((9,), "f32")}, ["silu(x)"]), [x], [("silu", wanted, 3)])


# ---- Special values ----

@pytest.mark.parametrize("name", FLOATS)
def test_nan_wins_min_and_max_at_every_lane(name):
    """Row k holds a nan in column k: each vector lane and each place of the tail has its turn."""
    clean = eighths((67, 67), DTYPES[name])
    x = np.where(np.eye(67, dtype=bool), DTYPES[name].type(np.nan), clean)
    nan_all = np.full(67, np.nan, DTYPES[name])
    cases = []
    for kind, function in (("min", np.minimum), ("max", np.maximum)):
        wanted = rounded(function(wide(x), wide(clean)), x.dtype)
        assert np.isnan(wanted.astype(np.float32)).sum() == 67
        cases += [(f"{kind}(x, y)", wanted, VALUE), (f"{kind}(y, x)", wanted, VALUE)]
    for kind in ("max", "abs_max", "sum", "mean"):
        cases += [(f'reduce(x, axes=({axis},), kind="{kind}", keepdim=False)', nan_all, 0) for axis in (0, 1)]
    cases.append(('reduce(x, axes=(0, 1), kind="max", keepdim=False)', nan_all[0], 0))
    limited = rounded(np.where(np.isnan(wide(x)), np.nan, np.clip(wide(x), -0.5, 0.5)), x.dtype)
    cases.append(("clamp(x, min_val=-0.5, max_val=0.5)", limited, VALUE))
    cases.append(("relu(x)", rounded(np.maximum(wide(x), 0), x.dtype), VALUE))
    params = {"x": ((67, 67), name), "y": ((67, 67), name)}
    check(program(params, [form for form, _, _ in cases]), [x, clean], cases)


def test_nan_at_every_place_of_one_vector():
    """The same for whole vectors of 67, whose rows are reduced to one number each."""
    clean = eighths((67, 67), np.float32)
    x = np.where(np.eye(67, dtype=bool), np.float32(np.nan), clean)
    results = [f'reduce(x[{k}], axes=(0,), kind="max", keepdim=False)' for k in range(67)]
    cases = [(form, np.float32(np.nan), 0) for form in results]
    check(program({"x": ((67, 67), "f32")}, results), [x], cases)


# ---- Cast, Clamp, Where, Zeros, FullLike ----

def cast_reference(x, source, target):
    dtype = DTYPES[target]
    if target == "bool":
        return x != 0
    if source in FLOATS and target in INTS:
        info = np.iinfo(dtype)
        values = np.trunc(x.astype(np.float64))
        whole = [0 if np.isnan(v) else int(max(min(v, 2.0**63), -(2.0**63))) for v in values.ravel()]
        return np.array([min(max(v, info.min), info.max) for v in whole], dtype).reshape(x.shape)
    if source in ("i32", "i64") and target in FLOATS:
        return x.astype(np.float32).astype(dtype)
    if source in FLOATS and target in FLOATS:
        return wide(x).astype(dtype)
    return x.astype(dtype)


@pytest.mark.parametrize("source", DTYPES)
def test_cast_to_every_dtype(source):
    x, _ = pairs(source, (300,))
    if source in FLOATS:
        x[100:106] = np.array([2147483648, -2147483904, 16777217, 9e18, -9.3e18, 0.99], np.float64).astype(x.dtype)
    if source == "i64":
        x[200:204] = [2**31, -(2**31) - 1, 2**40 + 5, 2**62 + 2**38 + 1]
    if source in INTS:
        x[204:208] = [16777217, 33554435, 65519, 65520]
    cases = [(f'cast(x, dtype="{target}")', cast_reference(x, source, target), 0) for target in DTYPES]
    check(program({"x": ((300,), source)}, [form for form, _, _ in cases]), [x], cases)


@pytest.mark.parametrize("name", DTYPES)
def test_clamp_where_zeros_full_like(name):
    shape = (3, 35)
    x, y = pairs(name, shape)
    c = np.random.default_rng(5).integers(0, 2, shape).astype(bool)
    zero = np.zeros(shape, DTYPES[name])
    cases = [
        ("where(c, x, y)", np.where(c, x, y), 0),
        ("where(c[:, 0:1], x, y[0])", np.where(c[:, 0:1], x, y[0]), 0),
        (f"zeros({tensor(shape, name)})", zero, 0),
        (f"zeros({tensor((), name)})", zero[0, 0], 0),
        ("full_like(x, value=1)", np.ones(shape, DTYPES[name]), 0),
    ]
    if name != "bool":
        cases.append(("full_like(x, value=-3)", np.full(shape, -3).astype(DTYPES[name]), 0))
        limited = np.minimum(np.maximum(wide(x), wide(zero) - 2), wide(zero) + 3)
        cases.append(("clamp(x, min_val=-2, max_val=3)", limited.astype(x.dtype), VALUE))
    if name in FLOATS:
        cases.append(("full_like(x, value=0.1)", np.full(shape, np.float32(0.1)).astype(DTYPES[name]), 0))
        cases.append(("full_like(x, value=float('-inf'))", np.full(shape, -np.inf).astype(DTYPES[name]), 0))
        cases.append(("full_like(x, value=-0.0)", np.full(shape, -0.0).astype(DTYPES[name]), 0))
    params = {"x": (shape, name), "y": (shape, name), "c": (shape, "bool")}
    check(program(params, [form for form, _, _ in cases]), [x, y, c], cases)


# ---- Shapes of element-wise ops ----

@pytest.mark.parametrize("shape", [(), (1,), (0,), (0, 3), (3, 0, 2), (1, 1, 1), (67,), (3, 1, 5), (2, 3, 1, 7)], ids=str)
def test_element_wise_ops_of_every_rank(shape):
    params, inputs, cases = {}, [], []
    for name in DTYPES:
        x, y = pairs(name, shape, 3)
        params |= {f"x_{name}": (shape, name), f"y_{name}": (shape, name)}
        inputs += [x, y]
        chosen = [case for case in binary_cases(name, x, y) if case[0].split("(")[0] in ("binary", "add", "max", "logical_or")]
        chosen = chosen[:3] + ([] if name == "bool" else unary_cases(name, x)[:6:2])
        chosen.append(("where(x != y, x, y)", np.where(x != y, x, y), 0))
        for form, wanted, ulps in chosen:
            named = form.replace("x,", f"x_{name},").replace(" y", f" y_{name}").replace("(x", f"(x_{name}")
            named = named.replace(f"x_{name}_{name}", f"x_{name}")
            cases.append((named, np.asarray(wanted), ulps))
    check(program(params, [form for form, _, _ in cases]), inputs, cases)


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
    cases = [('reduce(x, axes=(0,), kind="sum", keepdim=False)', np.sum(x, dtype=np.int32), 0), ("x + x", x + x, 0),
             ("x * x", x * x, 0)]
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
            cases.append((f"rms_norm(x, w{text})", rounded(norm * w.astype(np.float64), x.dtype), 4 if name == "f32" else 1))
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
        check(source, [x, y, b], [("product", product, VALUE), ("sum", total, VALUE), ("turned", product.T, VALUE)])


def test_matmul_of_random_floats():
    generator = np.random.default_rng(3)
    x, y = generator.standard_normal((96, 300)).astype(np.float32), generator.standard_normal((300, 130)).astype(np.float32)
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


# ---- Chains that passes fuse keep the rounding of each op ----

@pytest.mark.parametrize("name", FLOATS)
def test_fused_chains_round_after_every_op(name):
    x, y = pairs(name, (7, 67), 9)
    x, y = x[4:], y[4:]
    dtype = DTYPES[name]

    def op(function, a, b):
        return rounded(function(wide(a), wide(b)), dtype)

    product = op(np.multiply, x, y)
    total = op(np.add, product, x)
    third = np.float32(3).astype(dtype)
    shrunk = op(np.divide, total, third)
    m = op(np.subtract, shrunk, rounded(wide(shrunk).max(1, keepdims=True), dtype))
    results = [
        "x * y + x",
        "(x * y + x) / 3.0",
        "(x * y + x) / 3.0 - reduce((x * y + x) / 3.0, axes=(1,), kind='max')",
    ]
    params = {"x": (x.shape, name), "y": (x.shape, name)}
    check(program(params, results), [x, y], list(zip(results, [total, shrunk, m], [0, 0, 0])))
