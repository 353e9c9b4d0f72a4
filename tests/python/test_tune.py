"""`tune`: what it finds is kept, used by run, print and build, said, and forgotten again."""

import json

import pytest
from programs import HEADER, tilefoundry

PROGRAM = HEADER + '''
@func
def mlp(x: Tensor[(256, 192), "f32"], up: Tensor[(192, 384), "f32"], down: Tensor[(384, 192), "f32"]):
    return silu(x @ up) @ down


@func
def sums(x: Tensor[(64, 100), "f32"]):
    return reduce(x, axes=(1,), kind="sum")
'''


@pytest.fixture
def tune(tmp_path):
    """Runs the command on the program with a cache of its own; returns (standard output, error)."""
    (tmp_path / "program.py").write_text(PROGRAM)

    def call(verb, function, *words, status=0, **environment):
        environment = {"TILEFOUNDRY_CACHE_DIR": str(tmp_path / "cache"), **environment}
        result = tilefoundry(verb, f"{tmp_path / 'program.py'}:{function}", *words, status=status, **environment)
        return result.stdout, result.stderr

    return call


def test_the_winner_is_kept_and_used(tune, tmp_path):
    before, quiet = tune("print", "mlp", "--stage", "tir")
    assert "tuned" not in quiet
    found = json.loads(tune("tune", "mlp", "--repeat", "5", "--seconds", "60", "--json")[0])
    assert found["schema"] == "tilefoundry.tune"
    best = min(found["tried"], key=lambda row: row["median_ns"])
    assert {"blocks", "threads", "median_ns"} <= set(best)
    assert found["median_ns"] > 0 and found["untuned_ns"] > 0 and found["threads"] >= 1
    assert found["tried"][0]["blocks"] == {}
    out, error = tune("run", "mlp", "--inputs", "random", "--verify", "--json")
    facts = json.loads(out)
    assert facts["passed"] is True and "tuned for this machine" in error
    assert facts["tuned"] == {"blocks": found["blocks"], "threads": found["threads"]}
    text, error = tune("print", "mlp", "--stage", "tir")
    assert "tuned for this machine" in error and (text != before) == bool(found["blocks"])
    _, error = tune("build", "mlp", "-o", tmp_path / "out")
    assert "tuned for this machine" in error
    # What the user chooses goes first.
    assert "tuned" not in tune("print", "mlp", "--stage", "tir", "--disable-pass", "tile_regions")[1]
    assert "tuned" not in tune("print", "sums", "--stage", "tir")[1]
    assert tune("tune", "mlp", "--forget")[0] == "forgotten\n"
    assert tune("print", "mlp", "--stage", "tir")[0] == before
    assert tune("tune", "mlp", "--forget")[0].startswith("nothing was kept")


def stored(tmp_path):
    (path,) = (tmp_path / "cache" / "tuned").iterdir()
    return path


def test_stored_blocks_reach_the_code(tune, tmp_path):
    """Whatever this machine finds fastest: sizes that were kept are those of the built program."""
    tune("tune", "mlp", "--repeat", "1", "--seconds", "0")
    default = tune("print", "mlp", "--stage", "tir")[0]
    names = [line.split()[1] for line in default.splitlines() if line.strip().startswith("for ") and "T.parallel(" in line]
    for name in names:
        known = json.loads(stored(tmp_path).read_text())
        stored(tmp_path).write_text(json.dumps(known | {"blocks": {name: 16}}))
        asked = tilefoundry("print", f"{tmp_path / 'program.py'}:mlp", "--stage", "tir", "--block", f"{name}=16",
                            status=None, TILEFOUNDRY_CACHE_DIR=str(tmp_path / "cache"))
        if asked.returncode != 0:
            assert "TF4470" in asked.stderr  # a parallel loop that is no block loop
            continue
        assert tune("print", "mlp", "--stage", "tir")[0] == asked.stdout
        out, error = tune("run", "mlp", "--inputs", "random", "--verify")
        assert "PASS" in out and f"{name} = 16" in error


@pytest.mark.parametrize("text", ["", "{", "[]", '{"schema_version": 99}',
                                  '{"schema_version": 1, "blocks": {"a": 0}, "threads": 1, "median_ns": 1, "untuned_ns": 1}',
                                  '{"schema_version": 1, "blocks": 3, "threads": 1, "median_ns": 1, "untuned_ns": 1}'])
def test_a_damaged_entry_counts_as_none(tune, tmp_path, text):
    tune("tune", "sums", "--repeat", "1", "--seconds", "0")
    stored(tmp_path).write_text(text)
    out, error = tune("run", "sums", "--inputs", "random", "--verify")
    assert "PASS" in out and "tuned" not in error


def test_bad_input(tune, tmp_path):
    for words in (["--seconds", "-1"], ["--repeat", "0"], ["--inputs"], ["--block", "a=1"]):
        assert "error[TF7001]" in tune("tune", "sums", *words, status=2)[1]
    assert "error[TF6302]" in tune("tune", "sums", "--dim", "n=4", status=1)[1]
    assert "error[TF2" in tune("tune", "nothing", status=1)[1]
    assert "error[TF7490]" in tune("tune", "sums", "--seconds", "0", status=3, TILEFOUNDRY_CACHE_DIR="off")[1]
    assert "error[TF500" in tune("tune", "sums", status=3, CXX="false")[1]
    assert not list((tmp_path / "cache").glob("tuned/*"))


@pytest.mark.parametrize("words", [["nowhere=4"], ["a=0"], ["a=-3"], ["a=many"], ["=4"], ["a"]])
def test_bad_blocks(tune, words):
    status = 1 if words == ["nowhere=4"] else 2
    code = "TF4470" if status == 1 else "TF7001"
    assert f"error[{code}]" in tune("run", "mlp", "--inputs", "random", "--block", *words, status=status)[1]
