#!/usr/bin/env python3
"""Whole workloads beside NumPy, PyTorch and ONNX Runtime, interleaved round by round in one process.

    bench/peers.py [--rounds 6] [--only NAME,...] [--tools ours,numpy,torch,onnxruntime] [--json FILE]

Needs the package `tilefoundry` (`pip install .`) and NumPy; PyTorch and ONNX Runtime take part where they
are installed (bench/requirements.txt). Every output is held against a float64 reference first. A
cell is the median of all timed calls, [p10, p90] in the JSON; `x` is the ratio to the best tool of the row;
`share` is what this machine's measured limit (bench/peaks.cc) would need over what ours took. `first` is the
first call of ours in a fresh cache (read, compile, load, run), `cached` the same once it is cached.

Each round measures every tool of every row once: a pause in which the threads of the tool before fall
asleep, untimed calls to wake its own, then timed calls for --budget seconds. Outputs are reused where a tool
allows it; PyTorch's are fresh, from an allocator that keeps freed blocks (--alloc default: it does not).
"""

import argparse
import ctypes
import json
import os
import pathlib
import statistics
import subprocess
import sys
import tempfile
import time

ROOT = pathlib.Path(__file__).resolve().parent.parent
TOOLS = ("ours", "numpy", "torch", "onnxruntime")
TOLERANCE = 1e-5  # largest error over largest reference


def parse():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--rounds", type=int, default=6)
    parser.add_argument("--threads", type=int, default=min(2, os.cpu_count() or 1))
    parser.add_argument("--budget", type=float, default=0.06, help="seconds of timed calls a cell and round")
    parser.add_argument("--pause", type=float, default=0.03, help="seconds between two tools")
    parser.add_argument("--only", default="", help="names of workloads, separated by commas")
    parser.add_argument("--tools", default=",".join(TOOLS))
    parser.add_argument("--alloc", choices=("reuse", "default"), default="reuse")
    parser.add_argument("--json", metavar="FILE", help="write all figures; - is standard output")
    parser.add_argument("--list", action="store_true", help="list the workloads and end")
    return parser.parse_args()


OPTIONS = parse()
# Read by the libraries when they are loaded.
for variable in ("OMP_NUM_THREADS", "OPENBLAS_NUM_THREADS", "MKL_NUM_THREADS", "TILEFOUNDRY_THREADS"):
    os.environ[variable] = str(OPTIONS.threads)
os.environ.pop("OPENBLAS_CORETYPE", None)
if hasattr(os, "sched_setaffinity"):
    os.sched_setaffinity(0, sorted(os.sched_getaffinity(0))[: OPTIONS.threads])

import numpy as np  # noqa: E402
from peer_workloads import aligned, workloads  # noqa: E402


def keep_freed_blocks():
    """glibc keeps what is freed, whatever its size."""
    try:
        libc = ctypes.CDLL("libc.so.6")
        for option, value in ((-3, 1 << 30), (-1, 2**31 - 1)):  # M_MMAP_THRESHOLD, M_TRIM_THRESHOLD
            libc.mallopt(option, value)
    except OSError:
        pass


def as_tuple(value):
    return tuple(value) if isinstance(value, (tuple, list)) else (value,)


# The tools: each is loaded once, and makes of a workload a call without arguments.


class Ours:
    def __init__(self):
        import tilefoundry

        self.package = tilefoundry
        self.version = tilefoundry.__version__

    def prepare(self, work):
        program = self.package.parse_file(ROOT / work.program.split(":")[0], selector=(work.program + ":").split(":")[1])
        return self.package.compile(program).bind(*work.inputs.values(), threads=OPTIONS.threads)


class Numpy:
    def __init__(self):
        self.version = np.__version__

    def prepare(self, work):
        # A tool that writes into an input has its own.
        arrays = [a if name in work.constants or a.ndim < 4 else a.copy() for name, a in work.inputs.items()]
        return lambda: work.plain(*arrays)


class Torch:
    def __init__(self):
        import torch

        self.torch = torch
        torch.set_num_threads(OPTIONS.threads)
        torch.set_grad_enabled(False)
        self.version = torch.__version__

    def prepare(self, work):
        # Inputs of rank 4 are caches, which the step writes into.
        tensors = [self.torch.from_numpy(a.copy() if a.ndim == 4 else a) for a in work.inputs.values()]
        return lambda: work.torch(self.torch, *tensors)


class Graph:
    """Collects the nodes of an ONNX model; values are names."""

    def __init__(self, onnx):
        self.helper, self.numpy_helper = onnx.helper, onnx.numpy_helper
        self.nodes, self.initializers = [], []

    def ops(self, kind, *inputs, outputs=1, **attributes):
        names = [f"v{len(self.nodes)}_{i}" for i in range(outputs)]
        self.nodes.append(self.helper.make_node(kind, list(inputs), names, **attributes))
        return names

    def op(self, kind, *inputs, **attributes):
        return self.ops(kind, *inputs, **attributes)[0]

    def constant(self, value, name=None):
        value = np.asarray(value)
        name = name or f"c{len(self.initializers)}"
        self.initializers.append(self.numpy_helper.from_array(value.astype(np.int64) if value.dtype.kind == "i" else value, name))
        return name


class OnnxRuntime:
    def __init__(self):
        import onnx
        import onnxruntime

        self.onnx, self.runtime = onnx, onnxruntime
        onnxruntime.set_default_logger_severity(3)
        self.version = onnxruntime.__version__

    def model(self, work):
        helper = self.onnx.helper
        graph = Graph(self.onnx)
        inputs, names = [], []
        for name, array in work.inputs.items():
            if name in work.constants:
                names.append(graph.constant(array, name))
                continue
            kind = self.onnx.TensorProto.FLOAT if array.dtype == np.float32 else self.onnx.TensorProto.INT64
            inputs.append(helper.make_tensor_value_info(name, kind, list(array.shape)))
            names.append(name)
        results = as_tuple(work.onnx(graph, *names))
        outputs = [helper.make_tensor_value_info(r, self.onnx.TensorProto.FLOAT, None) for r in results]
        made = helper.make_graph(graph.nodes, work.name, inputs, outputs, graph.initializers)
        return helper.make_model(made, opset_imports=[helper.make_opsetid("", 23)], ir_version=10), results

    def prepare(self, work):
        model, results = self.model(work)
        options = self.runtime.SessionOptions()
        options.intra_op_num_threads = OPTIONS.threads
        options.inter_op_num_threads = 1
        options.add_session_config_entry("session.force_spinning_stop", "1")
        session = self.runtime.InferenceSession(model.SerializeToString(), options, providers=["CPUExecutionProvider"])
        used = {i.name for i in session.get_inputs()}
        feeds = {n: a if a.dtype == np.float32 else a.astype(np.int64) for n, a in work.inputs.items() if n in used}
        first = session.run(list(results), feeds)
        binding = session.io_binding()
        held = []
        for name, array in feeds.items():
            binding.bind_ortvalue_input(name, self.runtime.OrtValue.ortvalue_from_numpy(array))
        for name, array in zip(results, first):
            held.append(aligned(array.shape))
            binding.bind_output(name, "cpu", 0, np.float32, array.shape, held[-1].ctypes.data)

        def call():
            session.run_with_iobinding(binding)
            return held

        return call


MAKERS = {"ours": Ours, "numpy": Numpy, "torch": Torch, "onnxruntime": OnnxRuntime}


def largest_error(outputs, references):
    worst = 0.0
    outputs = [np.asarray(o) for o in as_tuple(outputs)]
    if len(outputs) != len(references):
        raise ValueError(f"{len(outputs)} outputs, not {len(references)}")
    for got, wanted in zip(outputs, references):
        if got.shape != wanted.shape:
            raise ValueError(f"an output of shape {got.shape}, not {wanted.shape}")
        error = np.max(np.abs(got.astype(np.float64) - wanted)) / np.max(np.abs(wanted))
        worst = max(worst, float(error) if np.isfinite(error) else float("inf"))
    return worst


def prepare(work, tools):
    """({tool: call}, {tool: facts}, bytes of inputs and outputs); a tool that fails says why."""
    double = [a.astype(np.float64) if a.dtype == np.float32 else a for a in work.inputs.values()]
    references = as_tuple(work.plain(*double))
    moved = sum(a.nbytes for a in work.inputs.values()) + sum(4 * r.size for r in references)
    calls, facts = {}, {}
    for name, tool in tools.items():
        fact = facts[name] = {}
        try:
            start = time.perf_counter()
            call = tool.prepare(work)
            result = call()
            fact["first_ms"] = (time.perf_counter() - start) * 1e3
            fact["error"] = largest_error(result, references)
            if name == "ours":
                start = time.perf_counter()
                tool.prepare(work)()
                fact["cached_ms"] = (time.perf_counter() - start) * 1e3
            if fact["error"] > TOLERANCE:
                fact["failed"] = f"error {fact['error']:.2g} above {TOLERANCE:g}"
            else:
                calls[name] = call
        except Exception as error:  # noqa: BLE001
            fact["failed"] = f"{type(error).__name__}: {error}".split("\n")[0][:150]
    return calls, facts, moved


def timed(call):
    """Seconds of each call in one cell of one round."""
    time.sleep(OPTIONS.pause)
    clock = time.perf_counter
    start = clock()
    while True:  # wakes the threads, fills the caches
        call()
        if clock() - start > OPTIONS.budget / 4:
            break
    times = []
    end = clock() + OPTIONS.budget
    while True:
        start = clock()
        call()
        stop = clock()
        times.append(stop - start)
        if stop > end:
            return times


def measure_peaks():
    with tempfile.TemporaryDirectory() as folder:
        binary = f"{folder}/peaks"
        subprocess.run(["c++", "-O2", "-march=native", "-pthread", str(ROOT / "bench" / "peaks.cc"), "-o", binary], check=True)
        done = subprocess.run([binary, str(OPTIONS.threads)], capture_output=True, text=True, check=True)
    return json.loads(done.stdout)[f"threads_{OPTIONS.threads}"]


def limit_seconds(work, moved, peaks):
    """(seconds, what binds) at this machine's measured peaks."""
    moved = work.traffic or moved
    written = work.traffic == 0 and moved > 1.2 * sum(a.nbytes for a in work.inputs.values())
    size = moved / 2 if written else moved
    classes = {int(k.split("_")[1][:-3]): k for k in peaks if k.startswith("read_")}
    mib = min(classes, key=lambda c: abs(np.log(c * 2**20 / size)))
    speeds = [peaks[f"{kind}_{mib}MiB_gbs"] for kind in (("copy", "copy_nontemporal") if written else ("read",))]
    by_bytes, by_flops = moved / max(speeds) / 1e9, work.flops / peaks["fma_f32_gflops"] / 1e9
    return max(by_bytes, by_flops), "bytes" if by_bytes > by_flops else "flops"


def busy_ticks():
    try:
        fields = [int(f) for f in pathlib.Path("/proc/stat").read_text().split("\n")[0].split()[1:9]]
    except OSError:
        return 0.0
    return (sum(fields) - fields[3] - fields[4]) / os.sysconf("SC_CLK_TCK")


def summarize(work, facts, times, moved, peaks):
    seconds, bound = limit_seconds(work, moved, peaks)
    cells = {}
    for name, fact in facts.items():
        cells[name] = dict(fact)
        if name not in times:
            continue
        spent = sorted(times[name])
        cells[name] |= {"median_ms": statistics.median(spent) * 1e3, "p10_ms": spent[len(spent) // 10] * 1e3,
                        "p90_ms": spent[len(spent) * 9 // 10] * 1e3, "calls": len(spent)}
    medians = {n: c["median_ms"] for n, c in cells.items() if "median_ms" in c}
    best = min(medians, key=medians.get) if medians else None
    for name, median in medians.items():
        cells[name]["ratio"] = median / medians[best]
        cells[name]["share"] = seconds * 1e3 / median
    others = [m for n, m in medians.items() if n != "ours"]
    row = {"workload": work.name, "program": work.program, "best": best, "limit_ms": seconds * 1e3, "bound": bound,
           "shapes": {n: list(a.shape) for n, a in work.inputs.items()}, "tools": cells}
    if "ours" in medians and others:
        row["ours_over_best_other"] = medians["ours"] / min(others)
    return row


def table(rows, names):
    def cell(row, name):
        facts = row["tools"].get(name, {})
        if "median_ms" not in facts:
            return "-"
        return f"{facts['median_ms']:.4g} ({facts['ratio']:.2f})"

    head = ["workload", *names, "ours/best other", "limit ms", "bound", "share", "first ms", "cached ms"]
    lines = [head]
    for row in rows:
        ours = row["tools"].get("ours", {})
        lines.append([row["workload"], *(cell(row, n) for n in names),
                      f"{row['ours_over_best_other']:.2f}" if "ours_over_best_other" in row else "-",
                      f"{row['limit_ms']:.4g}", row["bound"], f"{ours['share']:.0%}" if "share" in ours else "-",
                      f"{ours['first_ms']:.0f}" if "first_ms" in ours else "-",
                      f"{ours['cached_ms']:.1f}" if "cached_ms" in ours else "-"])
    widths = [max(len(line[i]) for line in lines) for i in range(len(head))]
    for line in lines:
        print("| " + " | ".join(text.ljust(width) for text, width in zip(line, widths)) + " |")
        if line is head:
            print("|" + "|".join("-" * (width + 2) for width in widths) + "|")
    for row in rows:
        for name, facts in row["tools"].items():
            if "failed" in facts:
                print(f"{row['workload']}, {name}: {facts['failed']}")


def load_tools():
    tools, versions = {}, {}
    for name in OPTIONS.tools.split(","):
        if name not in MAKERS:
            sys.exit(f"there is no tool {name}; there are {', '.join(TOOLS)}")
        try:
            tools[name] = MAKERS[name]()
            versions[name] = tools[name].version
        except ImportError as error:
            print(f"{name} is left out: {error}", file=sys.stderr)
            versions[name] = None
    return tools, versions


def main():
    wanted = [n for n in OPTIONS.only.split(",") if n]
    if OPTIONS.alloc == "reuse":
        keep_freed_blocks()
    chosen = [w for w in workloads() if not wanted or w.name in wanted]
    if OPTIONS.list or not chosen or set(wanted) - {w.name for w in chosen}:
        print("workloads:", ", ".join(w.name for w in workloads()))
        sys.exit(0 if OPTIONS.list else 2)
    with tempfile.TemporaryDirectory() as cache:
        os.environ["TILEFOUNDRY_CACHE_DIR"] = cache
        tools, versions = load_tools()
        peaks = measure_peaks()
        prepared = []
        for work in chosen:
            print(f"preparing {work.name}", file=sys.stderr)
            prepared.append((work, *prepare(work, tools)))
        times = {work.name: {name: [] for name in calls} for work, calls, _, _ in prepared}
        busy, own, start = busy_ticks(), time.process_time(), time.perf_counter()
        for number in range(OPTIONS.rounds):
            print(f"round {number + 1} of {OPTIONS.rounds}", file=sys.stderr)
            for work, calls, _, _ in prepared:
                order = list(calls)[number % max(len(calls), 1):] + list(calls)[: number % max(len(calls), 1)]
                for name in order:
                    times[work.name][name] += timed(calls[name])
        spent = time.perf_counter() - start
        others = max(0.0, (busy_ticks() - busy) - (time.process_time() - own)) / spent if spent > 0 else 0.0
        rows = [summarize(w, facts, times[w.name], moved, peaks) for w, _, facts, moved in prepared]
    result = {"schema": "tilefoundry.bench.peers", "schema_version": 1, "threads": OPTIONS.threads,
              "rounds": OPTIONS.rounds, "alloc": OPTIONS.alloc, "versions": versions, "peaks": peaks,
              "cores_busy_with_others": others, "rows": rows}
    if OPTIONS.json != "-":
        table(rows, list(tools))
        print(f"{OPTIONS.threads} threads, {OPTIONS.rounds} rounds, {others:.2f} cores busy with others; "
              + ", ".join(f"{n} {v}" for n, v in versions.items() if v)
              + f"; peak {peaks['fma_f32_gflops']:.0f} GFLOP/s")
    if OPTIONS.json == "-":
        print(json.dumps(result, indent=1))
    elif OPTIONS.json:
        pathlib.Path(OPTIONS.json).write_text(json.dumps(result, indent=1) + "\n", encoding="utf-8")


if __name__ == "__main__":
    main()
