"""What bad input gets: one clear diagnostic, the right exit code, nothing half-written, no crash."""

import json
import os
import pathlib
import re
import signal
import subprocess
import sys
import time

import numpy as np
import pytest
from programs import COMMAND, HEADER, ROOT, tilefoundry

EXAMPLE = ROOT / "examples" / "rmsnorm.py"
PROGRAM = HEADER + '''
S = DimVar("S", 2, 9)


@func
def program(x: Tensor[(S, 4), "f32"], y: Tensor[(S,), "i32"]):
    return x + 1.0, y * 2
'''


@pytest.fixture
def program(tmp_path):
    path = tmp_path / "program.py"
    path.write_text(PROGRAM)
    return path


def refused(*arguments, status=1, codes=(), **how):
    """Runs the command; it must end so, with exactly one error, which has one of the codes."""
    result = tilefoundry(*arguments, status=status, **how)
    errors = re.findall(r"error\[(TF\d{4})\]", result.stderr)
    assert len(errors) == 1, result.stderr
    assert not codes or errors[0] in codes, result.stderr
    assert result.stdout == ""
    return result.stderr


# ---- The program ----

@pytest.mark.parametrize("verb", ["check", "print", "lower", "build", "run"])
def test_a_file_that_is_none(verb, tmp_path):
    more = {"build": ["-o", tmp_path / "out"], "run": ["--inputs", "random"]}.get(verb, [])
    assert "missing.py" in refused(verb, tmp_path / "missing.py", *more)
    refused(verb, tmp_path, *more)
    (tmp_path / "empty.py").write_text("")
    refused(verb, tmp_path / "empty.py", *more, codes=["TF2090"])
    (tmp_path / "binary.py").write_bytes(bytes(range(256)) * 40)
    refused(verb, tmp_path / "binary.py", *more)
    (tmp_path / "latin.py").write_bytes(b"# caf\xe9\n" + PROGRAM.encode())
    refused(verb, tmp_path / "latin.py", *more)
    assert not (tmp_path / "out").exists()


def test_a_syntax_error_on_the_last_line(tmp_path):
    path = tmp_path / "last.py"
    text = PROGRAM + "    return (x"
    path.write_text(text)
    message = refused("check", path)
    assert f"last.py:{len(text.splitlines())}:" in message
    assert "^" in message


def test_selectors(program):
    refused("check", f"{program}:nothing")
    refused("check", f"{program}:program.deeper")
    refused("run", f"{ROOT / 'examples' / 'swiglu_mlp.py'}:SwigluMlp.nothing", "--inputs", "random")


def test_standard_input():
    assert "ok" in tilefoundry("check", "-", text=PROGRAM).stdout
    refused("check", "-", text="")


# ---- Inputs ----

def npy(folder, name, array):
    np.save(folder / name, array)
    return folder / name


def test_a_dimension_outside_its_range(program, tmp_path):
    for extent in ("0", "1", "9"):
        refused("run", program, "--inputs", "random", "--dim", f"S={extent}")
    refused("run", program, "--inputs", "random", "--dim", "T=3", codes=["TF6302"])
    x, y = npy(tmp_path, "x.npy", np.zeros((1, 4), np.float32)), npy(tmp_path, "y.npy", np.zeros(1, np.int32))
    for how in ([], ["--evaluate"]):
        assert "S" in refused("run", program, *how, "--inputs", x, y)


GOOD = np.zeros((3, 4), np.float32), np.zeros(3, np.int32)
BAD_INPUTS = {
    "shape": (np.zeros((3, 5), np.float32), GOOD[1]),
    "one dimension, two extents": (GOOD[0], np.zeros(4, np.int32)),
    "dtype": (np.zeros((3, 4), np.float64), GOOD[1]),
    "integers for floats": (np.zeros((3, 4), np.int32), GOOD[1]),
    "rank": (np.zeros((3, 4, 1), np.float32), GOOD[1]),
    "scalar": (np.float32(1), GOOD[1]),
    "too few": (GOOD[0],),
    "too many": (*GOOD, GOOD[1]),
    "column major": (np.asfortranarray(GOOD[0] + np.arange(4, dtype=np.float32)), GOOD[1]),
    "big endian": (GOOD[0].astype(">f4"), GOOD[1]),
    "structured": (np.zeros((3, 4), [("a", "<f4")]), GOOD[1]),
    "text": (np.full((3, 4), "x"), GOOD[1]),
    "objects": (np.full((3, 4), None), GOOD[1]),
}


@pytest.mark.parametrize("name", BAD_INPUTS)
@pytest.mark.parametrize("how", [[], ["--evaluate"]], ids=["generated", "evaluated"])
def test_an_unfit_input(name, how, program, tmp_path):
    files = [npy(tmp_path, f"{i}.npy", array) for i, array in enumerate(BAD_INPUTS[name])]
    refused("run", program, *how, "--save", tmp_path / "out", "--inputs", *files)
    assert not (tmp_path / "out").exists()


def test_a_damaged_npy(program, tmp_path):
    x, y = npy(tmp_path, "x.npy", GOOD[0]), npy(tmp_path, "y.npy", GOOD[1])
    whole = x.read_bytes()
    for length in (0, 3, 8, 40, 128, len(whole) - 1):
        x.write_bytes(whole[:length])
        refused("run", program, "--inputs", x, y)
    x.write_bytes(whole + b"more")
    tilefoundry("run", program, "--inputs", x, y, status=1)
    x.write_bytes(whole.replace(b"(3, 4)", b"(3, -4)"[:6]))
    refused("run", program, "--inputs", x, y)
    x.write_bytes(whole.replace(b"(3, 4)", b"(3, 4e"))
    refused("run", program, "--inputs", x, y)
    refused("run", program, "--inputs", tmp_path / "none.npy", y)
    refused("run", program, "--inputs", tmp_path, y)


# ---- The machine ----

def test_no_compiler_on_path(program, tmp_path):
    for how in ({"PATH": str(tmp_path)}, {"CXX": str(tmp_path / "nothing")}):
        message = refused("build", program, "-o", tmp_path / "out", status=3, codes=["TF5001"], **how)
        assert "compiler" in message and "hint:" in message
        assert not (tmp_path / "out").exists()
    # What needs no compiler works without one.
    tilefoundry("run", program, "--evaluate", "--inputs", "random", PATH=str(tmp_path))
    tilefoundry("print", program, "--stage", "tir", PATH=str(tmp_path))


def test_a_compiler_that_fails_leaves_nothing(program, tmp_path):
    tilefoundry("build", program, "-o", tmp_path / "out", status=3, CXX="false")
    assert sorted(path.name for path in tmp_path.iterdir()) == ["program.py"]


def test_a_full_disk_while_compiling(program, tmp_path):
    full = tmp_path / "full.py"
    full.write_text(
        "import subprocess, sys\n"
        "if '--version' in sys.argv: sys.exit(subprocess.run(['c++', '--version']).returncode)\n"
        "sys.exit('/tmp/cc12.s: fatal error: error writing to /tmp/cc12.s: No space left on device')\n"
    )
    how = {"status": 3, "codes": ["TF5007"], "CXX": f"{sys.executable} {full}"}
    refused("build", program, "-o", tmp_path / "out", **how)
    refused("run", program, "--inputs", "random", **how, TILEFOUNDRY_CACHE_DIR=str(tmp_path / "cache"))
    assert not (tmp_path / "out").exists()
    assert [path for path in (tmp_path / "cache").rglob("library*")] == []


def test_an_output_folder_that_cannot_be(program, tmp_path):
    (tmp_path / "file").write_text("mine")
    refused("build", program, "-o", tmp_path / "file" / "out", status=3)
    tilefoundry("build", program, "-o", tmp_path / "file", status=3)
    assert (tmp_path / "file").read_text() == "mine"
    full = tmp_path / "full"
    full.mkdir()
    (full / "mine.txt").write_text("mine")
    tilefoundry("build", program, "-o", full, status=3)
    assert [path.name for path in full.iterdir()] == ["mine.txt"]
    refused("run", program, "--inputs", "random", "--save", tmp_path / "file" / "out", status=3)


def test_a_folder_of_an_earlier_build_is_replaced(program, tmp_path):
    for _ in range(2):
        tilefoundry("build", program, "-o", tmp_path / "out")
        assert {path.name for path in (tmp_path / "out").iterdir()} == {
            "abi.json", "library.so", "manifest.json", "source.cc"}
    assert sorted(path.name for path in tmp_path.iterdir()) == ["out", "program.py"]


def test_a_full_standard_output(program):
    if not os.path.exists("/dev/full"):
        pytest.skip("there is no /dev/full")
    with open("/dev/full", "w") as full:
        result = subprocess.run([COMMAND, "print", program], stdout=full, stderr=subprocess.PIPE, text=True)
    assert result.returncode == 3, result.stderr
    assert "TF" in result.stderr


def test_a_closed_pipe_on_standard_output(tmp_path):
    reader, writer = os.pipe()
    os.close(reader)
    try:
        result = subprocess.run([COMMAND, "ops"], stdout=writer, stderr=subprocess.PIPE, text=True)
    finally:
        os.close(writer)
    assert result.returncode in (141, -signal.SIGPIPE)
    assert result.stderr == ""


def test_an_interrupt_during_a_build(program, tmp_path):
    slow = tmp_path / "slow.py"
    slow.write_text(
        "import pathlib, subprocess, sys, time\n"
        "if '--version' in sys.argv: sys.exit(subprocess.run(['c++', '--version']).returncode)\n"
        f"pathlib.Path({str(tmp_path / 'started')!r}).touch()\n"
        "time.sleep(60)\n"
    )
    cache = tmp_path / "cache"
    environment = {**os.environ, "CXX": f"{sys.executable} {slow}", "TILEFOUNDRY_CACHE_DIR": str(cache)}
    process = subprocess.Popen([COMMAND, "run", program, "--inputs", "random"], env=environment,
                               stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True, start_new_session=True)
    deadline = time.monotonic() + 30
    while not (tmp_path / "started").exists():
        assert time.monotonic() < deadline and process.poll() is None
        time.sleep(0.02)
    start = time.monotonic()
    process.send_signal(signal.SIGINT)
    out, err = process.communicate(timeout=30)
    assert time.monotonic() - start < 10
    assert process.returncode == 130, err
    assert out == ""
    assert [path for path in cache.rglob("*") if path.is_file()] == []


def test_command_lines_that_are_wrong(program):
    for words in ([], ["nothing"], ["run", program], ["check"], ["build", program], ["print", program, "--stage", "nothing"],
                  ["run", program, "--inputs", "random", "--dim", "S"], ["run", program, "--inputs", "random", "--seed", "x"],
                  ["check", program, "--nothing"], ["run", program, "--inputs", "random", "--range", "y=3"]):
        result = tilefoundry(*words, status=2)
        assert result.stdout == "" and result.stderr


def test_diagnostics_as_json(tmp_path):
    path = tmp_path / "bad.py"
    path.write_text(PROGRAM.replace("y * 2", "nothing(y)"))
    facts = json.loads(tilefoundry("check", path, "--diagnostics", "json", status=1).stderr)
    assert facts["schema"] == "tilefoundry.diagnostics"
    (one,) = facts["diagnostics"]
    assert one["code"] == "TF2001" and pathlib.Path(one["file"]).name == "bad.py" and one["line"] > 1
