"""Programs cut into blocks agree with the reference interpreter, for every block size and thread
count, and keep their blocks when they are written a little differently."""

import json
import re

import pytest
from programs import ROOT, tilefoundry

HEADER = """\
from tilefoundry import func, module
from tilefoundry.dsl import DimVar, Tensor
from tilefoundry.dsl.tf import *
from tilefoundry.target import CpuTarget

"""
ATTENTION = """\
Heads = Tensor[({heads}, {rows}, {width}), "{dtype}"]


@func
def attention(q: Heads, k: Heads, v: Heads) -> Heads:
    s = q @ transpose(k, perm=(0, 2, 1))
{scores}
    m = reduce(s, axes=(2,), kind="max", keepdim=True)
    p = exp(s - m)
    return (p / reduce(p, axes=(2,), kind="sum", keepdim=True)) @ v
"""
PLAIN = "    s = s * 0.125"
FORMS = {
    "scale": PLAIN,
    "added": "    s = s * 0.125 + 0.25",
    "cap": "    s = s * 0.125 - s * s * 0.001",
}


def attention(path, heads=2, rows=96, width=16, dtype="f32", scores=PLAIN):
    text = ATTENTION.format(heads=heads, rows=rows, width=width, dtype=dtype, scores=scores)
    path.write_text(HEADER + text)
    return path


def verify(file, *options):
    result = tilefoundry("run", file, "--inputs", "random", "--verify", "--json", *options)
    report = json.loads(result.stdout)
    assert report["passed"], report


def blocks(file, *options):
    text = tilefoundry("print", "--stage", "tir", file, *options).stdout
    return re.findall(r"^# \w+: blocks (.*?): (.*)$", text, re.MULTILINE)


@pytest.mark.parametrize("threads", (1, 2))
@pytest.mark.parametrize("size", (1, 7, 16, 50, 64, 96, 200))
def test_block_sizes_agree(tmp_path, size, threads):
    file = attention(tmp_path / "program.py")
    verify(file, "--block", f"out_axis1={size}", "--threads", threads)


@pytest.mark.parametrize("heads", (1, 2, 3))
def test_several_heads_in_a_block(tmp_path, heads):
    file = attention(tmp_path / "program.py", heads=4)
    verify(file, "--block", f"out_axis0={heads}", "--block", "out_axis1=40")


@pytest.mark.parametrize("dtype", ("f16", "bf16"))
def test_narrow_types_agree(tmp_path, dtype):
    file = attention(tmp_path / "program.py", dtype=dtype)
    assert blocks(file)
    verify(file, "--block", "out_axis1=40")


@pytest.mark.parametrize("form", FORMS)
def test_other_scores_keep_the_nest(tmp_path, form):
    wanted = blocks(attention(tmp_path / "plain.py", heads=4, rows=512))
    file = attention(tmp_path / f"{form}.py", heads=4, rows=512, scores=FORMS[form])
    found = blocks(file)
    assert len(wanted) == len(found) == 1
    assert found[0][0] == wanted[0][0]
    verify(attention(file, scores=FORMS[form]), "--block", "out_axis1=40")


SHOWN = [p for p in sorted((ROOT / "tests/text/regions").glob("*.py")) if "@func" in p.read_text()]


@pytest.mark.parametrize("file", SHOWN, ids=[path.stem for path in SHOWN])
def test_shown_programs_agree(file):
    for options in ((), ("--threads", 1), ("--disable-pass", "tile_regions")):
        verify(file, *options)


@pytest.mark.parametrize("rows", (1, 63, 64, 65, 130))
def test_rows_known_at_run_time(tmp_path, rows):
    file = tmp_path / "program.py"
    file.write_text(
        HEADER
        + 'n = DimVar("n", 1, 4097)\n\n\n@func\ndef project(x: Tensor[(n, 64), "f32"], '
        + 'w: Tensor[(64, 96), "f32"]):\n    return silu(x @ w)\n'
    )
    assert blocks(file)
    verify(file, "--dim", f"n={rows}")


@pytest.mark.parametrize("size", (1, 48, 100, 512))
def test_an_authored_loop_keeps_its_carries_in_blocks(size):
    file = ROOT / "tests/text/regions/flash_loop.py"
    assert len(blocks(file)) == 1
    verify(file, "--block", f"out_axis1={size}")


def test_only_products_remain_tile_ops():
    one_of = {"bert_layer.py": [":bert_layer"], "llama_block.py": [":prefill", ":decode"]}
    files = sorted((ROOT / "examples").glob("*.py")) + SHOWN
    for file in [f"{path}{function}" for path in files for function in one_of.get(path.name, [""])]:
        text = tilefoundry("lower", file).stdout
        assert set(re.findall(r"^ +T\.(\w+)\(", text, re.MULTILINE)) <= {"matmul", "call", "abort", "require"}, file
