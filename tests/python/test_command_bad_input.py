"""What the command answers to bad input: one clear diagnostic, the right exit code, nothing left."""

import json
import os
import pathlib
import re
import resource
import signal
import subprocess
import time

import numpy as np
import pytest

PROGRAM = """
from tilefoundry import func
from tilefoundry.dsl import DimVar, Tensor

n = DimVar("n", 1, 64)


@func
def f(x: Tensor[(n, 8), "f32"], y: Tensor[(n, 8), "f32"]) -> Tensor[(n, 8), "f32"]:
    return x + y


@func
def g(x: Tensor[(n, 8), "i32"]) -> Tensor[(n, 8), "i32"]:
    return x * x
"""
FIRST_LINE = re.compile(r"^(?:\S+:\d+:\d+: )?error\[(TF\d{4})\]: (.+)$", re.MULTILINE)


class Command:
    """Runs the command in a folder that holds the program p.py."""

    def __init__(self, path, folder):
        self.path = os.path.abspath(path)
        self.folder = folder
        self.environment = {**os.environ, "TILEFOUNDRY_CACHE_DIR": str(folder / "cache")}
        (folder / "p.py").write_text(PROGRAM, encoding="utf-8")

    def __call__(self, *arguments, env=None, **options):
        environment = {**self.environment, **(env or {})}
        options.setdefault("stdin", subprocess.DEVNULL)
        options.setdefault("stdout", subprocess.PIPE)
        return subprocess.run(
            [self.path, *map(str, arguments)],
            cwd=self.folder,
            env={name: value for name, value in environment.items() if value is not None},
            stderr=subprocess.PIPE,
            timeout=120,
            check=False,
            **options,
        )

    def refused(self, *arguments, exit_code, code, says="", errors=1, **options):
        """Asserts a refusal: the exit code, and so many errors on stderr with nothing beside them."""
        done = self(*arguments, **options)
        text = done.stderr.decode(errors="replace")
        assert done.returncode == exit_code, text
        found = FIRST_LINE.findall(text)
        assert [number for number, _ in found] == [code] * errors, text
        assert says in text
        assert not done.stdout
        assert "Traceback" not in text and "terminate called" not in text
        assert "internal error" not in text
        return text


@pytest.fixture
def tilefoundry(command, tmp_path):
    (tmp_path / "work").mkdir()
    return Command(command, tmp_path / "work")


@pytest.fixture
def arrays(tilefoundry):
    """save(NAME=array...) writes .npy files; a.npy fits the program."""

    def save(**named):
        for name, array in named.items():
            np.save(tilefoundry.folder / f"{name}.npy", array)

    save(a=np.ones((4, 8), np.float32))
    return save


def names(folder):
    return sorted(path.name for path in folder.iterdir())


# Files


def test_a_missing_file(tilefoundry):
    for name in ("none.py", "p.py/none.py", "", "none.py:f"):
        tilefoundry.refused("check", name, exit_code=1, code="TF7101", says="there is no file")


def test_a_directory(tilefoundry):
    tilefoundry.refused("check", ".", exit_code=1, code="TF7102", says="is a folder")


def test_an_empty_file(tilefoundry):
    for text in ("", "\n", "# only a comment\n", "\n\n\n   \n"):
        (tilefoundry.folder / "e.py").write_text(text, encoding="utf-8")
        tilefoundry.refused("check", "e.py", exit_code=1, code="TF2090", says="neither")


def test_a_binary_file(tilefoundry, arrays):
    (tilefoundry.folder / "b.py").write_bytes(b"\x7fELF\x02\x01\x01\x00\xff\xfe" * 100)
    for name in ("b.py", "a.npy"):
        tilefoundry.refused("check", name, exit_code=1, code="TF1001", says="binary")


def test_text_that_is_not_utf_8(tilefoundry):
    (tilefoundry.folder / "l.py").write_bytes(PROGRAM.encode() + b"# caf\xe9\n")
    text = tilefoundry.refused("check", "l.py", exit_code=1, code="TF1001", says="UTF-8")
    assert text.startswith("l.py:16:6: ")


def test_a_syntax_error_on_the_last_line(tilefoundry):
    lines = len(PROGRAM.splitlines())
    for end in ("    return (x +", "    return (x +\n"):
        (tilefoundry.folder / "s.py").write_text(PROGRAM + end, encoding="utf-8")
        text = tilefoundry.refused("check", "s.py", exit_code=1, code="TF1007")
        assert text.startswith(f"s.py:{lines + 1}:12: ")


def test_independent_errors_come_together(tilefoundry):
    text = PROGRAM.replace("x + y", "x + nothing").replace("x * x", "x * nowhere")
    (tilefoundry.folder / "two.py").write_text(text, encoding="utf-8")
    text = tilefoundry.refused("check", "two.py", exit_code=1, code="TF2001", errors=2)
    assert "nothing" in text and "nowhere" in text


def test_an_unknown_selector(tilefoundry):
    for selector in ("h", "f.g", "F", "f.", "é"):
        tilefoundry.refused("check", f"p.py:{selector}", exit_code=1, code="TF2091")
    tilefoundry.refused("check", "p.py", exit_code=1, code="TF2092")


def test_every_verb_refuses_alike(tilefoundry):
    for verb, more in (
        ("check", ()),
        ("print", ()),
        ("lower", ()),
        ("build", ("-o", "out")),
        ("run", ("--inputs", "random")),
    ):
        tilefoundry.refused(verb, "none.py", *more, exit_code=1, code="TF7101")
        tilefoundry.refused(verb, "p.py:h", *more, exit_code=1, code="TF2091")
    assert names(tilefoundry.folder) == ["p.py"]


# Inputs of run


def test_a_dimension_outside_its_range(tilefoundry, arrays):
    for extent in (0, 64, 10**18):
        tilefoundry.refused(
            *("run", "p.py:f", "--inputs", "random", "--dim", f"n={extent}"),
            **{"exit_code": 1, "code": "TF6206", "says": "outside its range"},
        )
    arrays(big=np.ones((64, 8), np.float32))
    tilefoundry.refused(
        *("run", "p.py:f", "--inputs", "big.npy", "big.npy"),
        **{"exit_code": 1, "code": "TF6206", "says": "outside its range"},
    )


def test_options_that_fit_nothing(tilefoundry, arrays):
    for options, code in (
        (("random", "--dim", "m=4"), "TF6302"),
        (("random", "--range", "z=0:4"), "TF6302"),
        (("random", "--range", "x=0:4"), "TF6304"),
        (("a.npy", "a.npy", "--dim", "n=4"), "TF6303"),
    ):
        tilefoundry.refused("run", "p.py:f", "--inputs", *options, exit_code=1, code=code)
    tilefoundry.refused(
        *("run", "p.py:g", "--inputs", "random", "--range", "x=4:4"),
        **{"exit_code": 1, "code": "TF6304", "says": "holds no integer"},
    )


WRONG_INPUTS = [
    (np.ones((4, 9), np.float32), "TF6204", "TF6015"),
    (np.ones((4, 8), np.int32), "TF6202", "TF6013"),
    (np.ones((4,), np.float32), "TF6203", "TF6014"),
    (np.ones((1, 4, 8), np.float32), "TF6203", "TF6014"),
    (np.float32(1), "TF6203", "TF6014"),
    (np.ones((5, 8), np.float32), "TF6205", "TF6016"),
    (np.asfortranarray(np.ones((4, 8), np.float32)), "TF7304", "TF7304"),
    (np.ones((4, 8), np.float64), "TF7305", "TF7305"),
    (np.ones((4, 8), ">f4"), "TF7305", "TF7305"),
    (np.ones((4, 8), [("a", "f4"), ("b", "f4")]), "TF7305", "TF7305"),
    (np.array([{}], dtype=object), "TF7305", "TF7305"),
]


@pytest.mark.parametrize(("array", "called", "evaluated"), WRONG_INPUTS)
def test_an_input_that_does_not_fit(tilefoundry, arrays, array, called, evaluated):
    arrays(w=array)
    run = ("run", "p.py:f", "--inputs", "a.npy", "w.npy", "--save", "out")
    tilefoundry.refused(*run, exit_code=1, code=called)
    tilefoundry.refused(*run, "--evaluate", exit_code=1, code=evaluated)
    assert "out" not in names(tilefoundry.folder)


def test_a_wrong_count_of_inputs(tilefoundry, arrays):
    for files in (("a.npy",), ("a.npy",) * 3):
        tilefoundry.refused(
            "run", "p.py:f", "--inputs", *files, exit_code=1, code="TF6201", says="2 inputs"
        )


def test_npy_files_that_are_damaged(tilefoundry, arrays):
    good = (tilefoundry.folder / "a.npy").read_bytes()
    for content, code in (
        (b"", "TF7301"),
        (b"hello", "TF7301"),
        (good[:7], "TF7303"),
        (good[:40], "TF7303"),
        (good[:-1], "TF7303"),
        (good + b"x", "TF7303"),
        (good.replace(b"NUMPY\x01", b"NUMPY\x09"), "TF7302"),
        (good.replace(b"'shape'", b"'shade'"), "TF7302"),
        (good.replace(b"(4, 8)", b"(4,-8)"), "TF7302"),
        (good.replace(b"(4, 8), }" + b" " * 24, b"(4000000000000, 4000000000000), }"), "TF7306"),
    ):
        (tilefoundry.folder / "w.npy").write_bytes(content)
        done = tilefoundry("run", "p.py:f", "--inputs", "a.npy", "w.npy")
        found = FIRST_LINE.findall(done.stderr.decode())
        assert done.returncode == 1 and len(found) == 1, (content[:90], done.stderr)
        assert found[0][0] == code, (content[:90], found)
    tilefoundry.refused("run", "p.py:f", "--inputs", "a.npy", ".", exit_code=1, code="TF7102")
    tilefoundry.refused("run", "p.py:f", "--inputs", "a.npy", "no", exit_code=1, code="TF7101")


# The machine


def test_no_compiler(tilefoundry):
    for env in (
        {"PATH": "", "CXX": None},
        {"PATH": str(tilefoundry.folder), "CXX": None},
        {"CXX": "no-such-compiler"},
        {"CXX": str(tilefoundry.folder / "p.py")},
    ):
        for verb in (("build", "p.py:f", "-o", "out"), ("run", "p.py:f", "--inputs", "random")):
            tilefoundry.refused(
                *verb, exit_code=3, code="TF5001", says="no C++ compiler", env=env
            )
    assert "out" not in names(tilefoundry.folder)


def fake_compiler(tilefoundry, body):
    """A compiler that tells its version and then does as `body` says."""
    path = tilefoundry.folder / "fake"
    path.write_text(f'#!/bin/sh\n[ "$1" = --version ] && exec c++ --version\n{body}\n')
    path.chmod(0o755)
    return {"CXX": str(path)}


def test_a_compiler_that_fails_is_our_fault_with_a_reproducer(tilefoundry):
    env = fake_compiler(tilefoundry, "echo 'source.cc:1:1: error: broken' >&2; exit 1")
    env["TMPDIR"] = str(tilefoundry.folder / "tmp")
    (tilefoundry.folder / "tmp").mkdir()
    text = tilefoundry.refused("build", "p.py:f", "-o", "out", exit_code=70, code="TF5002", env=env)
    saved = re.search(r"a reproducer was saved as (\S+)", text)[1]
    assert "def f(x" in pathlib.Path(saved).read_text(encoding="utf-8")
    assert "out" not in names(tilefoundry.folder)
    done = tilefoundry("run", "p.py:f", "--inputs", "random", "--diagnostics", "json", env=env)
    assert done.returncode == 70
    notes = json.loads(done.stderr)["diagnostics"][0]["notes"]
    assert any("reproducer" in note["message"] for note in notes)


def test_a_compiler_that_is_killed_is_the_machines_fault(tilefoundry):
    env = fake_compiler(tilefoundry, "kill -9 $$")
    tilefoundry.refused("build", "p.py:f", "-o", "out", exit_code=3, code="TF5004", env=env)
    assert "out" not in names(tilefoundry.folder)


def test_an_unwritable_output_folder(tilefoundry):
    for folder in ("p.py/out", "/proc/out", "/dev/null/out"):
        tilefoundry.refused("build", "p.py:f", "-o", folder, exit_code=3, code="TF7104")
        tilefoundry.refused(
            *("run", "p.py:f", "--inputs", "random", "--save", folder),
            **{"exit_code": 3, "code": "TF7104"},
        )
        tilefoundry.refused("lower", "p.py:f", "--dump-dir", folder, exit_code=3, code="TF7104")
        tilefoundry.refused("lower", "p.py:f", "--trace", folder, exit_code=3, code="TF7104")
    tilefoundry.refused("build", "p.py:f", "-o", ".", exit_code=3, code="TF7105")
    tilefoundry.refused("build", "p.py:f", "-o", "p.py", exit_code=3, code="TF7105")
    assert (tilefoundry.folder / "p.py").read_text(encoding="utf-8") == PROGRAM
    assert names(tilefoundry.folder) == ["cache", "p.py"]


def test_an_unusable_cache_is_a_warning(tilefoundry):
    done = tilefoundry(
        *("run", "p.py:f", "--inputs", "random"), env={"TILEFOUNDRY_CACHE_DIR": "/proc/none"}
    )
    assert done.returncode == 0
    assert done.stderr.startswith(b"warning[TF6501]")


def file_size_limit():
    """As a full disk: no file may grow beyond this many bytes."""
    signal.signal(signal.SIGXFSZ, signal.SIG_IGN)
    resource.setrlimit(resource.RLIMIT_FSIZE, (1000, 1000))


def test_a_file_that_cannot_grow_leaves_nothing(tilefoundry):
    done = tilefoundry("run", "p.py:f", "--inputs", "random", "--save", "out", "--evaluate",
                       "--dim", "n=63", preexec_fn=file_size_limit)
    assert done.returncode == 3
    assert [code for code, _ in FIRST_LINE.findall(done.stderr.decode())] == ["TF7104"]
    assert names(tilefoundry.folder / "out") == []


def test_a_full_standard_output(tilefoundry):
    for arguments in (("check", "p.py:f"), ("ops",), ("--help",), ("--version",)):
        with open("/dev/full", "wb") as full:
            tilefoundry_done = tilefoundry(*arguments, stdout=full)
        assert tilefoundry_done.returncode == 3
        assert b"TF7104" in tilefoundry_done.stderr


def test_memory_that_runs_out(tilefoundry):
    (tilefoundry.folder / "huge.py").write_text(
        PROGRAM.replace("64)", str(1 << 40) + ")"), encoding="utf-8"
    )
    for options in ((), ("--evaluate",)):
        tilefoundry.refused(
            *("run", "huge.py:f", "--inputs", "random", "--dim", f"n={1 << 39}", *options),
            **{"exit_code": 3, "code": "TF6003", "says": "memory"},
        )


# Signals and pipes


def wait_for(path, process):
    end = time.monotonic() + 60
    while not path.exists():
        assert process.poll() is None and time.monotonic() < end
        time.sleep(0.01)


@pytest.mark.parametrize("sent", [signal.SIGINT, signal.SIGTERM])
@pytest.mark.parametrize("verb", ["build", "run"])
def test_an_interrupt_during_a_build(tilefoundry, sent, verb):
    started = tilefoundry.folder / "started"
    temporary = tilefoundry.folder / "tmp"
    temporary.mkdir()
    # As a compiler does, it removes its temporary file when it is asked to end.
    env = fake_compiler(
        tilefoundry,
        f"trap 'rm {temporary}/object; kill $!; exit 1' TERM INT\n"
        f"echo > {temporary}/object; echo > {started}\nsleep 60 & wait",
    )
    options = ("-o", "out") if verb == "build" else ("--inputs", "random", "--save", "out")
    with subprocess.Popen(
        [tilefoundry.path, verb, "p.py:f", *options],
        cwd=tilefoundry.folder,
        env={**tilefoundry.environment, **env, "TMPDIR": str(temporary)},
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
    ) as process:
        wait_for(started, process)
        process.send_signal(sent)
        output, errors = process.communicate(timeout=20)
    assert process.returncode == 130
    assert (output, errors) == (b"", b"")
    assert names(temporary) == []
    assert names(tilefoundry.folder) in (["cache", "fake", "p.py", "started", "tmp"],
                                         ["fake", "p.py", "started", "tmp"])
    for path in tilefoundry.folder.glob("cache/*"):
        assert names(path) == [], path


def test_a_closed_pipe_is_silent(tilefoundry):
    for arguments in (("ops",), ("print", "p.py:f"), ("check", "p.py:f", "--json"), ("--help",)):
        read_end, write_end = os.pipe()
        os.close(read_end)
        done = tilefoundry(*arguments, stdout=write_end)
        os.close(write_end)
        assert (done.returncode, done.stderr) == (141, b"")


def test_a_reader_that_leaves(tilefoundry):
    lines = "".join(f"    x = x * x + x * {i}\n" for i in range(3000))
    (tilefoundry.folder / "long.py").write_text(
        PROGRAM.replace("    return x * x\n", lines + "    return x\n"), encoding="utf-8"
    )
    script = f"'{tilefoundry.path}' print long.py:g | head -c 1; echo ${{PIPESTATUS[0]}}"
    done = subprocess.run(
        ["bash", "-c", script], cwd=tilefoundry.folder, capture_output=True, check=False
    )
    assert done.stdout.splitlines()[-1].endswith(b"141")
    assert done.stderr == b""


# Usage, standard input, JSON, colour


@pytest.mark.parametrize(
    ("arguments", "says"),
    [
        ((), "verb is missing"),
        (("frob",), 'no verb "frob"'),
        (("chekc", "p.py"), 'did you mean "check"?'),
        (("check",), "file"),
        (("check", "p.py:f", "--frob"), "--frob"),
        (("check", "p.py:f", "more"), "more"),
        (("build", "p.py:f"), "--output"),
        (("run", "p.py:f"), "--inputs"),
        (("run", "p.py:f", "--inputs", "random", "--dim", "n"), "NAME=EXTENT"),
        (("run", "p.py:f", "--inputs", "random", "--dim", "n=-1"), "NAME=EXTENT"),
        (("run", "p.py:f", "--inputs", "random", "--range", "x=1"), "NAME=LO:HI"),
        (("run", "p.py:f", "--inputs", "random", "--seed", "x"), "--seed"),
        (("run", "p.py:f", "--inputs", "random", "--repeat", "-3"), "--repeat"),
        (("run", "p.py:f", "--inputs", "random", "--threads", "x"), "--threads"),
        (("print", "p.py:f", "--stage", "ptx"), "--stage"),
        (("check", "p.py:f", "--diagnostics", "xml"), "--diagnostics"),
        (("lower", "p.py:f", "--target", "tpu"), "--target"),
    ],
)
def test_usage_errors(tilefoundry, arguments, says):
    tilefoundry.refused(*arguments, exit_code=2, code="TF7001", says=says)


def test_usage_errors_as_json(tilefoundry):
    done = tilefoundry("check", "--diagnostics", "json")
    assert done.returncode == 2
    assert json.loads(done.stderr)["diagnostics"][0]["code"] == "TF7001"


def test_standard_input(tilefoundry):
    done = tilefoundry("check", "-:f", input=PROGRAM.encode(), stdin=None)
    assert (done.returncode, done.stderr) == (0, b"")
    done = tilefoundry("print", "-:g", input=PROGRAM.encode(), stdin=None)
    assert done.returncode == 0 and b"def g(" in done.stdout
    tilefoundry.refused("check", "-", exit_code=1, code="TF2090", says="<stdin>:1:1")


def test_json_of_every_verb(tilefoundry):
    for verb, arguments in {
        "check": ("p.py:f",),
        "print": ("p.py:f",),
        "lower": ("p.py:f",),
        "build": ("p.py:f", "-o", "out"),
        "run": ("p.py:f", "--inputs", "random", "--verify", "--repeat", "2"),
        "ops": (),
    }.items():
        done = tilefoundry(verb, *arguments, "--json")
        assert (done.returncode, done.stderr) == (0, b"")
        answer = json.loads(done.stdout)
        assert list(answer)[:2] == ["schema", "schema_version"]
        assert (answer["schema"], answer["schema_version"]) == (f"tilefoundry.{verb}", 1)


def test_diagnostics_as_json(tilefoundry):
    (tilefoundry.folder / "s.py").write_text(PROGRAM + "x = (\n", encoding="utf-8")
    for arguments, exit_code, code in (
        (("check", "s.py"), 1, "TF1007"),
        (("check", "none.py"), 1, "TF7101"),
        (("ops", "matmull"), 1, "TF9004"),
        (("build", "p.py:f", "-o", "/proc/x"), 3, "TF7104"),
        (("lower", "p.py:f", "--passes", "fuse_lops"), 2, "TF4002"),
    ):
        done = tilefoundry(*arguments, "--diagnostics", "json")
        assert done.returncode == exit_code
        answer = json.loads(done.stderr)
        assert (answer["schema"], answer["schema_version"]) == ("tilefoundry.diagnostics", 1)
        (only,) = answer["diagnostics"]
        assert (only["code"], only["severity"]) == (code, "error")
        assert only["message"] and only["hint"]
        if code == "TF1007":
            assert (only["file"], only["line"], only["column"]) == ("s.py", 16, 5)


def test_colour(tilefoundry):
    def coloured(*options, env=None):
        done = tilefoundry("check", "none.py", *options, env=env)
        return b"\x1b[" in done.stderr

    assert not coloured()  # a pipe
    assert coloured("--color", "always")
    assert not coloured("--color", "never")
    assert coloured("--color", "always", env={"NO_COLOR": "1"})


def test_colour_on_a_terminal(tilefoundry):
    def coloured(env):
        controller, terminal = os.openpty()
        subprocess.run(
            [tilefoundry.path, "check", "none.py"],
            env={**tilefoundry.environment, **env},
            stderr=terminal,
            check=False,
        )
        os.close(terminal)
        text = os.read(controller, 4096)
        os.close(controller)
        assert b"TF7101" in text
        return b"\x1b[" in text

    tilefoundry.environment.pop("NO_COLOR", None)
    tilefoundry.environment.pop("CLICOLOR", None)
    assert coloured({})
    assert not coloured({"NO_COLOR": "1"})
    assert not coloured({"NO_COLOR": ""})
    assert not coloured({"CLICOLOR": "0"})


def test_an_unfit_environment_variable(tilefoundry):
    tilefoundry.refused(
        *("run", "p.py:f", "--inputs", "random"),
        **{"exit_code": 1, "code": "TF7201", "env": {"TILEFOUNDRY_THREADS": "many"}},
    )


def test_reports_of_print(tilefoundry):
    done = tilefoundry(
        *("print", "p.py:f", "--stage", "tir", "--timing"),
        *("--dump-dir", "dumps", "--trace", "trace.json"),
    )
    assert done.returncode == 0
    assert b"hir_to_tir" in done.stderr
    assert json.loads((tilefoundry.folder / "trace.json").read_text(encoding="utf-8"))
    assert names(tilefoundry.folder / "dumps")


def test_a_failing_verification_is_exit_code_1(tilefoundry):
    """A compiler that builds another program than it was given."""
    env = fake_compiler(
        tilefoundry,
        'for a in "$@"; do case "$a" in\n'
        "  *source.cc) sed -i 's/ x_2 + y_2;/ x_2 - y_2;/' \"$a\" ;;\nesac; done\nexec c++ \"$@\"",
    )
    run = ("run", "p.py:f", "--inputs", "random", "--verify")
    assert tilefoundry(*run, env={"TILEFOUNDRY_CACHE_DIR": "off"}).returncode == 0
    done = tilefoundry(*run, env={**env, "TILEFOUNDRY_CACHE_DIR": "off"})
    assert (done.returncode, done.stderr) == (1, b"")
    assert b"FAIL" in done.stdout and b"PASS" not in done.stdout
