"""What lowering leaves, read from the text of TIR."""

import json
import re

import pytest
from programs import HEADER, ROOT, tilefoundry

PIPELINE = [
    "hir_to_tir", "bufferize", "elide_copies", "forward_outputs", "expand_tiles",
    "forward_views", "tile_regions", "fuse_loops", "contract_buffers", "order_loops", "split_reductions",
    "mark_loops",
]
OPTIONAL = [name for name in PIPELINE if name not in ("hir_to_tir", "expand_tiles")]


def norm(rows, dtype):
    return HEADER + f'''
rows = {rows}


@func
def program(
    x: Tensor[(rows, 512), "{dtype}"],
    r: Tensor[(rows, 512), "{dtype}"],
    w: ConstTensor[(512,), "{dtype}"],
    g: Tensor[(rows, 512), "{dtype}"],
):
    return rms_norm(x + r, w, eps=1e-5) * g
'''


def outer_loops(text):
    """The loops that stand directly in a prim function of a module."""
    return re.findall(r"^        for (.*):$", text, re.MULTILINE)


def allocated(text):
    return re.findall(r'alloc_tensor\(tensor_type=Tensor\[\((.*?)\), "\w+"', text)


@pytest.mark.parametrize("dtype", ["f32", "f16", "bf16"])
@pytest.mark.parametrize("rows", ["64", 'DimVar("rows", 1, 4097)'])
def test_add_rms_norm_mul_is_one_nest_without_a_tensor_sized_buffer(rows, dtype, tmp_path):
    path = tmp_path / "norm.py"
    path.write_text(norm(rows, dtype))
    text = tilefoundry("print", path, "--stage", "tir").stdout
    assert len(outer_loops(text)) == 1
    assert set(allocated(text)) <= {"512,", ""}
    assert "T.copy" not in text and "T.rms_norm" not in text
    # The figures that tell: without fusion there are several nests and a buffer of every element.
    apart = tilefoundry("print", path, "--stage", "tir", "--disable-pass", "fuse_loops").stdout
    assert len(outer_loops(apart)) > 1
    assert any(shape not in ("512,", "") for shape in allocated(apart))


def test_the_example_is_one_nest():
    text = tilefoundry("print", ROOT / "examples" / "rmsnorm.py", "--stage", "tir").stdout
    assert len(outer_loops(text)) == 1 and set(allocated(text)) == {"4096,", ""}


def test_P21_lower_runs_the_default_pipeline_in_order():
    facts = json.loads(tilefoundry("lower", ROOT / "examples" / "rmsnorm.py", "--json").stdout)
    assert [step["name"] for step in facts["passes"]] == PIPELINE


def test_P2_P15_passes_run_in_the_order_given():
    example = ROOT / "examples" / "rmsnorm.py"
    wanted = ["hir_to_tir", "expand_tiles", "bufferize", "mark_loops", "fuse_loops"]
    facts = json.loads(tilefoundry("lower", example, "--json", "--passes", ",".join(wanted)).stdout)
    assert [step["name"] for step in facts["passes"]] == wanted


def test_P16_P17_passes_dump_before_and_after_only_when_asked(tmp_path):
    example = ROOT / "examples" / "rmsnorm.py"
    tilefoundry("lower", example, "--dump-dir", tmp_path / "dump")
    befores = sorted(tmp_path.rglob("before.txt"))
    assert len(befores) == len(sorted(tmp_path.rglob("after.txt"))) == len(PIPELINE)
    for before in befores:
        assert any(name in str(before) for name in PIPELINE)
    tilefoundry("lower", example)
    assert [path.name for path in tmp_path.iterdir()] == ["dump"]


def test_P25_another_target_than_the_declared_one_is_refused(tmp_path):
    path = tmp_path / "declared.py"
    text = HEADER + "from tilefoundry.target import CpuTarget\n" + '''
@module(entry="f", target=CpuTarget())
class M:
    @func
    def f(x: Tensor[(4,), "f32"]):
        return x + x
'''
    path.write_text(text)
    refused = tilefoundry("lower", path, "--target", "cuda", status=1)
    assert "TF4301" in refused.stderr
    declared = tilefoundry("lower", path).stdout
    assert tilefoundry("lower", path, "--target", "cpu").stdout == declared
    path.write_text(text.replace(", target=CpuTarget()", ""))
    assert tilefoundry("lower", path).stdout == declared


@pytest.mark.parametrize("left_out", [[], *[[name] for name in OPTIONAL], OPTIONAL], ids=str)
def test_results_hold_with_every_optimizing_pass_left_out(left_out, tmp_path):
    path = tmp_path / "norm.py"
    path.write_text(norm('DimVar("rows", 1, 4097)', "bf16"))
    options = [word for name in left_out for word in ("--disable-pass", name)]
    for rows in (1, 67):
        result = tilefoundry("run", path, "--inputs", "random", "--dim", f"rows={rows}", "--verify", *options)
        assert "PASS" in result.stdout
