"""A compiler that cannot do its work is this machine's fault: exit code 3, and nothing is left."""

import sys

import pytest
from programs import HEADER, tilefoundry

PROGRAM = HEADER + '''
@func
def program(x: Tensor[(4,), "f32"]):
    return x + 1.0
'''


@pytest.fixture
def program(tmp_path):
    path = tmp_path / "program.py"
    path.write_text(PROGRAM)
    return path


def test_a_full_disk_while_compiling(program, tmp_path):
    full = tmp_path / "full.py"
    full.write_text(
        "import subprocess, sys\n"
        "if '--version' in sys.argv:\n"
        "    sys.exit(subprocess.run(['c++', '--version']).returncode)\n"
        "sys.exit('fatal error: error writing to cc12.s: No space left on device')\n"
    )
    how = {"status": 3, "CXX": f"{sys.executable} {full}"}
    for words in (["build", program, "-o", tmp_path / "out"], ["run", program, "--inputs", "random"]):
        result = tilefoundry(*words, **how, TILEFOUNDRY_CACHE_DIR=str(tmp_path / "cache"))
        assert "error[TF5007]" in result.stderr and "reproducer" not in result.stderr
        assert result.stdout == ""
    assert not (tmp_path / "out").exists()
    assert list((tmp_path / "cache").rglob("library*")) == []


@pytest.mark.parametrize("name", ["false", "true"])
def test_a_compiler_that_is_none(name, program, tmp_path):
    result = tilefoundry("build", program, "-o", tmp_path / "out", status=3, CXX=name)
    assert "error[TF500" in result.stderr and "reproducer" not in result.stderr
    assert [path.name for path in tmp_path.iterdir()] == ["program.py"]


def test_what_needs_no_compiler_works_without_one(program, tmp_path):
    none = str(tmp_path)
    tilefoundry("run", program, "--evaluate", "--inputs", "random", PATH=none)
    tilefoundry("print", program, "--stage", "tir", PATH=none)


def test_a_folder_of_an_earlier_build_is_replaced(program, tmp_path):
    for _ in range(2):
        tilefoundry("build", program, "-o", tmp_path / "out")
        names = {path.name for path in (tmp_path / "out").iterdir()}
        assert names == {"abi.json", "library.so", "manifest.json", "source.cc"}
    assert sorted(path.name for path in tmp_path.iterdir()) == ["out", "program.py"]


def test_a_folder_of_the_user_is_left_alone(program, tmp_path):
    mine = tmp_path / "mine"
    mine.mkdir()
    (mine / "notes.txt").write_text("mine")
    tilefoundry("build", program, "-o", mine, status=3)
    assert [path.name for path in mine.iterdir()] == ["notes.txt"]
