"""Speed of device/cpu/gemm*.inc beside the FMA peak and a read stream, on pinned threads.

python bench/gemm_text.py [--targets avx512,avx2] [--threads 1,2] [--kinds f32,bf16] [--blocks KC=256,NC=1024]
Prints one line a shape: median GFLOP/s (of the peak measured between the samples), or GB/s of b.
Shapes are checked against float64 once before they are timed.
"""

import argparse
import ctypes
import pathlib
import statistics
import subprocess
import sys
import tempfile
import time

import numpy as np

ROOT = pathlib.Path(__file__).resolve().parents[1]
sys.path.insert(0, str(ROOT / "tests" / "python"))
import device_text  # noqa: E402
import test_device_gemm as gemm  # noqa: E402


def aligned(count, dtype):
    size = count * np.dtype(dtype).itemsize
    raw = np.zeros(size + 4096, np.uint8)
    start = -raw.ctypes.data % 4096
    return raw[start : start + size].view(dtype)


def pool_library():
    out = pathlib.Path(tempfile.gettempdir()) / "tf-spin-pool.so"
    source = ROOT / "bench" / "spin_pool.cc"
    subprocess.run(
        ["g++", "-std=c++20", "-O2", "-march=native", "-shared", "-fPIC", "-pthread", str(source), "-o", str(out)],
        check=True,
    )
    lib = ctypes.CDLL(str(out))
    lib.pool_peak.restype = ctypes.c_double
    return lib


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--targets", default=",".join(gemm.TARGETS[::-1]))
    parser.add_argument("--threads", default="1,2")
    parser.add_argument("--kinds", default="f32,bf16,f16")
    parser.add_argument("--blocks", default="")
    parser.add_argument("--shapes", default="")
    options = parser.parse_args()
    blocks = {k: int(v) for k, v in (b.split("=") for b in options.blocks.split(",") if b)}
    shapes = [tuple(map(int, s.split("x"))) for s in options.shapes.split(",") if s] or [
        *[(n, n, n) for n in (512, 1000, 1024, 2048)],
        *[(m, 6144, 2048) for m in (1, 2, 4, 8, 16)],
        (64, 256, 128),
        (100, 100, 100),
    ]
    pool = pool_library()
    rng = np.random.default_rng(0)
    for threads in map(int, options.threads.split(",")):
        pool.pool_start(threads)
        for target in options.targets.split(","):
            for kind in options.kinds.split(","):
                text = gemm.source(target, kind, **blocks)
                begin = time.perf_counter()
                folder = tempfile.mkdtemp()
                path = pathlib.Path(folder) / "gemm.cc"
                path.write_text(text)
                cxx = device_text.compiler()
                command = [cxx, *device_text.flags(cxx), *device_text.TARGETS[target], str(path)]
                subprocess.run([*command, "-o", str(path) + ".so"], check=True)
                print(f"# {threads} threads {target} {kind}: compiled in {1e3 * (time.perf_counter() - begin):.0f} ms")
                lib = ctypes.CDLL(str(path) + ".so")
                for m, n, k in shapes:
                    for order in ("row", "column"):
                        bench(pool, lib, kind, threads, m, n, k, order, rng)
        pool.pool_stop()


def bench(pool, lib, kind, threads, m, n, k, order, rng):
    dtype = gemm.TYPES[kind][1]
    few = m <= 16
    copies = 4 if few else 1  # weights in turn, so that they come from memory
    a = aligned(m * k, dtype).reshape(m, k)
    a[...] = rng.uniform(-1, 1, a.shape)
    bs = []
    for _ in range(copies):
        b = aligned(n * k, dtype).reshape((k, n) if order == "row" else (n, k))
        b[...] = rng.uniform(-1, 1, b.shape).astype(np.float32)
        bs.append(b if order == "row" else b.T)
    c = aligned(m * n, np.float32).reshape(m, n)
    scratch = aligned(lib.scratch(*map(ctypes.c_long, (m, n, k))) * threads, np.float32)

    def call(b):
        arguments = [ctypes.c_long(v) for v in (m, n, k)]
        for x in (a, b):
            arguments += [ctypes.c_void_p(x.ctypes.data), *map(ctypes.c_long, gemm.strides(x))]
        arguments += [ctypes.c_void_p(c.ctypes.data), ctypes.c_long(n), ctypes.c_int(0)]
        arguments += [ctypes.c_void_p(scratch.ctypes.data)]
        function = ctypes.cast(pool.pool_for, ctypes.c_void_p) if threads > 1 else ctypes.c_void_p()
        begin = time.perf_counter()
        getattr(lib, "parallel_" + kind)(*arguments, function, ctypes.c_long(threads))
        return time.perf_counter() - begin

    call(bs[0])
    exact = a.astype(np.float64) @ bs[0].astype(np.float64)
    assert np.abs(c - exact).max() <= (k + 2) * 2.0**-24 * k
    flop = 2.0 * m * n * k
    times, ratios, peaks = [], [], []
    for i in range(15 if flop < 5e9 else 7):
        begin = time.perf_counter()
        peak = pool.pool_peak(ctypes.c_long(4 * threads))
        peak /= time.perf_counter() - begin
        call(bs[i % copies])
        t = call(bs[(i + 1) % copies])
        times.append(t)
        peaks.append(peak)
        ratios.append(flop / t / peak)
    t, best = statistics.median(times), min(times)
    line = f"{m:5}x{n}x{k} {order:6} median {flop / t * 1e-9:7.1f} best {flop / best * 1e-9:7.1f} GFLOP/s, "
    line += f"{100 * statistics.median(ratios):5.1f}% of the peak beside it, best of best {100 * flop / best / max(peaks):5.1f}%"
    if few:
        line += f", b at {bs[0].nbytes / t * 1e-9:.1f} (best {bs[0].nbytes / best * 1e-9:.1f}) GB/s"
    print(line, flush=True)


main()
