#!/usr/bin/env python3
"""Generated kernels beside what this machine can do, measured in one interleaved run.

    bench/kernels.py [--command PATH] [--python PATH] [--rounds 3] [--repeat 20] [--json]

- matmul 1024^3 f32 as a share of the FMA peak (bench/peaks.cc);
- rms_norm 4096x4096 f32 as a share of the bandwidth of a plain copy of 256 MiB;
- examples/swiglu_mlp.py on 512 tokens against NumPy, as NumPy's time over ours;
- a cold build of examples/rmsnorm.py beside the bare compiler on the same source, and a warm one.

All on --threads threads. Each round measures everything once, so that a noisy neighbour meets all
alike; a share is the median over the rounds of (kernel / peak of the same round). On a machine that
others use, compare the best of the rounds instead: they are printed in brackets.
"""

import argparse
import json
import os
import pathlib
import shlex
import statistics
import subprocess
import sys
import tempfile
import time

ROOT = pathlib.Path(__file__).resolve().parent.parent
TOKENS = 512

MATMUL = """from tilefoundry import func
from tilefoundry.dsl import Tensor


@func
def matmul(a: Tensor[(1024, 1024), "f32"], b: Tensor[(1024, 1024), "f32"]):
    return a @ b
"""

RMS_NORM = """from tilefoundry import func
from tilefoundry.dsl import Tensor
from tilefoundry.dsl.tf import rms_norm


@func
def norm(x: Tensor[(4096, 4096), "f32"], w: Tensor[(4096,), "f32"]):
    return rms_norm(x, w, eps=1e-5)
"""

NUMPY_MLP = """
import sys, time
import numpy as np
tokens, repeat = int(sys.argv[1]), int(sys.argv[2])
rng = np.random.default_rng(0)
x, gate, up, down = (rng.standard_normal(s, dtype=np.float32)
                     for s in ((tokens, 512), (512, 1408), (512, 1408), (1408, 512)))
def mlp():
    g = x @ gate
    return (g / (1 + np.exp(-g)) * (x @ up)) @ down
mlp()
times = []
for _ in range(repeat):
    start = time.perf_counter()
    mlp()
    times.append(time.perf_counter() - start)
print(sorted(times)[len(times) // 2])
"""


class Bench:
    def __init__(self, options, folder):
        self.options = options
        self.folder = folder
        self.environment = dict(os.environ, TILEFOUNDRY_CACHE_DIR=str(folder / "cache"))
        for name, text in (("matmul", MATMUL), ("norm", RMS_NORM), ("mlp_numpy", NUMPY_MLP)):
            (folder / f"{name}.py").write_text(text)
        self.peaks_binary = folder / "peaks"
        subprocess.run(["c++", "-O2", "-march=native", "-pthread", str(ROOT / "bench" / "peaks.cc"),
                        "-o", str(self.peaks_binary)], check=True)

    def run(self, *arguments, environment=None):
        done = subprocess.run([self.options.command, *map(str, arguments)], capture_output=True,
                              text=True, env=environment or self.environment)
        if done.returncode != 0:
            sys.exit(f"{' '.join(map(str, arguments))}:\n{done.stderr}")
        return json.loads(done.stdout)

    def timing(self, path, *arguments):
        return self.run("run", path, "--inputs", "random", "--repeat", self.options.repeat,
                        "--threads", self.options.threads, "--json", *arguments)["timing"]

    def peaks(self):
        done = subprocess.run([str(self.peaks_binary), str(self.options.threads)],
                              capture_output=True, text=True, check=True)
        return json.loads(done.stdout)[f"threads_{self.options.threads}"]

    def numpy_mlp(self):
        environment = dict(os.environ, OPENBLAS_NUM_THREADS=str(self.options.threads))
        environment.pop("OPENBLAS_CORETYPE", None)
        done = subprocess.run([self.options.python, str(self.folder / "mlp_numpy.py"), str(TOKENS),
                               str(self.options.repeat)], capture_output=True, text=True,
                              check=True, env=environment)
        return float(done.stdout)

    def round(self):
        peaks = self.peaks()
        matmul = self.timing(self.folder / "matmul.py")
        norm = self.timing(self.folder / "norm.py")
        numpy_s = self.numpy_mlp()
        mlp = self.timing(ROOT / "examples" / "swiglu_mlp.py", "--dim", f"tokens={TOKENS}")
        again = self.peaks()
        peak = (peaks["fma_f32_gflops"] + again["fma_f32_gflops"]) / 2
        copy = (peaks["copy_256MiB_gbs"] + again["copy_256MiB_gbs"]) / 2
        gflops = matmul["flops"] / matmul["median_ns"]
        norm_gbs = norm["bytes"] / norm["median_ns"]
        best_flops = matmul["flops"] / matmul["min_ns"]
        best_norm = norm["bytes"] / norm["min_ns"]
        return {
            "best_matmul_gflops": best_flops, "best_rms_norm_gbs": best_norm,
            "fma_peak_gflops": peak, "matmul_gflops": gflops, "matmul_share": gflops / peak,
            "copy_gbs": copy, "rms_norm_gbs": norm_gbs, "rms_norm_share": norm_gbs / copy,
            "numpy_mlp_ms": numpy_s * 1e3, "mlp_ms": mlp["median_ns"] / 1e6,
            "mlp_speedup": numpy_s * 1e9 / mlp["median_ns"],
        } | self.latency()

    def latency(self):
        """Milliseconds of a cold build, of the compiler alone on its source, and of a warm build."""
        log = self.folder / "compiler.log"
        wrapper = self.folder / "compiler"
        wrapper.write_text(f'#!/bin/sh\nprintf \'%s\\n\' "$@" >> {shlex.quote(str(log))}\n'
                           f'echo ==== >> {shlex.quote(str(log))}\nexec c++ "$@"\n')
        wrapper.chmod(0o755)
        out = {}
        with tempfile.TemporaryDirectory(dir=self.folder) as fresh:
            environment = dict(self.environment, TILEFOUNDRY_CACHE_DIR=f"{fresh}/cache",
                               CXX=str(wrapper))
            for name in ("cold_build_ms", "warm_build_ms"):
                folder = f"{fresh}/{name}"
                start = time.perf_counter()
                self.run("build", ROOT / "examples" / "rmsnorm.py", "-o", folder, "--json",
                         environment=environment)
                out[name] = (time.perf_counter() - start) * 1e3
            calls = [c.strip("\n").split("\n") for c in log.read_text().split("====\n") if c.strip()]
            log.unlink()
            arguments = next(c for c in calls if "-shared" in c)
            arguments = [f"{folder}/source.cc" if a.endswith(".cc") else a for a in arguments]
            arguments[arguments.index("-o") + 1] = f"{fresh}/bare.so"
            start = time.perf_counter()
            subprocess.run(["c++", *arguments], check=True)
            out["bare_compiler_ms"] = (time.perf_counter() - start) * 1e3
        return out


def main():
    venv = ROOT / ".venv" / "bin" / "python"
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--command", default=os.environ.get(
        "TILEFOUNDRY_BIN", str(ROOT / "build" / "release" / "tilefoundry")))
    parser.add_argument("--python", default=str(venv) if venv.exists() else sys.executable,
                        help="an interpreter that has NumPy")
    parser.add_argument("--rounds", type=int, default=3)
    parser.add_argument("--repeat", type=int, default=20)
    parser.add_argument("--threads", type=int, default=min(2, os.cpu_count() or 1))
    parser.add_argument("--json", action="store_true", help="print JSON only")
    options = parser.parse_args()
    with tempfile.TemporaryDirectory() as folder:
        bench = Bench(options, pathlib.Path(folder))
        rounds = [bench.round() for _ in range(options.rounds)]
    medians = {key: statistics.median(r[key] for r in rounds) for key in rounds[0]}
    if not options.json:
        for key, value in medians.items():
            print(f"{key:>20} {value:>10.3f}   ({', '.join(f'{r[key]:.3g}' for r in rounds)})")
    print(json.dumps({"schema": "tilefoundry.bench.kernels", "schema_version": 1,
                      "threads": options.threads, "median": medians, "rounds": rounds}))


if __name__ == "__main__":
    main()
