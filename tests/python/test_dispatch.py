"""Prototypes, variants and dimensions: one library for every size of a range."""

import ctypes
import json

import numpy as np
import pytest
from programs import ROOT, tilefoundry

HEADER = """\
from tilefoundry import func, module
from tilefoundry.dsl import ConstTensor, DimVar, DimVarRangePat, Tensor
from tilefoundry.dsl.tf import *

"""
# What each variant adds tells which one ran.
MARKED = HEADER + """\
S = DimVar("S", {lo}, {hi})

@func
def f(x: Tensor[(S, 3), "f32"]) -> Tensor[(S, 3), "f32"]:
    pass
"""
VARIANT = """
@f.specialize(DimVarRangePat("S", {lo}, {hi}))
def {name}(x: Tensor[(S, 3), "f32"]) -> Tensor[(S, 3), "f32"]:
    return x + {mark}.0
"""


def marked(lo, hi, ranges):
    text = MARKED.format(lo=lo, hi=hi)
    for i, (first, end) in enumerate(ranges):
        text += VARIANT.format(lo=first, hi=end, name=f"variant{i}", mark=1000 * (i + 1))
    return text


def write(folder, text):
    path = folder / "program.py"
    path.write_text(text, encoding="utf-8")
    return path


class Tensor(ctypes.Structure):
    """A DLTensor of current DLPack."""

    _fields_ = [
        ("data", ctypes.c_void_p), ("device_type", ctypes.c_int32), ("device_id", ctypes.c_int32),
        ("ndim", ctypes.c_int32), ("code", ctypes.c_uint8), ("bits", ctypes.c_uint8),
        ("lanes", ctypes.c_uint16), ("shape", ctypes.POINTER(ctypes.c_int64)),
        ("strides", ctypes.POINTER(ctypes.c_int64)), ("byte_offset", ctypes.c_uint64),
    ]


class Call(ctypes.Structure):
    """TfCall of tilefoundry/runtime/abi.h, up to the error buffer."""

    _fields_ = [
        ("struct_size", ctypes.c_uint64),
        ("n_inputs", ctypes.c_int64), ("inputs", ctypes.POINTER(ctypes.POINTER(Tensor))),
        ("n_outputs", ctypes.c_int64), ("outputs", ctypes.POINTER(ctypes.POINTER(Tensor))),
        ("error", ctypes.c_char_p), ("error_size", ctypes.c_uint64),
    ]


class Library:
    """A built library, called below every check of the runtime."""

    def __init__(self, folder, program):
        tilefoundry("build", program, "-o", folder / "built")
        library = ctypes.CDLL(str(next((folder / "built").glob("*.so"))))
        library.tf_abi.restype = ctypes.c_char_p
        self.abi = json.loads(library.tf_abi())
        self.entry = library[self.abi["symbol"]]

    @staticmethod
    def tensor(array):
        shape = (ctypes.c_int64 * array.ndim)(*array.shape)
        return ctypes.pointer(Tensor(array.ctypes.data, 1, 0, array.ndim, 2, 32, 1, shape, None, 0))

    def call(self, *arrays):
        """Status and message; the last array is the output."""
        inputs = [self.tensor(array) for array in arrays[:-1]]
        output = self.tensor(arrays[-1])
        pointers = (ctypes.POINTER(Tensor) * len(inputs))(*inputs)
        message = ctypes.create_string_buffer(256)
        call = Call(ctypes.sizeof(Call), len(inputs), pointers, 1, ctypes.pointer(output),
                    ctypes.cast(message, ctypes.c_char_p), 256)
        return self.entry(ctypes.byref(call)), message.value.decode()


@pytest.mark.parametrize(
    "lo, hi, ranges",
    [
        (1, 9, [(4, 9), (1, 4)]),
        (0, 7, [(0, 1), (1, 2), (2, 7)]),
        (3, 12, [(9, 12), (3, 4), (4, 9)]),
        (1, 5, [(1, 5)]),
    ],
)
def test_P62_P63_every_size_runs_exactly_one_variant(lo, hi, ranges, tmp_path):
    library = Library(tmp_path, write(tmp_path, marked(lo, hi, ranges)))
    for size in range(lo, hi):
        x = np.arange(3 * size, dtype=np.float32).reshape(size, 3)
        out = np.full((size, 3), np.nan, np.float32)
        assert library.call(x, out) == (0, "")
        chosen = next(i for i, (first, end) in enumerate(ranges) if first <= size < end)
        np.testing.assert_array_equal(out, x + 1000.0 * (chosen + 1))


def test_P63_a_size_outside_aborts_with_a_message(tmp_path):
    library = Library(tmp_path, write(tmp_path, marked(2, 9, [(4, 9), (2, 4)])))
    for size in (0, 1, 9, 10, 1000):
        x = np.zeros((size, 3), np.float32)
        out = np.full((size, 3), 7, np.float32)
        status, message = library.call(x, out)
        assert status == 4
        assert message == "no variant of f takes this extent of x (axis 0): S is in [2, 9)"
        assert (out == 7).all()


def test_P64_an_extent_beyond_i32_is_refused_by_its_name(tmp_path):
    library = Library(tmp_path, write(tmp_path, marked(1, 2**40, [(1, 2**40)])))
    x = np.zeros((1, 3), np.float32)
    huge = np.lib.stride_tricks.as_strided(x, (2**31, 3), (0, 4))
    status, message = library.call(huge, x)
    assert (status, message) == (2, "axis 0 of x must be at most 2147483647")


def test_P65_hidden_scalars_are_no_part_of_the_interface(tmp_path):
    program = write(tmp_path, marked(1, 9, [(1, 9)]))
    library = Library(tmp_path, program)
    assert [each["name"] for each in library.abi["inputs"]] == ["x"]
    assert [each["name"] for each in library.abi["outputs"]] == ["out"]
    assert "x_shape_0" in (tmp_path / "built").rglob("*.cc").__next__().read_text()


def test_the_runtime_refuses_a_size_outside_first(tmp_path):
    program = write(tmp_path, marked(2, 9, [(4, 9), (2, 4)]))
    np.save(tmp_path / "x.npy", np.zeros((9, 3), np.float32))
    refused = tilefoundry("run", program, "--inputs", tmp_path / "x.npy", status=1)
    assert "TF6206" in refused.stderr
    refused = tilefoundry("run", program, "--evaluate", "--inputs", tmp_path / "x.npy", status=1)
    assert "TF6017" in refused.stderr


def test_the_interpreter_picks_the_variant_that_the_library_runs(tmp_path):
    program = write(tmp_path, marked(1, 9, [(4, 9), (1, 4)]))
    for size in range(1, 9):
        tilefoundry("run", program, "--inputs", "random", "--verify", "--dim", f"S={size}")


CALLERS = """
T = DimVar("T", 2, 6)

@func
def symbolic(x: Tensor[(T, 3), "f32"]):
    return f(x * 2.0) * 3.0

@func
def static(x: Tensor[(4, 3), "f32"]):
    return f(x)

@func
def twice(x: Tensor[(T, 3), "f32"], y: Tensor[(3, T), "f32"]):
    return f(x) + f(transpose(y, perm=(1, 0)))
"""


@pytest.mark.parametrize("name", ["symbolic", "static", "twice"])
def test_P58_callers_reach_the_right_variant(name, tmp_path):
    program = write(tmp_path, marked(1, 9, [(4, 9), (1, 4)]) + CALLERS)
    sizes = range(2, 6) if name != "static" else [None]
    for size in sizes:
        dims = ["--dim", f"T={size}"] if size else []
        tilefoundry("run", f"{program}:{name}", "--inputs", "random", "--verify", *dims)


COLUMNS = HEADER + """\
S = DimVar("S", 1, 9)
T = DimVar("T", 2, 8)

@func
def f(x: Tensor[(3, S), "f32"]) -> Tensor[(3, S), "f32"]:
    pass

@f.specialize(DimVarRangePat("S", 1, 4))
def small(x: Tensor[(3, S), "f32"]):
    return x + 1000.0

@f.specialize(DimVarRangePat("S", 4, 9))
def large(x: Tensor[(3, S), "f32"]):
    return x + 2000.0

@func
def inner(x: Tensor[(3, T), "f32"]):
    return f(x)

@func
def outer(x: Tensor[(3, T), "f32"]):
    return inner(x) + inner(x * 2.0)
"""


def test_P64_callers_supply_the_hidden_scalar_of_the_second_axis(tmp_path):
    program = write(tmp_path, COLUMNS)
    for size in range(2, 8):
        tilefoundry("run", f"{program}:outer", "--inputs", "random", "--verify", "--dim", f"T={size}")


def test_I44_every_dynamic_print_imports_with_the_same_names(tmp_path):
    texts = {
        "marked": marked(1, 9, [(4, 9), (1, 4)]) + CALLERS,
        "rows": (ROOT / "examples" / "dynamic_rows.py").read_text(),
    }
    for name, text in texts.items():
        program = tmp_path / f"{name}.py"
        program.write_text(text)
        selectors = ["f", "symbolic", "twice"] if name == "marked" else ["DynamicRows"]
        for selector in selectors:
            printed = tilefoundry("print", f"{program}:{selector}").stdout
            again = tmp_path / "printed.py"
            again.write_text(printed)
            reprinted = tilefoundry("print", f"{again}:{selector}").stdout
            names = [line for line in printed.splitlines() if "def " in line]
            assert names == [line for line in reprinted.splitlines() if "def " in line]
            assert names


SIZES = [1, 2, 3, 7, 8, 9, 15, 16, 17, 31, 64, 100, 257, 511]


def test_one_binary_for_every_size_of_dynamic_rows(tmp_path):
    library = Library(tmp_path, ROOT / "examples" / "dynamic_rows.py")
    rng = np.random.default_rng(7)
    gain = rng.standard_normal(192, dtype=np.float32)
    weight = rng.standard_normal((192, 320), dtype=np.float32)
    bias = rng.standard_normal(320, dtype=np.float32)
    for size in range(1, 512):
        x = rng.standard_normal((size, 192), dtype=np.float32)
        out = np.full((size, 320), np.nan, np.float32)
        assert library.call(x, gain, weight, bias, out) == (0, "")
        wide = x.astype(np.float64)
        normed = wide / np.sqrt((wide**2).mean(axis=1, keepdims=True) + 1e-6) * gain
        wanted = np.maximum(normed @ weight.astype(np.float64) + bias, 0)
        np.testing.assert_allclose(out, wanted, rtol=2e-4, atol=2e-4)


def test_dynamic_rows_agrees_with_the_interpreter():
    for size in SIZES:
        tilefoundry("run", ROOT / "examples" / "dynamic_rows.py", "--inputs", "random", "--verify", "--dim", f"S={size}")


# Every op that runs over a dimension, at sizes around the lanes of a vector.
DYNAMIC = HEADER + """N = DimVar("N", 1, 200)
K = DimVar("K", 1, 80)

@func
def elementwise(x: Tensor[(N, K), "f32"], y: Tensor[(K,), "f32"]):
    return exp(x * 0.1) + y * x

@func
def rows(x: Tensor[(N, K), "f32"]):
    return reduce(x, axes=(1,), keepdim=True, kind="sum") + reduce(x, axes=(0,), kind="max")

@func
def product(x: Tensor[(N, K), "f32"], y: Tensor[(K, N), "f32"]):
    return x @ y

@func
def half(x: Tensor[(N, K), "f16"], y: Tensor[(K,), "f16"]):
    return x * y + y

@func
def joined(x: Tensor[(N, K), "f32"], y: Tensor[(2, K), "f32"]):
    return transpose(concat(x, y, axis=0), perm=(1, 0))

@func
def normal(x: Tensor[(N, K), "bf16"], w: Tensor[(K,), "bf16"]):
    return rms_norm(x, w)
"""


@pytest.mark.parametrize("name", ["elementwise", "rows", "product", "half", "joined", "normal"])
def test_one_library_for_sizes_around_the_lanes(name, tmp_path):
    program = write(tmp_path, DYNAMIC)
    for n, k in [(1, 1), (1, 79), (7, 8), (8, 15), (16, 17), (33, 31), (199, 64), (13, 65)]:
        tilefoundry("run", f"{program}:{name}", "--inputs", "random", "--verify", "--dim", f"N={n}", "--dim", f"K={k}")
