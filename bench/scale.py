#!/usr/bin/env python3
"""Time and memory of check, print and lower on generated programs of 1k, 10k and 100k ops.

    bench/scale.py [--command PATH] [--sizes 1000,10000,100000] [--lower] [--json]

`chain` and `wide` have one shape, `growing` and `many_functions` a shape for nearly every value. Times
are processor seconds, the least of three runs (one for 100k ops); memory is the peak resident size.
"""

import argparse
import json
import os
import pathlib
import sys
import tempfile

ROOT = pathlib.Path(__file__).resolve().parent.parent
sys.path.insert(0, str(ROOT / "tests" / "python"))

import scale_programs  # noqa: E402


def measure(arguments):
    """(processor seconds, peak MiB) of one run with its output dropped."""
    child = os.fork()
    if child == 0:
        try:
            os.dup2(os.open(os.devnull, os.O_WRONLY), 1)
            os.execv(arguments[0], arguments)
        finally:
            os._exit(127)
    _, status, usage = os.wait4(child, 0)
    if status != 0:
        sys.exit(f"{' '.join(arguments)} failed")
    return usage.ru_utime + usage.ru_stime, usage.ru_maxrss / 1024


def rows(command, sizes, verbs):
    with tempfile.TemporaryDirectory() as folder:
        for name, make in scale_programs.SHAPES.items():
            for size in sizes:
                path = pathlib.Path(folder) / f"{name}.py"
                path.write_text(make(size))
                row = {"program": name, "ops": size}
                for verb in verbs:
                    runs = [measure([command, verb, str(path)])
                            for _ in range(1 if size >= 100_000 else 3)]
                    row[f"{verb}_s"] = round(min(t for t, _ in runs), 3)
                    row[f"{verb}_mib"] = round(max(m for _, m in runs), 1)
                row["check_print_s"] = round(row["check_s"] + row["print_s"], 3)
                yield row


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--command", default=os.environ.get(
        "TILEFOUNDRY_BIN", str(ROOT / "build" / "release" / "tilefoundry")))
    parser.add_argument("--sizes", default="1000,10000,100000")
    parser.add_argument("--lower", action="store_true", help="measure lower too")
    parser.add_argument("--json", action="store_true", help="print JSON only")
    options = parser.parse_args()
    verbs = ["check", "print", *(["lower"] if options.lower else [])]
    table = []
    for row in rows(options.command, [int(s) for s in options.sizes.split(",")], verbs):
        table.append(row)
        if not options.json:
            if len(table) == 1:
                print("".join(f"{key:>16}" for key in row))
            print("".join(f"{value:>16}" for value in row.values()), flush=True)
    print(json.dumps({"schema": "tilefoundry.bench.scale", "schema_version": 1, "rows": table}))


if __name__ == "__main__":
    main()
