"""device/cpu/math.inc and scalar.inc against extended precision, NumPy, ml_dtypes and Python."""

import ctypes
import math
import re
import subprocess

import ml_dtypes
import numpy as np
import pytest

import device_text

ITEMS = device_text.read_items("math.inc", "scalar.inc")
LD = np.longdouble
normcdf_exact = np.frompyfunc(lambda v: 0.5 * math.erfc(-v / math.sqrt(2)), 1, 1)
erf_exact = np.frompyfunc(lambda v: math.erf(v), 1, 1)


def sigmoid_exact(x):
    z = np.exp(-np.abs(x))
    return np.where(x >= 0, 1, z) / (1 + z)


# name: (exact function on long double, allowed ulp)
UNARY = {
    "exp": (np.exp, 1.0),
    "exp_fast": (lambda x: np.where(x < LD(-87.33654), 0, np.where(x > LD(88.37626), np.inf, np.exp(x))), 1.0),
    "exp2": (np.exp2, 1.25),
    "expm1": (np.expm1, 0.6),
    "log": (np.log, 1.0),
    "log2": (np.log2, 0.6),
    "log1p": (np.log1p, 1.0),
    "sin": (np.sin, 1.75),
    "cos": (np.cos, 1.75),
    "tanh": (np.tanh, 1.75),
    "erf": (lambda x: erf_exact(x.astype(np.float64)).astype(np.float64), 1.25),
    "rsqrt": (lambda x: 1 / np.sqrt(x), 1.75),
    "sigmoid": (sigmoid_exact, 2.5),
    "normcdf": (lambda x: normcdf_exact(x.astype(np.float64)).astype(np.float64), 7.0),
    "softplus": (lambda x: np.maximum(x, 0) + np.log1p(np.exp(-np.abs(x))), 1.75),
    "sqrt": (np.sqrt, 0.5),
    "reciprocal": (lambda x: 1 / x, 0.5),
    "floor": (np.floor, 0.0),
    "ceil": (np.ceil, 0.0),
    "trunc": (np.trunc, 0.0),
    "round": (np.rint, 0.0),
    "abs": (np.abs, 0.0),
    "sign": (np.sign, 0.0),
    "relu": (lambda x: np.maximum(x, 0), 0.0),
}
KINDS = {  # C type: NumPy type
    "float": np.float32,
    "tf_i32": np.int32,
    "tf_i64": np.int64,
    "tf_u16": np.uint16,
    "tf_u8": np.uint8,
}


def loops():
    """One exported loop for each function of one or two scalars."""
    text, table = device_text.emit(ITEMS, list(ITEMS)), {}
    pattern = r"^static inline (?:__attribute__\(\(always_inline\)\) )?(\w+) (tf_\w+)\(([^)*]*)\) \{"
    for result, name, parameters in re.findall(pattern, text, re.M):
        kinds = [p.strip().split(" ")[0] for p in parameters.split(",")]
        if result not in KINDS or any(k not in KINDS for k in kinds) or len(kinds) > 2:
            continue
        table[name] = (kinds, result)
        arguments = "".join(f"const {k}* __restrict x{i}, " for i, k in enumerate(kinds))
        values = ", ".join(f"x{i}[i]" for i in range(len(kinds)))
        text += (
            f'extern "C" void loop_{name}({arguments}{result}* __restrict y, tf_i64 n) {{\n'
            f"  for (tf_i64 i = 0; i < n; i++) y[i] = {name}({values});\n}}\n"
        )
    return text, table


SOURCE, TABLE = loops()


@pytest.fixture(scope="module", params=device_text.cpu_targets()[:3])
def call(request):
    library = device_text.build(SOURCE, device_text.TARGETS[request.param])

    def run(name, *inputs):
        kinds, result = TABLE[name]
        arrays = [np.ascontiguousarray(x, KINDS[k]).ravel() for x, k in zip(inputs, kinds, strict=True)]
        out = np.empty(arrays[0].size, KINDS[result])
        pointers = [ctypes.c_void_p(a.ctypes.data) for a in [*arrays, out]]
        getattr(library, "loop_" + name)(*pointers, ctypes.c_long(out.size))
        return out

    return run


def f32_arguments(seed=1):
    """Every f16 and bf16 value, random bit patterns, and where functions are delicate."""
    rng = np.random.default_rng(seed)
    half = np.arange(65536, dtype=np.uint16)
    bits = rng.integers(0, 2**32, 300_000, dtype=np.uint32).view(np.float32)
    near = [rng.normal(0, s, 60_000).astype(np.float32) for s in (1e-3, 0.3, 1, 10, 60)]
    one = (1 + rng.normal(0, 0.1, 60_000)).astype(np.float32)
    turns = (np.arange(-20_000, 20_000) * (np.pi / 4)).astype(np.float32)
    steps = (np.arange(-2000, 2000) * 0.5).astype(np.float32)
    edges = np.array(
        [0.0, -0.0, np.inf, -np.inf, np.nan, 1e-45, -1e-45, 1.17549435e-38, 3.4028235e38]
        + [88.72283, 88.72284, -87.33655, -103.97208, -103.97209, 128, -149, -150, -149.5, -1]
        + [0.625, 0.925, 4.0, 8388607.5, 8388608.5, 2147483648.0, 5.3761813e30, 1.6e38],
        np.float32,
    )
    with np.errstate(all="ignore"):
        floats = [half.view(np.float16).astype(np.float32), half.view(ml_dtypes.bfloat16).astype(np.float32)]
    return np.concatenate([*floats, bits, *near, one, turns, steps, edges])


def ulp_error(got, exact):
    """|got - exact| in units of the f32 spacing at exact; 0 where both are nan or the same inf."""
    exact = exact.astype(LD)
    with np.errstate(all="ignore"):
        _, exponent = np.frexp(exact)
        unit = np.ldexp(LD(1), np.maximum(exponent.astype(np.int64) - 24, -149).astype(np.int32))
        error = np.abs(got.astype(LD) - exact) / unit
        rounded = exact.astype(np.float32)
    same = (np.isnan(got) & np.isnan(exact)) | (np.isinf(rounded) & (got == rounded))
    return np.where(same, 0, np.where(np.isfinite(rounded) & np.isfinite(got), error, np.inf))


def check_ulp(x, got, exact, bound):
    error = ulp_error(got, exact)
    # Where the exact value rounds to infinity or just misses it, the largest number is one ulp off.
    edge = (np.abs(exact.astype(LD)) > LD(3.4028233e38)) & (bound > 0) & np.isfinite(exact)
    error = np.where(edge & (np.abs(got) >= np.float32(3.4028233e38)), 0, error)
    worst = int(np.argmax(error))
    print(f"max {float(error[worst]):.3f} ulp at {x[worst]!r}")
    assert error[worst] <= bound, (x[worst], got[worst], exact[worst], float(error[worst]))
    zero = (exact == 0) & (got == 0)
    assert np.array_equal(np.signbit(got[zero]), np.signbit(exact[zero]))


@pytest.mark.parametrize("name", UNARY)
def test_unary(call, name):
    function, bound = UNARY[name]
    x = f32_arguments()
    with np.errstate(all="ignore"):
        exact = function(x.astype(LD))
    if name == "relu":
        exact = np.where(x == 0, LD(0), exact)
    check_ulp(x, call(f"tf_{name}_f32", x), exact, bound)


def test_pow(call):
    rng = np.random.default_rng(7)
    special = np.array(
        [0.0, -0.0, 1, -1, np.inf, -np.inf, np.nan, 0.5, -0.5, 2, -2, 3, -3, 1e-40, -1e-40, 16777215.0]
        + [-16777217.0, 3e38, -3e38, 0.99999994, 1.0000001, 2.5, 7, -8, 149, -150],
        np.float32,
    )
    x, y = (g.ravel() for g in np.meshgrid(special, special))
    x = np.concatenate([x, np.exp(rng.normal(0, 3, 400_000)).astype(np.float32), rng.normal(0, 3, 99_999).astype(np.float32)])
    y = np.concatenate([y, rng.normal(0, 9, 400_000).astype(np.float32), rng.integers(-9, 9, 99_999).astype(np.float32)])
    with np.errstate(all="ignore"):
        exact = np.power(x.astype(LD), y.astype(LD))
    check_ulp(x, call("tf_pow_f32", x, y), exact, 0.6)


def test_huge_angles(call):
    # 16367173 * 2^72 lies very near a multiple of pi/2.
    x = np.ldexp(np.float32(1) + np.arange(1, 4000, dtype=np.float32) / 4096, 100).astype(np.float32)
    x = np.concatenate([x, np.array([16367173.0 * 2.0**72, 2.0**127, 3.4028235e38], np.float32)])
    check_ulp(x, call("tf_sin_f32", x), np.sin(x.astype(LD)), 1.75)
    check_ulp(x, call("tf_cos_f32", x), np.cos(x.astype(LD)), 1.75)


@pytest.mark.parametrize("name, narrow", [("bf16", ml_dtypes.bfloat16), ("f16", np.float16)])
def test_half_types(call, name, narrow):
    half = np.arange(65536, dtype=np.uint16)
    with np.errstate(all="ignore"):
        wide = half.view(narrow).astype(np.float32)
        got = call(f"tf_{name}_to_f32", half)
        np.testing.assert_array_equal(got, wide)
        numbers = ~np.isnan(wide)
        assert np.array_equal(got.view(np.uint32)[numbers], wide.view(np.uint32)[numbers])
        x = f32_arguments(3)
        # Midpoints between neighbours, and one bit to either side of them.
        mid = ((wide[:-1].astype(np.float64) + wide[1:]) / 2).astype(np.float32)
        bits = mid.view(np.uint32)
        x = np.concatenate([x, mid, (bits + np.uint32(1)).view(np.float32), (bits - np.uint32(1)).view(np.float32)])
        want = x.astype(narrow)
        back = call(f"tf_f32_to_{name}", x)
        nan = np.isnan(x)
        assert np.array_equal(back[~nan], want.view(np.uint16)[~nan])
        assert np.isnan(back[nan].view(narrow).astype(np.float32)).all()
        np.testing.assert_array_equal(call(f"tf_round_{name}", x), want.astype(np.float32))


def test_f8e4m3(call):
    kind = ml_dtypes.float8_e4m3fn
    every = np.arange(256, dtype=np.uint8)
    wide = every.view(kind).astype(np.float32)
    np.testing.assert_array_equal(call("tf_f8e4m3_to_f32", every), wide)
    half = np.arange(65536, dtype=np.uint16).view(np.float16)
    with np.errstate(all="ignore"):
        x = np.concatenate([f32_arguments(4), half.astype(np.float32), (wide[:-1] + wide[1:]) / 2])
        want = np.clip(x, -448, 448).astype(kind).view(np.uint8)
    got, nan = call("tf_f32_to_f8e4m3", x), np.isnan(x)
    assert np.array_equal(got[~nan], want[~nan])
    assert np.all(got[nan] & 0x7F == 0x7F)


def test_f8e8m0(call):
    kind = ml_dtypes.float8_e8m0fnu
    every = np.arange(256, dtype=np.uint8)
    np.testing.assert_array_equal(call("tf_f8e8m0_to_f32", every), every.view(kind).astype(np.float32))
    x = f32_arguments(5)
    got = call("tf_f32_to_f8e8m0", x).astype(np.int64)
    valid = (x > 0) & (x < np.float32(1.5 * 2.0**127))
    assert np.all(got[~valid] == 255)
    power = np.ldexp(np.float64(1), got[valid] - 127)
    ratio = x[valid].astype(np.float64) / power
    assert np.all((ratio < 1.5) & ((ratio >= 0.75) | (got[valid] == 0)))


def integers(bits, seed=11):
    rng = np.random.default_rng(seed)
    low, high = -(2 ** (bits - 1)), 2 ** (bits - 1) - 1
    special = [0, 1, -1, 2, -2, 3, -7, 7, low, low + 1, high, high - 1, 10, -10]
    a = [int(v) for v in special for _ in special] + [int(v) for v in rng.integers(low, high, 3000)]
    b = special * len(special) + [int(v) for v in rng.integers(low, high, 1500)] + [int(v) for v in rng.integers(-20, 20, 1500)]
    return a, b


def wrap(value, bits):
    return (value + 2 ** (bits - 1)) % 2**bits - 2 ** (bits - 1)


@pytest.mark.parametrize("bits", [32, 64])
@pytest.mark.parametrize(
    "name, function",
    [
        ("add", lambda a, b: a + b),
        ("sub", lambda a, b: a - b),
        ("mul", lambda a, b: a * b),
        ("floordiv", lambda a, b: a // b if b else 0),
        ("mod", lambda a, b: a % b if b else 0),
        ("min", min),
        ("max", max),
    ],
)
def test_integer_binary(call, bits, name, function):
    a, b = integers(bits)
    kind = {32: np.int32, 64: np.int64}[bits]
    got = call(f"tf_{name}_i{bits}", np.array(a, kind), np.array(b, kind))
    assert got.tolist() == [wrap(function(x, y), bits) for x, y in zip(a, b)]


@pytest.mark.parametrize("bits", [32, 64])
@pytest.mark.parametrize("name, function", [("neg", lambda a: -a), ("abs", abs), ("sign", lambda a: (a > 0) - (a < 0))])
def test_integer_unary(call, bits, name, function):
    a, _ = integers(bits)
    got = call(f"tf_{name}_i{bits}", np.array(a, {32: np.int32, 64: np.int64}[bits]))
    assert got.tolist() == [wrap(function(x), bits) for x in a]


def float_pairs():
    rng = np.random.default_rng(5)
    special = np.array(
        [0.0, -0.0, 1, -1, 3, -3, 7, -7, 0.1, -0.3, np.inf, -np.inf, np.nan, 1e-45, -1e-45, 3e38, 1e-38, 1e30],
        np.float32,
    )
    a, b = (g.ravel() for g in np.meshgrid(special, special))
    bits = rng.integers(0, 2**32, (2, 50_000), dtype=np.uint32).view(np.float32)
    near = rng.normal(0, 20, (2, 50_000)).astype(np.float32)
    whole = rng.integers(-50, 50, (2, 20_000)).astype(np.float32)
    return np.concatenate([a, bits[0], near[0], whole[0]]), np.concatenate([b, bits[1], near[1], whole[1]])


@pytest.mark.parametrize(
    "name, function",
    [("floordiv", np.floor_divide), ("mod", np.mod), ("min", np.minimum), ("max", np.maximum)],
)
def test_float_binary(call, name, function):
    a, b = float_pairs()
    with np.errstate(all="ignore"):
        want = function(a, b)
    got = call(f"tf_{name}_f32", a, b)
    np.testing.assert_array_equal(got, want)
    if name in ("floordiv", "mod"):
        zero = want == 0
        assert np.array_equal(np.signbit(got[zero]), np.signbit(want[zero]))


@pytest.mark.parametrize(
    "name, low, high",
    [("i32", -(2**31), 2**31 - 1), ("i64", -(2**63), 2**63 - 1), ("i8", -128, 127), ("u8", 0, 255)],
)
def test_float_to_integer(call, name, low, high):
    x = np.concatenate([f32_arguments(9)[::7], np.array([-2147483904.0, 2147483520.0, 9.223372e18, -9.223372e18, -0.9, 255.5], np.float32)])

    def exact(v):
        if math.isnan(v):
            return 0
        return max(low, min(high, math.trunc(v) if math.isfinite(v) else int(math.copysign(2**70, v))))

    assert call(f"tf_f32_to_{name}", x).tolist() == [exact(float(v)) for v in x]


def test_nibbles():
    text = device_text.emit(ITEMS, ["tf_i4_at", "tf_u4_at"]) + (
        'extern "C" int signed_at(const tf_u8* p, long i) { return tf_i4_at(p, i); }\n'
        'extern "C" int unsigned_at(const tf_u8* p, long i) { return tf_u4_at(p, i); }\n'
    )
    library = device_text.build(text, [])
    data = bytes(range(256))
    for index in range(512):
        nibble = data[index // 2] >> (4 * (index % 2)) & 15
        assert library.unsigned_at(data, ctypes.c_long(index)) == nibble
        assert library.signed_at(data, ctypes.c_long(index)) == (nibble if nibble < 8 else nibble - 16)


def test_each_item_compiles_alone():
    for name in ITEMS:
        text = device_text.emit(ITEMS, [name])
        assert "#include" not in text and "#define" not in text and "template" not in text, name
    heavy = ["tf_pow_f32", "tf_softplus_f32", "tf_floordiv_f32", "tf_round_f16", "tf_erf_f32"]
    for name in heavy:
        device_text.build(device_text.emit(ITEMS, [name]), [])


@pytest.mark.parametrize("target", [t for t in device_text.cpu_targets() if t in ("avx2", "avx512")])
def test_loops_vectorize(target, tmp_path):
    """Each unary f32 function leaves packed instructions in its loop: no libm, no scalar fallback."""
    cxx = device_text.compiler()
    for name in ("exp", "log", "sin", "tanh", "erf", "sigmoid", "softplus", "normcdf", "round", "floor"):
        text = device_text.emit(ITEMS, [f"tf_{name}_f32"]) + (
            f'extern "C" void loop(const float* __restrict x, float* __restrict y, long n) {{\n'
            f"  for (long i = 0; i < n; i++) y[i] = tf_{name}_f32(x[i]);\n}}\n"
        )
        path = tmp_path / f"{name}.cc"
        path.write_text(text)
        done = subprocess.run(
            [cxx, *device_text.flags(cxx), *device_text.TARGETS[target], "-Wno-error", "-S", "-o", "-", str(path)],
            capture_output=True,
            text=True,
            check=True,
        )
        assert re.search(r"\bv\w+p[sd]\s.*%[yz]mm", done.stdout), name
        assert "call" not in done.stdout, name
