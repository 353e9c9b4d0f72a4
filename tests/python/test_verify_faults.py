"""`run --verify` says FAIL for generated code with an injected fault, and PASS without.

Each fault is one change of the generated source, made by a compiler wrapper (faulty_compiler.py):
the library is built with the flags of the build, and loaded, called and compared as always.
"""

import json
import pathlib
import sys

import numpy as np
import pytest
from programs import HEADER, save, tilefoundry

PROGRAMS = HEADER + '''
from tilefoundry.dsl import tile

@func
def chain(x: Tensor[(8, 512), "bf16"], y: Tensor[(8, 512), "bf16"]):
    return (x * y + x) * y


@func
def chain_f16(x: Tensor[(8, 512), "f16"], y: Tensor[(8, 512), "f16"]):
    return (x * y + x) * y


@func
def difference(x: Tensor[(8, 515), "f32"], y: Tensor[(8, 515), "f32"]):
    return x - y


@func
def quotient(x: Tensor[(8, 515), "i32"], y: Tensor[(8, 515), "i32"]):
    return x // (y + 1)


@func
def row_sum(x: Tensor[(8, 515), "f32"]):
    return reduce(x, axes=(1,), kind="sum")


@func
def row_sum_bf16(x: Tensor[(8, 4096), "bf16"]):
    return reduce(x, axes=(1,), kind="sum")


@func
def row_max(x: Tensor[(8, 515), "f32"]):
    return reduce(x, axes=(1,), kind="max")


@func
def product(x: Tensor[(24, 37), "f32"], y: Tensor[(37, 50), "f32"]):
    return x @ y


@func
def normed(x: Tensor[(8, 515), "f32"], w: Tensor[(515,), "f32"]):
    return rms_norm(x, w, eps=1e-5)


@func
def weights(x: Tensor[(8, 515), "f32"]):
    return softmax(x, axis=1)


@func
def centred(x: Tensor[(8, 515), "f32"], w: Tensor[(515,), "f32"]):
    return layer_norm(x, w, w, axis=1, eps=1e-5)


@func
def activated(x: Tensor[(8, 515), "f32"]):
    return gelu(x)


@func
def branches(c: Tensor[(515,), "bool"], x: Tensor[(515,), "f32"], y: Tensor[(515,), "f32"]):
    return where(c, x, y)


@func
def swapped(x: Tensor[(515,), "f32"], y: Tensor[(515,), "f32"]):
    a = x
    b = y
    for i in range(2, 14, 3):
        a, b = b, a * 0.5
    return a - b


@func
def windows(x: Tensor[(8, 515), "f32"]):
    total = zeros(type=Tensor[(8, 1), "f32"])
    for i in range(3, 515, 7):
        total = total * 0.5 + x[:, i : i + 1]
    return total


@func
def attention(q: Tensor[(96, 32), "f32"], k: Tensor[(96, 32), "f32"], v: Tensor[(96, 32), "f32"]):
    position = arange(type=Tensor[(96,), "i32"])
    row = reshape(position, new_shape=(96, 1))
    total = zeros(type=Tensor[(96, 1), "f32"])
    best = full_like(total, value=-1e30)
    summed = zeros(type=Tensor[(96, 32), "f32"])
    for j in tile(96, 24):
        scores = (q @ transpose(k[j, :], perm=(1, 0))) * 0.2
        column = reshape(position[j], new_shape=(1, 24))
        masked = where(row >= column, scores, -1e30)
        peak = max(best, reduce(masked, axes=(1,), kind="max"))
        rescale = exp(best - peak)
        weights = exp(masked - peak)
        total = total * rescale + reduce(weights, axes=(1,), kind="sum")
        summed = summed * rescale + weights @ v[j, :]
        best = peak
    return summed / total
'''

FAULTS = {  # name: (function, pattern, replacement), and the number of places where it is not one
    "unrounded_bf16": ("chain", r"tf_round_bf16\((\w+ \* \w+)\);(?=\n.*\n.*tf_round_bf16\(\w+ \+)", r"(\1);"),
    "unrounded_bf16_sum": ("chain", r"tf_round_bf16\((\w+ \+ \w+)\);", r"(\1);"),
    "unrounded_f16": ("chain_f16", r"tf_round_f16\((\w+ \+ \w+)\);", r"(\1);"),
    "swapped_operands": ("difference", r"= (x\w*) - (y\w*);", r"= \2 - \1;", 2),
    "dropped_last_element": ("difference", r"min_i64\(515 - tf_first", "min_i64(514 - tf_first"),
    "dropped_last_row": ("difference", r"(tf_parallel\(.*), 8,", r"\1, 7,"),
    "dropped_tail_of_a_sum": ("row_sum", r"min_i64\(515 - tf_first", "min_i64(514 - tf_first"),
    "dropped_block_of_a_sum": ("row_sum", r"(tf_i64 \w+first) = 0;", r"\1 = 64;"),
    "accumulated_in_bf16": ("row_sum_bf16", r"acc_v\[tf_u\] = (v\w*);",
                            r"const tf_f32v big = \1 * 65537.0f; acc_v[tf_u] = big - (big - \1);"),
    "truncated_division": ("quotient", r"= tf_floor_?div\w*\((\w+), (\w+)\);", r"= \1 / (\2 ? \2 : 1);"),
    "dropped_end_of_a_product": ("product", r"24, 50, 37, x", "24, 50, 36, x"),
    "dropped_column_of_a_product": ("product", r"24, 50, 37, x", "24, 49, 37, x"),
    "dropped_row_of_a_product": ("product", r"24, 50, 37, x", "23, 50, 37, x"),
    "transposed_operand": ("product", r"37, 1, y, 50, 1", "1, 24, y, 50, 1"),
    "wrong_mean": ("normed", r"/ 515\.0f", "/ 514.0f"),
    "wrong_eps": ("normed", r"\+ 1e-05f", "+ 1e-03f"),
    "swapped_branches": ("branches", r"choose\((\w+), (x\w*), (y\w*)\)", r"choose(\1, \3, \2)", 2),
    "one_wrong_element": ("difference", r"(tf_put_f32\(out \+ \(i \* 515 \+ j\), v, tf_part\);)",
                          r"\1 if (i == 7) out[7 * 515 + 514] = x[7 * 515 + 514];"),
    "unscaled_weights": ("weights", r"= 1\.0f / (acc\w*);", r"= 1.0f / (\1 + 0.01f);"),
    "wrong_eps_of_a_deviation": ("centred", r"\+ 1e-05f", "+ 1e-03f"),
    "swapped_carries": ("swapped", r"= tf_get_f32\(t \+ ", "= tf_get_f32(a + ", 2),
    "start_ignored": ("windows", r"(tf_i64 i) = 3; i < 515; i \+= 7", r"\1 = 0; i < 515; i += 7"),
    "step_ignored": ("windows", r"(tf_i64 i) = 3; i < 515; i \+= 7", r"\1 = 3; i < 515; i += 1"),
    "one_trip_missing": ("windows", r"(tf_i64 i) = 3; i < 515; i \+= 7", r"\1 = 3; i < 508; i += 7"),
    "missing_rescale_of_the_sum": ("attention", r"= (total\w*) \* v_\w+;", r"= \1;"),
    "missing_rescale_of_the_values": ("attention", r"= (summed\w*) \* tf_all\(v_\w+\);", r"= \1;"),
    "a_mask_off_by_one": ("attention", r"(tf_all\(row_2\)) >= (column_2)", r"\1 > \2", 2),
    "a_wrong_tail_mask": ("attention", r"min_i64\(24 - tf_first", "min_i64(23 - tf_first", 3),
    "a_block_of_keys_missing": ("attention", r"j = 0; j < 96; j \+= 24", "j = 0; j < 72; j += 24"),
}


def verify(folder, function, fault, inputs=("random",), status=0):
    """The verdict on the one output of a function, built by the faulty compiler."""
    (folder / "programs.py").write_text(PROGRAMS)
    (folder / "fault.json").write_text(json.dumps(fault))
    compiler = pathlib.Path(__file__).with_name("faulty_compiler.py")
    result = tilefoundry(
        "run", f"{folder / 'programs.py'}:{function}", "--verify", "--json",
        *(["--range", "x=-50:50"] if function == "quotient" else []), "--inputs", *inputs,
        status=status, timeout=100, CXX=f"{sys.executable} {compiler}", FAULT=str(folder / "fault.json"),
        TILEFOUNDRY_CACHE_DIR=str(folder / "cache"),
    )
    facts = json.loads(result.stdout)
    assert facts["passed"] == (status == 0)
    return facts["outputs"][0]["verdict"]


@pytest.mark.parametrize("name", FAULTS)
def test_an_injected_fault_fails(name, tmp_path):
    function, pattern, replacement, *places = FAULTS[name]
    fault = {"pattern": pattern, "replacement": replacement, "places": places[0] if places else 1}
    assert verify(tmp_path, function, fault, status=1) == "FAIL"


@pytest.mark.parametrize("function", sorted({fault[0] for fault in FAULTS.values()}))
def test_the_same_build_without_a_fault_passes(function, tmp_path):
    same = {"pattern": r"^// Generated by", "replacement": "// Written by"}
    assert verify(tmp_path, function, same) == "PASS"


def test_a_lost_nan_fails(tmp_path):
    x = np.ones((8, 515), np.float32)
    x[3, 514] = np.nan
    save(tmp_path / "x.npy", x)
    inputs = (str(tmp_path / "x.npy"),)
    pattern = r"(tf_max_f32\(float (\w+), float (\w+)\) \{\n)"
    lost = {"pattern": pattern, "replacement": r"\1  return \2 > \3 ? \2 : \3;\n"}
    kept = {"pattern": pattern, "replacement": r"\1"}
    assert verify(tmp_path, "row_max", kept, inputs) == "PASS"
    other = tmp_path / "other"
    other.mkdir()
    assert verify(other, "row_max", lost, inputs, status=1) == "FAIL"


def test_verify_tells_the_figures_it_judged_by(tmp_path):
    (tmp_path / "programs.py").write_text(PROGRAMS)
    result = tilefoundry("run", f"{tmp_path / 'programs.py'}:product", "--inputs", "random", "--verify")
    line = result.stdout.splitlines()[0]
    figures = ["out0: (24, 50) f32", "norm ", "max abs error ", "max rel error ", "(bound ", "rms ", "PASS"]
    for part in figures:
        assert part in line, line
