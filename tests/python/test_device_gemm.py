"""device/cpu/gemm*.inc: products of odd shapes, layouts and types against float64 and Python."""

import ctypes
import itertools

import ml_dtypes
import numpy as np
import pytest

import device_text

BLOCKS = {"KC": 320, "NC": 1024, "MC": 96, "COPY_A": 0, "TILE": "tail_tile", "A": "any", "B": "any"}
KERNELS = {
    "base": "gemm_portable.inc",
    "avx2": "gemm_avx2.inc",
    "avx512": "gemm_avx512.inc",
    "avx512bf16": "gemm_avx512.inc",
}
TYPES = {"f32": ("float", np.float32), "bf16": ("tf_u16", ml_dtypes.bfloat16), "f16": ("tf_u16", np.float16)}
EPSILON = 2.0**-24
BODY = ctypes.CFUNCTYPE(None, ctypes.c_void_p, ctypes.c_int64, ctypes.c_int64, ctypes.c_int32)
PARALLEL = ctypes.CFUNCTYPE(None, ctypes.c_void_p, BODY, ctypes.c_void_p, ctypes.c_int64, ctypes.c_int64)
EXPORTS = """
extern "C" tf_i64 scratch(tf_i64 m, tf_i64 n, tf_i64 k) { return tf_gemm_scratch(m, n, k); }
extern "C" void run_@S@(tf_i64 m, tf_i64 n, tf_i64 k, const void* a, tf_i64 a_rs, tf_i64 a_cs,
                        const void* b, tf_i64 b_rs, tf_i64 b_cs, float* c, tf_i64 c_rs,
                        int accumulate, float* s) {
  tf_gemm_@S@(m, n, k, (const @T@*)a, a_rs, a_cs, (const @T@*)b, b_rs, b_cs, c, c_rs, accumulate, s);
}
extern "C" void parallel_@S@(tf_i64 m, tf_i64 n, tf_i64 k, const void* a, tf_i64 a_rs, tf_i64 a_cs,
                             const void* b, tf_i64 b_rs, tf_i64 b_cs, float* c, tf_i64 c_rs,
                             int accumulate, float* s, TfParallelFor f, tf_i64 workers) {
  tf_gemm_parallel_@S@(f, nullptr, workers, m, n, k, (const @T@*)a, a_rs, a_cs, (const @T@*)b, b_rs,
                       b_cs, c, c_rs, accumulate, s);
}
"""


def source(target, kind, path="", **blocks):
    """The text that the compiler would emit for one product, with entries to call it."""
    items = {}

    def add(element, *files):
        """Adds the items of the files; of two with one name the first counts."""
        for name, (needs, text) in device_text.read_items(*files).items():
            for key, value in {**BLOCKS, **blocks, "PATH": path, "S": element, "T": TYPES[element][0]}.items():
                name = name.replace(f"@{key}@", str(value))
                needs = [n.replace(f"@{key}@", str(value)) for n in needs]
                text = text.replace(f"@{key}@", str(value))
            items.setdefault(name, (needs, text))

    add("f32", "math.inc", "scalar.inc", KERNELS[target], "gemm.inc")
    if target == "avx512bf16":
        add("bf16", "gemm_pairs.inc")
    add(kind, "gemm.inc")
    text = device_text.emit(items, [f"tf_gemm_parallel_{kind}", f"tf_gemm_{path}{kind}"])
    assert "@" not in text
    exports = EXPORTS.replace("  tf_gemm_@S@(", f"  tf_gemm_{path}@S@(")
    return text + exports.replace("@S@", kind).replace("@T@", TYPES[kind][0])


def library(target, kind, **blocks):
    return device_text.build(source(target, kind, **blocks), device_text.TARGETS[target])


TARGETS = [t for t in device_text.cpu_targets() if t in KERNELS]


def laid_out(values, order, pad, rng):
    """The matrix in the given layout (row, column, both strided) inside a larger array."""
    rows, cols = values.shape
    if order == "row":
        base = np.zeros((rows, cols + pad), values.dtype)
        view = base[:, :cols]
    elif order == "column":
        base = np.zeros((cols, rows + pad), values.dtype)
        view = base[:, :rows].T
    else:
        base = np.zeros((rows, 2 * cols + pad, 3), values.dtype)
        view = base[:, : 2 * cols : 2, 1]
    base.view(np.uint8)[...] = 0x7F  # what lies between must not matter: nan or huge
    view[...] = values
    return base, view


def strides(view):
    return [s // view.itemsize for s in view.strides]


def check(lib, kind, m, n, k, order_a="row", order_b="row", accumulate=False, pad=3, parallel=None, workers=1):
    dtype = TYPES[kind][1]
    rng = np.random.default_rng(m * 1000003 + n * 1009 + k)
    values_a = rng.uniform(-1, 1, (m, k)).astype(dtype)
    values_b = rng.uniform(-1, 1, (k, n)).astype(dtype)
    keep_a, a = laid_out(values_a, order_a, pad, rng)
    keep_b, b = laid_out(values_b, order_b, pad, rng)
    base = np.full((m + 2, n + 5), 777.0, np.float32)
    c = base[1 : m + 1, 2 : n + 2]
    start = rng.uniform(-1, 1, (m, n)).astype(np.float32)
    c[...] = start if accumulate else np.nan
    size = lib.scratch(*map(ctypes.c_long, (m, n, k))) * workers
    scratch = np.full(size + 64, np.nan, np.float32)
    scratch[size:] = 555.0
    arguments = [ctypes.c_long(v) for v in (m, n, k)]
    for view, where in ((a, strides(a)), (b, strides(b))):
        arguments += [ctypes.c_void_p(view.ctypes.data), *map(ctypes.c_long, where)]
    arguments += [ctypes.c_void_p(c.ctypes.data), ctypes.c_long(n + 5), ctypes.c_int(accumulate)]
    arguments += [ctypes.c_void_p(scratch.ctypes.data)]
    if workers > 1:
        getattr(lib, "parallel_" + kind)(*arguments, parallel, ctypes.c_long(workers))
    else:
        getattr(lib, "run_" + kind)(*arguments)
    wide_a, wide_b = values_a.astype(np.float64), values_b.astype(np.float64)
    exact = wide_a @ wide_b + (start if accumulate else 0)
    # Any order of k products: |error| <= (k + 1) eps sum |a||b|, in double the usual rounding factor.
    bound = (k + 2) * EPSILON * (np.abs(wide_a) @ np.abs(wide_b) + np.abs(start) * accumulate) + 1e-45
    where = (kind, m, n, k, order_a, order_b, accumulate)
    assert not np.isnan(c).any(), where
    assert np.all(np.abs(c - exact) <= bound), (where, float(np.abs(c - exact).max()))
    assert np.all(base[0] == 777) and np.all(base[-1] == 777), where
    assert np.all(base[:, :2] == 777) and np.all(base[:, n + 2 :] == 777), where
    assert np.all(scratch[size:] == 555), where


SIZES = [0, 1, 2, 3, 5, 7, 8, 13, 24, 40, 64, 96, 100, 129, 255]


@pytest.mark.parametrize("target", TARGETS)
def test_small_shapes(target):
    kind = "bf16" if target == "avx512bf16" else "f32"
    lib = library(target, kind)
    for m, n, k in itertools.product(SIZES, SIZES, SIZES):
        check(lib, kind, m, n, k, accumulate=(m + n + k) % 2 == 1, pad=(m + k) % 3)


@pytest.mark.parametrize("kind", TYPES)
@pytest.mark.parametrize("target", TARGETS)
def test_layouts(target, kind):
    lib = library(target, kind)
    orders = ["row", "column", "both"]
    shapes = [(1, 70, 33), (3, 65, 300), (8, 129, 40), (13, 24, 7), (49, 130, 520), (100, 96, 257), (6, 64, 256)]
    for (m, n, k), a, b, accumulate in itertools.product(shapes, orders, orders, [False, True]):
        check(lib, kind, m, n, k, a, b, accumulate)


@pytest.mark.parametrize("kind", ["f32", "bf16"])
@pytest.mark.parametrize("copy_a", [0, 1])
@pytest.mark.parametrize("target", TARGETS)
def test_many_blocks(target, copy_a, kind):
    """Blocks so small that every loop over them runs several times, with tails."""
    lib = library(target, kind, KC=16, NC=128, MC=24, COPY_A=copy_a)
    for m, n, k in itertools.product([9, 24, 55], [64, 128, 300], [15, 16, 50]):
        for a, b in itertools.product(["row", "column"], repeat=2):
            check(lib, kind, m, n, k, a, b, accumulate=m == 24)


@pytest.mark.parametrize("target", TARGETS[-1:])
def test_large(target):
    lib = library("avx512" if target == "avx512bf16" else target, "f32")
    for m, n, k in [(512, 512, 512), (300, 1100, 700), (1, 3000, 1025), (8, 5001, 300), (2, 129, 5000)]:
        check(lib, "f32", m, n, k)
        check(lib, "f32", m, n, k, "column", "column")


@pytest.mark.parametrize("kind", ["f32", "bf16"])
@pytest.mark.parametrize("target", TARGETS[-1:])
def test_parallel(target, kind):
    lib = library(target, kind)
    ranges = []

    def parallel_for(pool, body, context, extent, grain):
        ranges.append(extent)
        # Backwards, and with other workers than a simple pool would use.
        for begin in reversed(range(0, extent, grain)):
            body(context, begin, min(extent, begin + grain), begin % 3)

    function = PARALLEL(parallel_for)
    for m, n, k in [(257, 300, 129), (600, 1000, 40), (1, 4000, 300), (7, 3001, 333), (1000, 40, 100), (0, 5, 5)]:
        for b in ("row", "column"):
            check(lib, kind, m, n, k, "row", b, m % 2 == 0, parallel=function, workers=3)
    assert max(ranges) > 3
    check(lib, kind, 200, 300, 100, parallel=PARALLEL(), workers=3)


@pytest.mark.parametrize("bits", [32, 64])
def test_integer_products_wrap(bits):
    items = device_text.read_items("math.inc", "gemm.inc")
    text = device_text.emit(items, [f"tf_gemm_i{bits}"]) + (
        f'extern "C" void run(tf_i64 m, tf_i64 n, tf_i64 k, const tf_i{bits}* a, tf_i64 ar, tf_i64 ac, '
        f"const tf_i{bits}* b, tf_i64 br, tf_i64 bc, tf_i{bits}* c, tf_i64 cr, int accumulate) {{\n"
        f"  tf_gemm_i{bits}(m, n, k, a, ar, ac, b, br, bc, c, cr, accumulate);\n}}\n"
    )
    lib = device_text.build(text, device_text.TARGETS[TARGETS[-1]])
    kind = {32: np.int32, 64: np.int64}[bits]
    rng = np.random.default_rng(1)
    limits = np.iinfo(kind)
    for m, n, k in [(0, 3, 3), (3, 4, 0), (1, 1, 1), (5, 17, 9), (8, 3, 40)]:
        for turned, accumulate in itertools.product([False, True], repeat=2):
            a = rng.integers(limits.min, limits.max, (m, k), kind, endpoint=True)
            b = rng.integers(limits.min, limits.max, (n, k) if turned else (k, n), kind, endpoint=True)
            view = b.T if turned else b
            c = rng.integers(-5, 5, (m, n), kind)
            total = a.astype(object) @ view.astype(object) if k else np.zeros((m, n), object)
            total = total + c.astype(object) * accumulate
            want = [[(int(v) + 2 ** (bits - 1)) % 2**bits - 2 ** (bits - 1) for v in row] for row in total]
            arguments = [ctypes.c_long(v) for v in (m, n, k)]
            for x in (a, view):
                arguments += [ctypes.c_void_p(x.ctypes.data), *map(ctypes.c_long, strides(x))]
            lib.run(*arguments, ctypes.c_void_p(c.ctypes.data), ctypes.c_long(n), ctypes.c_int(accumulate))
            assert c.tolist() == want


def test_shuffled_k_fault_is_seen():
    """The bound is tight enough to refuse a dropped last product."""
    lib = library(TARGETS[-1], "f32")

    class Dropped:
        scratch = lib.scratch

        @staticmethod
        def run_f32(m, n, k, *rest):
            lib.run_f32(m, n, ctypes.c_long(k.value - 1), *rest)

    with pytest.raises(AssertionError):
        check(Dropped, "f32", 20, 70, 300)
