"""Answers that other systems got wrong: each must be right on every path."""

import math
import struct
import time

import numpy as np
import pytest
from programs import HEADER, agree, program, run, tilefoundry

STAGES = [("check",), ("print",), ("print", "--types"), ("lower",), ("print", "--stage", "cpp"), ("build",)]


def both(source, inputs):
    yield run(source, inputs)
    yield run(source, inputs, evaluate=True)


def stage(step, path, folder, **how):
    """One step of the command on a file: its output."""
    more = ["-o", folder / "built"] if step == ("build",) else []
    return tilefoundry(*step, path, *more, **how).stdout


def printed_again(path, folder):
    """Prints, loads and prints; both texts are the same. Returns the text."""
    first = tilefoundry("print", path).stdout
    again = folder / "again.py"
    again.write_text(first, encoding="utf-8")
    assert tilefoundry("print", again).stdout == first
    return first


def test_broadcast_of_4_1_with_1_8_has_both_extents():
    x, y = np.arange(4, dtype=np.float32).reshape(4, 1), np.arange(8, dtype=np.float32).reshape(1, 8)
    source = program({"x": ((4, 1), "f32"), "y": ((1, 8), "f32")}, ["x + y", "y - x", "max(x, y)"])
    for outputs in both(source, [x, y]):
        for got, wanted in zip(outputs, [x + y, y - x, np.maximum(x, y)]):
            assert wanted.shape == (4, 8)
            agree(got, wanted)


# ---- Names ----

# Python names that are ops, words of C++ or of its libraries, names of generated code, other scripts.
NAMES = [
    "add", "exp", "reduce", "matmul", "silu", "new", "double", "float_", "int", "delete", "template", "class_", "this",
    "namespace", "operator", "auto", "register", "void", "signed", "char", "const", "static", "struct", "union",
    "typedef", "extern", "goto", "switch", "case", "default", "do", "main", "std", "errno", "NULL", "INFINITY", "NAN",
    "and_eq", "bitor", "xor", "compl", "not_eq", "alignas", "decltype", "constexpr", "nullptr", "co_await", "concept",
    "requires", "linux", "unix", "i", "j", "acc", "out", "out0", "v", "v0", "x_2", "tf_i64", "tf_c", "tf_run", "tf_begin",
    "call", "status", "memory", "bytes", "run", "free", "aligned_alloc", "memcpy", "parallel_for", "context", "T", "tf",
    "č", "变量", "ñandú", "_", "__", "_x", "__x__", "match", "type", "print", "self",
]  # fmt: skip


def test_names_of_every_kind_survive_printing_and_code_generation(tmp_path):
    """Each name is a value, a parameter and, where no op is hidden by it, a function."""

    values = [f"    {name} = x * {i + 2}.0" for i, name in enumerate(NAMES)]
    returned = ", ".join(NAMES)
    head = HEADER + '@func\ndef program(x: Tensor[(3,), "f32"]):\n'
    source = head + "\n".join(values) + f"\n    return {returned}\n"
    path = tmp_path / "values.py"
    path.write_text(source, encoding="utf-8")
    text = printed_again(path, tmp_path)
    for name in ("new", "double", "č", "变量"):
        assert f" {name} = mul(" in text
    assert " add = mul(" in text or " add_1 = mul(" in text  # an op's name may give way to the op
    x = np.array([1, 2, 3], np.float32)
    for outputs in both(source, [x]):
        for i, got in enumerate(outputs):
            agree(got, x * np.float32(i + 2), what=NAMES[i])


def test_parameters_and_functions_of_every_name(tmp_path):
    params = ", ".join(f'{name}: Tensor[(2,), "f32"]' for name in NAMES)
    total = " + ".join(NAMES)
    parts = [HEADER, f"@func\ndef program({params}):\n    return {total}\n"]
    source = "".join(parts)
    path = tmp_path / "params.py"
    path.write_text(source, encoding="utf-8")
    printed_again(path, tmp_path)
    inputs = [np.array([i, 1], np.float32) for i in range(len(NAMES))]
    for outputs in both(source, inputs):
        agree(outputs[0], np.sum(inputs, axis=0, dtype=np.float32))


@pytest.mark.parametrize("name", ["new", "double", "add", "č", "main", "memcpy", "tf_abi", "float", "x"])
def test_an_entry_and_a_callee_of_any_name(name, tmp_path):
    source = HEADER + f'''
@func
def {name}(x: Tensor[(2,), "f32"]) -> Tensor[(2,), "f32"]:
    return x * 3.0


@func
def program(y: Tensor[(2,), "f32"]):
    return {name}({name}(y))
'''
    path = tmp_path / "names.py"
    path.write_text(source, encoding="utf-8")
    x = np.array([1, -2], np.float32)
    for outputs in both(source, [x]):
        agree(outputs[0], x * 9)
    tilefoundry("run", f"{path}:{name}", "--inputs", "random", "--verify")
    text = tilefoundry("print", f"{path}:{name}").stdout
    again = tmp_path / "again.py"
    again.write_text(text, encoding="utf-8")
    assert tilefoundry("print", again).stdout == text


def test_the_name_of_a_tree_and_its_weights_may_be_any(tmp_path):
    source = HEADER + '''
@module(entry="double")
class new:
    @func
    def double(č: Tensor[(2,), "f32"], delete: ConstTensor[(2,), "f32"]):
        return č * delete


@module(entry="int")
class operator:
    new = new
    template = new

    @func
    def int(x: Tensor[(2,), "f32"]):
        return new(template(x))
'''
    path = tmp_path / "tree.py"
    path.write_text(source, encoding="utf-8")
    printed_again(path, tmp_path)
    assert "PASS" in tilefoundry("run", path, "--inputs", "random", "--verify").stdout


# ---- Floor division ----

def test_division_of_negative_integers_follows_python_everywhere(tmp_path):
    """At compile time (as values, in attributes and extents), in the evaluator and in generated code."""
    source = HEADER + '''
quotient = -7 // 3
rest = -7 % 3
S = DimVar("S", 1, 64)


@func
def program(x: Tensor[(4,), "i32"], s: Tensor[(S,), "f32"], t: Tensor[(4 - quotient, rest), "f32"]):
    d = zeros(Tensor[((0 - S) // 3 + 40, (0 - S) % 3 + 1), "f32"])
    return x // 3, x % 3, x // -3, x % -3, full_like(x, value=quotient), full_like(x, value=rest), d, t
'''
    x = np.array([-7, 7, -6, -1], np.int32)
    for n in (1, 7, 9):
        for outputs in both(source, [x, np.ones(n, np.float32), np.ones((7, 2), np.float32)]):
            wanted = [[-3, 2, -2, -1], [2, 1, 0, 2], [2, -3, 2, 0], [-1, -2, 0, -1], [-3] * 4, [2] * 4]
            for got, values in zip(outputs, wanted):
                agree(got, np.array(values, np.int32))
            assert outputs[6].shape == (-n // 3 + 40, -n % 3 + 1)


# ---- Sharing ----

def squarings(count):
    lines = ["    x = x * x"] * count
    return HEADER + '@func\ndef program(x: Tensor[(8,), "f32"]):\n' + "\n".join(lines) + "\n    return x\n"


def doubling_calls(count):
    """Each function calls the one before it twice: 2 ** count leaves."""
    parts = [HEADER, '@func\ndef f0(x: Tensor[(8,), "f32"]):\n    return x * 0.5\n']
    for i in range(1, count + 1):
        parts.append(f'\n\n@func\ndef f{i}(x: Tensor[(8,), "f32"]):\n    return f{i - 1}(f{i - 1}(x))\n')
    return "".join(parts)


@pytest.mark.parametrize("step", STAGES, ids=" ".join)
def test_shared_squarings_take_linear_time_and_space(step, tmp_path):
    path = tmp_path / "squarings.py"
    path.write_text(squarings(64))
    start = time.monotonic()
    text = stage(step, path, tmp_path, timeout=60)
    assert time.monotonic() - start < 30
    assert len(text) < 60_000
    if step[0] == "print" and "cpp" not in step:
        assert text.count("mul(") == 64


def test_shared_squarings_run_right():
    x = np.array([1, -1, 0, 0.5, 1 + 2**-23, 2, np.nan, -np.inf], np.float32)
    wanted = x
    with np.errstate(all="ignore"):
        for _ in range(64):
            wanted = wanted * wanted
    for outputs in both(squarings(64), [x]):
        agree(outputs[0], wanted)


@pytest.mark.parametrize("step", STAGES, ids=" ".join)
def test_functions_that_call_the_one_before_twice_take_linear_time_and_space(step, tmp_path):
    path = tmp_path / "calls.py"
    path.write_text(doubling_calls(30))
    start = time.monotonic()
    text = stage(step, f"{path}:f30", tmp_path, timeout=60)
    assert time.monotonic() - start < 30
    assert len(text) < 200_000


def test_functions_that_call_the_one_before_twice_run_right(tmp_path):
    source = doubling_calls(10).replace("def f10(", "def program(").replace("* 0.5", "+ 1.0")
    for outputs in both(source, [np.zeros(8, np.float32)]):
        agree(outputs[0], np.full(8, 1024, np.float32))


# ---- Constants ----

CONSTANTS = {
    "f32": [math.inf, -math.inf, math.nan, -0.0, 0.0, 0.1, 1e-45, -1e-40, 3.4028235e38, 16777217.0, 1 / 3],
    "f16": [math.inf, -math.inf, math.nan, -0.0, 0.1, 6e-8, 65504.0, 1 / 3],
    "bf16": [math.inf, -math.inf, math.nan, -0.0, 0.1, 1e-40, 3.3895314e38, 1 / 3],
}


def spelled(value):
    return repr(value) if math.isfinite(value) else f'float("{value}")'


@pytest.mark.parametrize("name", CONSTANTS)
def test_I4_I5_constants_read_back_to_the_same_bits(name, tmp_path):
    import ml_dtypes

    dtype = {"f32": np.float32, "f16": np.float16, "bf16": ml_dtypes.bfloat16}[name]
    width = np.uint32 if name == "f32" else np.uint16
    values = CONSTANTS[name]
    results = [f"full_like(x, value={spelled(v)})" for v in values]
    results += [f"where(c, x, {spelled(v)})" for v in values]
    params = {"x": ((2,), name), "c": ((2,), "bool")}
    source = program(params, results)
    path = tmp_path / "constants.py"
    path.write_text(source)
    again = printed_again(path, tmp_path)
    x, c = np.zeros(2, dtype), np.zeros(2, bool)
    wanted = [np.full(2, np.float32(v)).astype(dtype) for v in values] * 2
    for text in (source, again):
        for outputs in both(text, [x, c]):
            for got, value, result in zip(outputs, wanted, results):
                same = got.view(width) == value.view(width)
                both_nan = np.isnan(got.astype(np.float32)) & np.isnan(value.astype(np.float32))
                assert np.all(same | both_nan), result


def test_attributes_keep_every_bit_of_a_double(tmp_path):
    values = [math.nextafter(1.0, 2.0), 0.1, 5e-324, 1.7976931348623157e308, -0.0, math.pi, 1e22, 1e-5]
    results = [f"clamp(x, min_val={v!r}, max_val=float('inf'))" for v in values]
    path = tmp_path / "attributes.py"
    path.write_text(program({"x": ((2,), "f32")}, results))
    text = printed_again(path, tmp_path)
    found = [line.split("min_val=")[1].split(",")[0] for line in text.splitlines() if "min_val=" in line]
    assert [struct.pack("d", float(f)) for f in found] == [struct.pack("d", v) for v in values]
