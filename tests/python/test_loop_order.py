"""Programs whose loops are reordered, tiled or cut into parts, on odd extents, against NumPy."""

import itertools

import numpy as np
import pytest
from programs import HEADER, agree, run, tilefoundry

rng = np.random.default_rng(7)


def make(shape, dtype):
    if dtype in ("i32", "i64"):
        return rng.integers(-50, 50, shape).astype({"i32": np.int32, "i64": np.int64}[dtype])
    return rng.standard_normal(shape).astype({"f32": np.float32, "f16": np.float16}[dtype])


KINDS = {"sum": np.sum, "max": np.max, "abs_max": lambda x, axis: np.max(np.abs(x), axis=axis)}
SHAPES = [(1000, 300), (2053, 17), (64, 4099), (300, 7, 65), (5, 129, 64), (4096, 3)]


@pytest.mark.parametrize("dtype", ["f32", "f16", "i32", "i64"])
@pytest.mark.parametrize("shape", SHAPES, ids=str)
def test_reductions_over_any_axes(shape, dtype):
    x = make(shape, dtype)
    axes = [a for n in range(1, len(shape) + 1) for a in itertools.combinations(range(len(shape)), n)]
    values = [(kind, a) for kind in KINDS for a in axes]
    lines = [
        f'    r{i} = reduce(x, axes={a}, keepdim=False, kind="{kind}")' for i, (kind, a) in enumerate(values)
    ]
    source = HEADER + f'@func\ndef program(x: Tensor[{shape}, "{dtype}"]):\n' + "\n".join(lines)
    source += f"\n    return {', '.join(f'r{i}' for i in range(len(values)))}\n"
    outputs = run(source, [x])
    wide = x.astype(np.float64) if dtype in ("f32", "f16") else x
    for (kind, a), got in zip(values, outputs, strict=True):
        wanted = KINDS[kind](wide, axis=a)
        if dtype in ("f32", "f16"):
            bound = {"f32": 2e-6, "f16": 1e-3}[dtype] * np.sum(np.abs(wide), axis=a) ** 0.9
            assert np.all(np.abs(got.astype(np.float64) - wanted) <= bound + np.abs(wanted) * 1e-3), (kind, a)
        else:
            assert np.array_equal(got, wanted.astype(x.dtype)), (kind, a)


@pytest.mark.parametrize("dtype", ["f32", "f16", "i64"])
@pytest.mark.parametrize("shape", [(1, 1), (100, 70), (65, 129), (8, 4096), (3, 33, 200), (70, 5, 66)], ids=str)
def test_transposed_reads_beside_plain_ones(shape, dtype):
    x = make(shape, dtype)
    for perm in itertools.permutations(range(len(shape))):
        y = make([shape[p] for p in perm], dtype)
        source = HEADER + (
            f'@func\ndef program(x: Tensor[{shape}, "{dtype}"], y: Tensor[{y.shape}, "{dtype}"]):\n'
            f"    t = transpose(x, perm={perm})\n    return t, t + y, max(t, y)\n"
        )
        plain, added, most = run(source, [x, y])
        t = np.transpose(x, perm)
        assert np.array_equal(plain, t)
        agree(added, t + y)
        agree(most, np.maximum(t, y))


@pytest.mark.parametrize("size", [1, 31, 64, 1000, 1025])
def test_dimensions_known_at_run_time(size, tmp_path):
    source = HEADER + """n = DimVar("n", 1, 5000)


@func
def program(x: Tensor[(n, 65), "f32"], y: Tensor[(65, n), "f32"]):
    columns = reduce(x, axes=(0,), keepdim=False, kind="sum")
    rows = reduce(y, axes=(0,), keepdim=False, kind="max")
    total = reduce(x, axes=(0, 1), keepdim=False, kind="sum")
    return columns, rows, total, transpose(x, perm=(1, 0)) + y
"""
    x, y = make((size, 65), "f32"), make((65, size), "f32")
    columns, rows, total, turned = run(source, [x, y])
    assert np.allclose(columns, x.sum(0, dtype=np.float64), atol=1e-3)
    assert np.array_equal(rows, y.max(0))
    assert np.allclose(total, x.sum(dtype=np.float64), atol=1e-2)
    assert np.array_equal(turned, x.T + y)


def test_threads_do_not_change_a_result(tmp_path):
    source = tmp_path / "f.py"
    source.write_text(HEADER + """@func
def program(x: Tensor[(4000, 500), "f32"]):
    return reduce(x, axes=(0,), keepdim=False, kind="sum"), reduce(x, axes=(0, 1), keepdim=False, kind="sum")
""")
    results = []
    for threads in (1, 2, 3):
        folder = tmp_path / str(threads)
        tilefoundry("run", source, "--inputs", "random", "--threads", threads, "--save", folder)
        results.append([np.load(folder / f"out{i}.npy") for i in range(2)])
    for other in results[1:]:
        assert all(np.array_equal(a, b) for a, b in zip(results[0], other, strict=True))
