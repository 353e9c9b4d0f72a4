#!/usr/bin/env python3
"""Matrix products beside NumPy's, call by call in one process, with the FMA peak beside each sample.

    bench/products.py [--rounds 30] [--threads 2] [--only SHAPE,...] [--json FILE]

Needs the package `tilefoundry` and NumPy. `rows` has weights b[K][N], `columns` w[N][K] read through a
transpose. A figure is the least of all rounds; `x` is NumPy's time over ours (above 1: ours is
faster), `share` ours of the FMA peak, `GB/s` the rate at which the weights were read. bf16 has no
contender in NumPy: it multiplies the same numbers in f32.
"""

import argparse
import ctypes
import json
import os
import pathlib
import subprocess
import tempfile
import time

ROOT = pathlib.Path(__file__).resolve().parent.parent
SHAPES = ("1024x1024x1024", "8x4096x4096", "1x4096x4096", "16x4096x4096", "128x1536x576", "1024x1536x384")
PROGRAM = """from tilefoundry import func
from tilefoundry.dsl import Tensor
from tilefoundry.dsl.tf import transpose


@func
def product(a: Tensor[({m}, {k}), "{dtype}"], b: Tensor[({shape}), "{dtype}"]):
    return a @ {b}
"""


def parse():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--rounds", type=int, default=30)
    parser.add_argument("--threads", type=int, default=min(2, os.cpu_count() or 1))
    parser.add_argument("--only", default=",".join(SHAPES), help="MxNxK, separated by commas")
    parser.add_argument("--json", metavar="FILE")
    return parser.parse_args()


OPTIONS = parse()
for variable in ("OMP_NUM_THREADS", "OPENBLAS_NUM_THREADS", "TILEFOUNDRY_THREADS"):
    os.environ[variable] = str(OPTIONS.threads)

import numpy as np  # noqa: E402
import tilefoundry  # noqa: E402


class Peak:
    """GFLOP/s of the threads together, from an FMA loop on this thread."""

    def __init__(self, folder):
        library = folder / "pool.so"
        subprocess.run(
            ["g++", "-std=c++20", "-O2", "-march=native", "-shared", "-fPIC", "-pthread",
             str(ROOT / "bench" / "spin_pool.cc"), "-o", str(library)],
            check=True,
        )
        self.lib = ctypes.CDLL(str(library))
        self.lib.pool_peak.restype = ctypes.c_double
        cpus = os.sched_getaffinity(0)
        self.lib.pool_start(1)
        os.sched_setaffinity(0, cpus)

    def measure(self):
        begin = time.perf_counter()
        flops = self.lib.pool_peak(ctypes.c_long(2))
        return OPTIONS.threads * flops / (time.perf_counter() - begin) * 1e-9


def program(folder, m, n, k, columns, dtype):
    path = folder / f"product_{m}_{n}_{k}_{columns}_{dtype}.py"
    path.write_text(
        PROGRAM.format(m=m, k=k, dtype=dtype, shape=f"{n}, {k}" if columns else f"{k}, {n}",
                       b="transpose(b, perm=(1, 0))" if columns else "b")
    )
    return tilefoundry.compile(tilefoundry.parse_file(path))


def timed(call):
    begin = time.perf_counter()
    call()
    return time.perf_counter() - begin


def measure(folder, peak, m, n, k, columns, dtype):
    rng = np.random.default_rng(0)
    a = rng.standard_normal((m, k), dtype=np.float32)
    b = rng.standard_normal((n, k) if columns else (k, n), dtype=np.float32)
    ours_a, ours_b = a, b
    if dtype == "bf16":
        import ml_dtypes

        ours_a, ours_b = a.astype(ml_dtypes.bfloat16), b.astype(ml_dtypes.bfloat16)
        a, b = ours_a.astype(np.float32), ours_b.astype(np.float32)
    wide = b.T if columns else b
    out = np.empty((m, n), np.float32)
    ours = program(folder, m, n, k, columns, dtype).bind(ours_a, ours_b, threads=OPTIONS.threads)
    exact = a.astype(np.float64) @ wide.astype(np.float64)
    error = np.abs(np.asarray(ours()).astype(np.float64) - exact).max() / np.abs(exact).max()
    assert error < (1e-2 if dtype == "bf16" else 1e-5), error
    best = {"ours": 1e9, "numpy": 1e9}
    highest = 0.0
    for _ in range(OPTIONS.rounds):
        highest = max(highest, peak.measure())
        for name, call in (("ours", ours), ("numpy", lambda: np.matmul(a, wide, out=out))):
            time.sleep(0.005)  # the other library's threads fall asleep
            call()
            best[name] = min(best[name], timed(call), timed(call))
    return {
        "shape": f"{m}x{n}x{k}", "weights": "columns" if columns else "rows", "dtype": dtype,
        "ours_ms": best["ours"] * 1e3, "numpy_ms": best["numpy"] * 1e3, "x": best["numpy"] / best["ours"],
        "share": 2e-9 * m * n * k / best["ours"] / highest, "peak_gflops": highest,
        "weights_gbs": 1e-9 * n * k * ours_b.itemsize / best["ours"],
    }


def main():
    rows = []
    with tempfile.TemporaryDirectory() as folder:
        folder = pathlib.Path(folder)
        peak = Peak(folder)
        for shape in OPTIONS.only.split(","):
            m, n, k = map(int, shape.split("x"))
            for columns, dtype in ((False, "f32"), (True, "f32"), (False, "bf16")):
                if dtype == "bf16" and (m, n, k) != (1024, 1024, 1024):
                    continue
                row = measure(folder, peak, m, n, k, columns, dtype)
                rows.append(row)
                print(
                    f"{row['shape']:16} {row['weights']:8} {dtype:5} ours {row['ours_ms']:8.3f} ms  numpy"
                    f" {row['numpy_ms']:8.3f} ms  x {row['x']:5.2f}  share {row['share']:5.1%}"
                    f"  weights {row['weights_gbs']:6.1f} GB/s",
                    flush=True,
                )
    if OPTIONS.json:
        pathlib.Path(OPTIONS.json).write_text(json.dumps({"threads": OPTIONS.threads, "rows": rows}, indent=1))


if __name__ == "__main__":
    main()
