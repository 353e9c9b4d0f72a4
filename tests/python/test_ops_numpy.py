"""Element-wise ops against NumPy, in generated code and in the evaluator.

A program returns many results, so that one build covers many ops.
"""

import itertools
import math

import numpy as np
import pytest
from programs import DTYPES, FLOATS, INTS, check, program, tensor
from references import DIMS, VALUE, eighths, pairs, rounded, wide

erf = np.vectorize(math.erf, otypes=[np.float64])


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
        edges = [2147483648, -2147483904, 16777217, 9e18, -9.3e18, 0.99]
        x[100:106] = np.array(edges, np.float64).astype(x.dtype)
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

SHAPES = [(), (1,), (0,), (0, 3), (3, 0, 2), (1, 1, 1), (67,), (3, 1, 5), (2, 3, 1, 7)]


@pytest.mark.parametrize("shape", SHAPES, ids=str)
def test_element_wise_ops_of_every_rank(shape):
    params, inputs, cases = {}, [], []
    for name in DTYPES:
        x, y = pairs(name, shape, 3)
        params |= {f"x_{name}": (shape, name), f"y_{name}": (shape, name)}
        inputs += [x, y]
        kinds = ("binary", "add", "max", "logical_or")
        chosen = [case for case in binary_cases(name, x, y) if case[0].split("(")[0] in kinds]
        chosen = chosen[:3] + ([] if name == "bool" else unary_cases(name, x)[:6:2])
        chosen.append(("where(x != y, x, y)", np.where(x != y, x, y), 0))
        for form, wanted, ulps in chosen:
            named = form.replace("x,", f"x_{name},").replace(" y", f" y_{name}").replace("(x", f"(x_{name}")
            named = named.replace(f"x_{name}_{name}", f"x_{name}")
            cases.append((named, np.asarray(wanted), ulps))
    check(program(params, [form for form, _, _ in cases]), inputs, cases)


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
