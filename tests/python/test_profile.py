"""`run --profile`: the nests of a call with their time, bytes, flops and share of the machine's limit."""

import json
import re

import numpy as np
import pytest
from programs import HEADER, save, tilefoundry

PROGRAM = HEADER + '''
@func
def program(x: Tensor[(64, 256), "f32"], w: Tensor[(256, 128), "f32"]):
    y = exp(x)
    z = y @ w
    return z / (reduce(z * z, axes=(1,), kind="sum") + 1.0)


@func
def piece(x: Tensor[(64, 256), "f32"]):
    return exp(x)


@func
def whole(x: Tensor[(64, 256), "f32"]):
    return piece(x)


n = DimVar("n", 1, 4096)


@func
def dynamic(x: Tensor[(n, 8), "f32"]):
    return x + x
'''


@pytest.fixture
def source(tmp_path):
    path = tmp_path / "program.py"
    path.write_text(PROGRAM)
    return path


def profile(source, function, *options):
    result = tilefoundry("run", f"{source}:{function}", "--inputs", "random", "--profile", "--json", *options)
    return json.loads(result.stdout)


def test_every_nest_has_its_time_and_needs(source):
    facts = profile(source, "program", "--repeat", "5", "--verify", "--threads", "1")
    assert facts["passed"] is True
    told = facts["profile"]
    assert (told["calls"], told["threads"]) == (5, 1)
    assert told["limit_flops_per_second"] > 1e8
    nests = told["nests"]
    product = [n for n in nests if n["flops"] >= 2 * 64 * 256 * 128]
    assert len(product) == 1
    for nest in nests:
        assert nest["function"] == "program" and nest["passes"] == 1
        assert 0 < nest["median_ns"] <= told["call_ns"] * 1.5
        assert nest["share_of_limit"] > 0 and nest["limited_by"] in ("bytes", "flops")
        assert nest["place"].startswith(str(source))
        assert nest["flops"] == sum(nest["flops_by_dtype"].values())
    # Everything the program takes and gives is moved by some nest; intermediate buffers come on top.
    assert sum(n["bytes_read"] for n in nests) >= 4 * (64 * 256 + 256 * 128)
    assert sum(n["bytes_written"] for n in nests) >= 4 * 64 * 128


def test_a_callee_counts_once_and_needs_follow_the_extents(source):
    nests = profile(source, "whole")["profile"]["nests"]
    assert [(n["function"], n["passes"], n["flops"]) for n in nests] == [("piece", 1, 64 * 256)]
    (nest,) = profile(source, "dynamic", "--dim", "n=100")["profile"]["nests"]
    assert (nest["flops"], nest["bytes_read"], nest["bytes_written"]) == (800, 3200, 3200)


def test_the_table_says_the_same(source):
    result = tilefoundry("run", f"{source}:program", "--inputs", "random", "--profile")
    lines = result.stdout.splitlines()
    assert any(re.match(r"profile of 10 calls on \d+ threads?: [\d.]+ us a call", line) for line in lines)
    assert any("program: matmul ->" in line or "program: loop" in line for line in lines)
    assert lines[-1].endswith("the call itself")


def test_results_are_those_of_a_build_without(source, tmp_path):
    x = np.linspace(-1, 1, 64 * 256, dtype=np.float32).reshape(64, 256)
    save(tmp_path / "x.npy", x)
    texts = []
    for option in ("--profile", "--verify"):
        result = tilefoundry("run", f"{source}:piece", "--inputs", tmp_path / "x.npy", option, "--json",
                             "--save", tmp_path / option)
        texts.append(open(json.loads(result.stdout)["source"]).read())
    assert np.array_equal(np.load(tmp_path / "--profile/out0.npy"), np.load(tmp_path / "--verify/out0.npy"))
    assert "tf_profile" in texts[0] and "tf_profile" not in texts[1]


def test_a_program_may_be_named_profile(tmp_path):
    path = tmp_path / "program.py"
    path.write_text(HEADER + '\n@func\ndef profile(x: Tensor[(64, 256), "f32"]):\n    return exp(x)\n')
    facts = profile(path, "profile", "--verify")
    assert facts["passed"] is True and facts["profile"]["nests"][0]["function"] == "profile"


def test_what_a_profile_cannot_do(source, tmp_path):
    cache = {"TILEFOUNDRY_CACHE_DIR": str(tmp_path / "cache")}
    words = ("run", f"{source}:piece", "--inputs", "random", "--profile")
    result = tilefoundry(*words, status=3, CXX="false", **cache)
    assert "error[TF500" in result.stderr and result.stdout == ""
    result = tilefoundry(*words, "--evaluate", status=2)
    assert "error[TF7001]" in result.stderr and "--profile" in result.stderr
    result = tilefoundry("build", source, "-o", tmp_path / "out", "--profile", status=2)
    assert "error[TF7001]" in result.stderr and not (tmp_path / "out").exists()
