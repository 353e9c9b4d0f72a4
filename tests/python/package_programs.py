"""Tests of the package itself; test_package.py runs them where the package is installed."""

import os
import pathlib
import signal
import subprocess
import sys
import threading

import ml_dtypes
import numpy as np
import pytest
import tilefoundry as tf
from tilefoundry import errors

EXAMPLES = pathlib.Path(os.environ["TILEFOUNDRY_EXAMPLES"])

ADD = """
from tilefoundry import func
from tilefoundry.dsl import DimVar, Tensor

n = DimVar("n", 1, 64)


@func
def add(x: Tensor[(n, 8), "f32"], y: Tensor[(n, 8), "f32"]) -> Tensor[(n, 8), "f32"]:
    return x + y
"""
MUL_BF16 = """
from tilefoundry import func
from tilefoundry.dsl import Tensor


@func
def mul(x: Tensor[(33, 7), "bf16"], y: Tensor[(33, 7), "bf16"]) -> Tensor[(33, 7), "bf16"]:
    return x * y
"""
BOTH = """
from tilefoundry import func
from tilefoundry.dsl import Tensor, Tuple


@func
def both(
    x: Tensor[(4, 8), "{0}"], y: Tensor[(4, 8), "{0}"]
) -> Tuple[Tensor[(4, 8), "{0}"], Tensor[(4, 8), "{0}"]]:
    return (x + y, x - y)
"""


@pytest.fixture(scope="module")
def add():
    return tf.compile(tf.parse_module(ADD))


def values(shape, seed=0):
    return np.random.default_rng(seed).standard_normal(shape).astype(np.float32)


def rms_norm_arrays():
    x, residual, gain = (values((512, 4096), seed) for seed in (1, 2, 3))
    weight = values(4096, 4)
    total = (x + residual).astype(np.float64)
    scale = 1 / np.sqrt(np.mean(total * total, axis=-1, keepdims=True) + 1e-5)
    return (x, residual, weight, gain), total * scale * weight * gain


def test_text_round_trip():
    module = tf.parse_file(EXAMPLES / "swiglu_mlp.py")
    text = tf.as_script(module)
    assert tf.as_script(tf.parse_module(text)) == text
    assert module.name == "SwigluMlp"


def test_a_selector_chooses():
    assert tf.parse_module(ADD, selector="add").entry.name == "add"
    with pytest.raises(errors.ParseError) as caught:
        tf.parse_module(ADD, selector="sub")
    assert caught.value.diagnostics[0]["code"] == "TF2091"


def test_evaluate_and_compile_agree_with_numpy():
    module = tf.parse_file(str(EXAMPLES / "rmsnorm.py"))
    arrays, wanted = rms_norm_arrays()
    for result in (tf.evaluate(module, *arrays), tf.compile(module)(*arrays)):
        assert result.dtype == np.float32
        np.testing.assert_allclose(result, wanted, rtol=2e-5, atol=1e-5)


def test_evaluate_takes_a_function():
    x = values((3, 8))
    np.testing.assert_array_equal(tf.evaluate(tf.parse_module(ADD).entry, x, x), x + x)


def test_out_is_filled_in_place(add):
    x, y = values((5, 8)), values((5, 8), 1)
    storage = np.full((7, 8), -1, np.float32)
    out = storage[1:6]
    address = out.__array_interface__["data"][0]
    result = add(x, y, out=out)
    assert result is out and result.__array_interface__["data"][0] == address
    np.testing.assert_array_equal(storage[1:6], x + y)
    assert (storage[0] == -1).all() and (storage[6] == -1).all()


def test_a_bound_call_runs_on_its_arrays_again(add):
    x, y = values((5, 8)), values((5, 8), 1)
    call = add.bind(x, y)
    np.testing.assert_array_equal(call.outputs[0], x + y)
    x[:] = 3
    assert call() is call.outputs[0]
    np.testing.assert_array_equal(call.outputs[0], 3 + y)
    out = np.zeros((5, 8), np.float32)
    assert add.bind(x, y, out=out, threads=1)() is out
    with pytest.raises(errors.CallError, match="TF6210"):
        add.bind(x, y, out=x)


def test_outputs_come_from_a_pool_and_outlive_the_program():
    module = tf.parse_module(ADD.replace("64", "4097").replace("8)", "512)"))
    x = values((4096, 512))
    program = tf.compile(module)
    kept = program(x, x)
    other = program(x, x + 1)
    assert kept.ctypes.data % 64 == 0 and kept.ctypes.data != other.ctypes.data
    address = other.ctypes.data
    del other
    again = program(x, -x)
    assert again.ctypes.data == address
    del program, module
    np.testing.assert_array_equal(kept, x + x)
    assert not again.any()


def test_inputs_are_read_where_they_lie(add):
    rows = values((9, 8))
    window = rows[2:6]
    np.testing.assert_array_equal(add(window, window), window + window)
    frozen = values((4, 8))
    frozen.flags.writeable = False
    np.testing.assert_array_equal(add(frozen, window), frozen + window)


@pytest.mark.parametrize("name", ["f32", "f16", "i32", "i64"])
def test_every_dtype_and_several_outputs(name):
    dtype = {"f32": "f4", "f16": "f2", "i32": "i4", "i64": "i8"}[name]
    module = tf.parse_module(BOTH.format(name))
    x = np.arange(32).reshape(4, 8).astype(dtype)
    y = (x[::-1] * 3).astype(dtype)
    for result in (tf.compile(module)(x, y), tf.evaluate(module, x, y)):
        assert isinstance(result, tuple) and len(result) == 2
        np.testing.assert_array_equal(result[0], x + y)
        np.testing.assert_array_equal(result[1], x - y)
        assert result[0].dtype == np.dtype(dtype)


def test_bf16_travels_as_ml_dtypes():
    module = tf.parse_module(MUL_BF16)
    x = values((33, 7)).astype(ml_dtypes.bfloat16)
    y = values((33, 7), 1).astype(ml_dtypes.bfloat16)
    for result in (tf.compile(module)(x, y), tf.evaluate(module, x, y)):
        assert result.dtype == ml_dtypes.bfloat16
        np.testing.assert_array_equal(result.view("u2"), (x * y).view("u2"))


X = values((4, 8))


def read_only():
    array = np.zeros((4, 8), np.float32)
    array.flags.writeable = False
    return array


def odd_strides():
    """A field of a packed record: its stride is no multiple of its element."""
    return np.zeros((4, 8), np.dtype([("a", "f4"), ("b", "i2")]))["a"]


def misaligned():
    return np.zeros(4 * 8 * 4 + 1, np.uint8)[1:].view(np.float32).reshape(4, 8)


@pytest.mark.parametrize(
    ("arguments", "options", "words"),
    [
        ((X,), {}, "TF6201"),
        ((X, X, X), {}, "TF6201"),
        ((X, X.astype(np.int32)), {}, "TF6202"),
        ((X, X.astype(np.float64)), {}, "float64"),
        ((X, X.astype(">f4")), {}, ">f4"),
        ((X, "text"), {}, "no dtype"),
        ((X, None), {}, "no dtype"),
        ((X, X[0]), {}, "TF6203"),
        ((X, np.zeros((4, 9), np.float32)), {}, "TF6204"),
        ((X, X[:3]), {}, "TF6205"),
        ((np.zeros((64, 8), np.float32),) * 2, {}, "TF6206"),
        ((X, np.asfortranarray(X)), {}, "TF6207"),
        ((X, X[:, ::-1]), {}, "TF6207"),
        ((X, odd_strides()), {}, "element size"),
        ((X, misaligned()), {}, "TF6211"),
        ((X, X), {"out": read_only()}, "TF6209"),
        ((X, X), {"out": X}, "TF6210"),
        ((X, X), {"out": np.zeros((5, 8), np.float32)}, "TF620"),
        ((X, X), {"out": []}, "TF6201"),
        ((X, X), {"out": [[1.0]]}, "NumPy array"),
        ((X, X), {"threads": -1}, "threads"),
        ((X, X), {"threads": "two"}, "threads"),
    ],
)
def test_wrong_arguments_are_refused(add, arguments, options, words):
    with pytest.raises(errors.CallError) as caught:
        add(*arguments, **options)
    assert words in str(caught.value)
    assert isinstance(caught.value, tf.Error)


def test_evaluate_refuses_wrong_arguments():
    module = tf.parse_module(ADD)
    for arrays in ((X,), (X, X.astype(np.int32)), (X, X[0]), (X, X[:3])):
        with pytest.raises(errors.CallError):
            tf.evaluate(module, *arrays)


def test_errors_carry_diagnostics():
    with pytest.raises(errors.ParseError) as caught:
        tf.parse_module(ADD + "x = (\n", name="mine.py")
    first = caught.value.diagnostics[0]
    assert first["code"] == "TF1007"
    assert (first["file"], first["line"], first["column"]) == ("mine.py", 11, 5)
    assert "mine.py:11:5" in str(caught.value)
    with pytest.raises(errors.FileError):
        tf.parse_file("none.py")
    with pytest.raises(errors.VerifyError):
        tf.parse_module(ADD.replace("return x + y", "return x + y[0:1, 0:3]"))


def test_calls_from_several_threads(add):
    failures = []

    def work(rows):
        x = np.full((rows, 8), rows, np.float32)
        out = np.empty_like(x)
        for _ in range(100):
            add(x, x, out=out)
            if not (out == 2 * rows).all():
                failures.append(rows)

    threads = [threading.Thread(target=work, args=(rows,)) for rows in range(1, 9)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert not failures


def test_compiling_from_several_threads():
    results = {}

    def work(k):
        text = ADD.replace("x + y", f"x + y * {k}.0")
        results[k] = tf.compile(tf.parse_module(text))(X, X)

    threads = [threading.Thread(target=work, args=(k,)) for k in range(2, 6)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    for k in range(2, 6):
        np.testing.assert_array_equal(results[k], X + X * np.float32(k))


def test_an_interrupt_ends_a_compilation(tmp_path):
    """A compiler that never answers does not hold Control-C."""
    compiler = tmp_path / "slow"
    compiler.write_text(
        '#!/bin/sh\n[ "$1" = --version ] && exec c++ --version\n'
        f"echo > {tmp_path}/started\nexec sleep 60\n",
        encoding="utf-8",
    )
    compiler.chmod(0o755)
    program = f"import tilefoundry as tf\ntf.compile(tf.parse_module('''{ADD}'''))\n"
    with subprocess.Popen(
        [sys.executable, "-c", program],
        env={**os.environ, "CXX": str(compiler), "TILEFOUNDRY_CACHE_DIR": str(tmp_path / "cache")},
        stderr=subprocess.PIPE,
        text=True,
    ) as process:
        while not (tmp_path / "started").exists() and process.poll() is None:
            pass
        process.send_signal(signal.SIGINT)
        message = process.communicate(timeout=20)[1]
    assert message.rstrip().endswith("KeyboardInterrupt")
    assert not list((tmp_path / "cache" / "staging").iterdir())
