#!/usr/bin/env python3
"""Variants of examples/flash_attention.py beside the example: no variant may be recognized, none may fall out.

    bench/variants.py [--command PATH] [--rounds 5] [--repeat 20] [--threads 2] [--json]

An added scale, a tanh cap, another mask and other names are still one nest of blocks, so each stays within
--most (1.3) times of the example's time; exit code 1 when one does not. Rounds are interleaved; a ratio is
the median over the rounds of (variant / example of the same round). `nests` counts the outermost statements
of the lowered program.
"""

import argparse
import json
import os
import pathlib
import statistics
import subprocess
import sys
import tempfile

ROOT = pathlib.Path(__file__).resolve().parent.parent
sys.path.insert(0, str(ROOT / "tests" / "python"))

import attention_variants  # noqa: E402


def command(options, *words):
    done = subprocess.run([options.command, *map(str, words)], capture_output=True, text=True)
    if done.returncode != 0:
        sys.exit(f"{' '.join(map(str, words))}:\n{done.stderr}")
    return done.stdout


def median_ns(options, path):
    text = command(options, "run", path, "--inputs", "random", "--repeat", options.repeat, "--threads", options.threads, "--json")
    return json.loads(text)["timing"]["median_ns"]


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--command", default=os.environ.get(
        "TILEFOUNDRY_BIN", str(ROOT / "build" / "release" / "tilefoundry")))
    parser.add_argument("--rounds", type=int, default=5)
    parser.add_argument("--repeat", type=int, default=20)
    parser.add_argument("--threads", type=int, default=min(2, os.cpu_count() or 1))
    parser.add_argument("--most", type=float, default=1.3)
    parser.add_argument("--json", action="store_true", help="print JSON only")
    options = parser.parse_args()
    with tempfile.TemporaryDirectory() as folder:
        paths = {}
        for name, (text, _, _) in attention_variants.VARIANTS.items():
            paths[name] = pathlib.Path(folder) / f"{name}.py"
            paths[name].write_text(text, encoding="utf-8")
        nests = {name: attention_variants.nest_counts(command(options, "print", path, "--stage", "tir"))
                 for name, path in paths.items()}
        rounds = [{name: median_ns(options, path) for name, path in paths.items()} for _ in range(options.rounds)]
    rows = []
    for name in paths:
        ratio = statistics.median(r[name] / r["as_it_is"] for r in rounds)
        rows.append({"variant": name, "median_ms": statistics.median(r[name] for r in rounds) / 1e6, "ratio": ratio,
                     "nests": nests[name], "fine": ratio <= options.most or name == "not_causal"})
        if not options.json:
            print(f"{name:>12} {rows[-1]['median_ms']:9.3f} ms {ratio:6.2f}  {nests[name]}")
    print(json.dumps({"schema": "tilefoundry.bench.variants", "schema_version": 1, "rows": rows}))
    sys.exit(0 if all(row["fine"] for row in rows) else 1)


if __name__ == "__main__":
    main()
