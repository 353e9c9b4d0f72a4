"""Programs as text, run by the command on NumPy arrays, and outputs held against references."""

import json
import os
import pathlib
import shutil
import subprocess
import tempfile

import ml_dtypes
import numpy as np

ROOT = pathlib.Path(__file__).resolve().parents[2]
COMMAND = os.environ.get("TILEFOUNDRY_BIN", str(ROOT / "build" / "release" / "tilefoundry"))
BF16 = np.dtype(ml_dtypes.bfloat16)
DTYPES = {
    "f32": np.dtype(np.float32),
    "f16": np.dtype(np.float16),
    "bf16": BF16,
    "i32": np.dtype(np.int32),
    "i64": np.dtype(np.int64),
    "bool": np.dtype(np.bool_),
}
FLOATS = ("f32", "f16", "bf16")
INTS = ("i32", "i64")
HEADER = """\
from tilefoundry import func, module
from tilefoundry.dsl import ConstTensor, DimVar, Tensor, Tuple
from tilefoundry.dsl.tf import *

"""


def name_of(dtype):
    return next(name for name, known in DTYPES.items() if known == dtype)


def tilefoundry(*arguments, status=0, timeout=300, text=None, **environment):
    """Runs the command and holds its exit code (None: any); returns the finished process."""
    result = subprocess.run(
        [COMMAND, *map(str, arguments)], input=text, capture_output=True, text=True,
        timeout=timeout, env={**os.environ, **environment},
    )
    assert status is None or result.returncode == status, (
        f"{arguments} ended with {result.returncode}\n{result.stdout}{result.stderr}"
    )
    return result


def save(path, array):
    array = np.asarray(array)
    np.save(path, array.view("V2") if array.dtype == BF16 else array)


def load(path, dtype):
    array = np.load(path)
    return array.view(BF16) if dtype == "bf16" else array


def run(source, inputs, evaluate=False):
    """The outputs of the function `program` of a text, for these arrays."""
    folder = pathlib.Path(tempfile.mkdtemp(prefix="tf-test-"))
    try:
        (folder / "program.py").write_text(source, encoding="utf-8")
        files = []
        for i, array in enumerate(inputs):
            files.append(folder / f"in{i}.npy")
            save(files[-1], array)
        result = tilefoundry(
            "run", f"{folder / 'program.py'}:program", "--json", "--save", folder / "out",
            *(["--evaluate"] if evaluate else []), "--inputs", *files,
        )
        facts = json.loads(result.stdout)["outputs"]
        outputs = []
        for i, fact in enumerate(facts):
            output = load(folder / "out" / f"out{i}.npy", fact["dtype"])
            assert name_of(output.dtype) == fact["dtype"]
            assert list(output.shape) == fact["shape"]
            outputs.append(output)
        return outputs
    finally:
        shutil.rmtree(folder)


def tensor(shape, dtype):
    """The text of a type; a shape holds extents and names of dimensions."""
    items = "".join(f"{extent}, " for extent in shape)
    return f'Tensor[({items}), "{dtype}"]'


def program(params, results, prelude=""):
    """One function; params: {name: (shape, dtype)}, results: texts of expressions."""
    lines = [HEADER + prelude, "@func"]
    listed = ", ".join(f"{name}: {tensor(*what)}" for name, what in params.items())
    lines.append(f"def program({listed}):")
    lines += [f"    r{i} = {text}" for i, text in enumerate(results)]
    lines.append("    return " + ", ".join(f"r{i}" for i in range(len(results))))
    return "\n".join(lines) + "\n"


def ulp_distance(got, wanted):
    """|got - wanted| in units of wanted's own dtype; 0 for equal values and for two nans."""
    wide = [np.asarray(a).astype(np.float64) for a in (got, wanted)]
    info = ml_dtypes.finfo(wanted.dtype)
    floor = np.float64(info.tiny)
    with np.errstate(all="ignore"):
        scale = np.maximum(np.abs(np.where(np.isfinite(wide[1]), wide[1], 1)), floor)
        unit = np.exp2(np.floor(np.log2(scale))) * np.float64(info.eps)
        distance = np.abs(wide[0] - wide[1]) / unit
    same = (wide[0] == wide[1]) | (np.isnan(wide[0]) & np.isnan(wide[1]))
    return np.where(same, 0, np.where(np.isnan(distance), np.inf, distance))


def bits(array):
    return array.view({1: np.uint8, 2: np.uint16, 4: np.uint32, 8: np.uint64}[array.itemsize])


def agree(got, wanted, ulps=0, what=""):
    """Same shape and dtype; values within `ulps` (0: the same value and the same sign of zero)."""
    wanted = np.asarray(wanted)
    assert got.dtype == wanted.dtype, f"{what}: {got.dtype}, not {wanted.dtype}"
    assert got.shape == wanted.shape, f"{what}: {got.shape}, not {wanted.shape}"
    if name_of(wanted.dtype) not in FLOATS:
        bad = got != wanted
    elif ulps == 0:
        both_nan = np.isnan(got) & np.isnan(wanted)
        bad = (bits(got) != bits(wanted)) & ~both_nan
    else:
        bad = ~(ulp_distance(got, wanted) <= ulps)
    if np.any(bad):
        at = tuple(int(i) for i in np.argwhere(bad)[0])
        raise AssertionError(
            f"{what}: {int(np.sum(bad))} of {bad.size} differ, first at {at}: "
            f"{got[at]!r}, not {wanted[at]!r}"
        )


def check(source, inputs, cases):
    """Generated code and the evaluator against cases: [(label, reference, ulps)]."""
    for path, evaluate in (("generated", False), ("evaluated", True)):
        outputs = run(source, inputs, evaluate)
        assert len(outputs) == len(cases)
        wrong = []
        for got, (label, wanted, ulps) in zip(outputs, cases):
            try:
                agree(got, wanted, ulps, label)
            except AssertionError as error:
                wrong.append(str(error))
        assert not wrong, f"{path} code:\n" + "\n".join(wrong)
