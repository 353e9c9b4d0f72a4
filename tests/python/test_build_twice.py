"""`build` and `run` share one cache of built libraries."""

import json
import os
import subprocess

PROGRAM = """from tilefoundry import func
from tilefoundry.dsl import Tensor


@func
def twice(x: Tensor[(8,), "f32"]):
    return x + x
"""


def test_the_second_build_comes_from_the_cache(command, tmp_path):
    path = tmp_path / "twice.py"
    path.write_text(PROGRAM)
    environment = dict(os.environ, TILEFOUNDRY_CACHE_DIR=str(tmp_path / "cache"))

    def run(*arguments, **changes):
        done = subprocess.run([command, *arguments, "--json"], capture_output=True, text=True,
                              env=environment | changes)
        assert done.returncode == 0, done.stderr
        return json.loads(done.stdout)

    def build(folder, **changes):
        return run("build", str(path), "-o", str(tmp_path / folder), **changes)["cached"]

    assert build("first") is False
    assert build("second") is True
    files = {p.name: p.read_bytes() for p in (tmp_path / "first").iterdir()}
    assert files == {p.name: p.read_bytes() for p in (tmp_path / "second").iterdir()}
    # A run needs no compiler afterwards but to name itself; other flags are another library.
    assert run("run", str(path), "--inputs", "random", "--verify")["passed"]
    assert build("third", CXX="c++ -O1") is False
