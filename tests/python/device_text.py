"""Reads the items of device/cpu/*.inc and compiles them as the compiler does (for tests, benches)."""

import ctypes
import hashlib
import os
import pathlib
import re
import subprocess
import tempfile

ROOT = pathlib.Path(__file__).resolve().parents[2]
DEVICE = ROOT / "device" / "cpu"
FLAGS = (
    "-std=c++20 -O2 -ftree-slp-vectorize -fno-math-errno -fno-trapping-math -ffp-contract=off "
    "-fno-exceptions -fno-rtti -shared -fPIC -Wall -Wextra -Werror -Wno-unused-function"
).split()
GCC_FLAGS = ["-fvect-cost-model=dynamic"]
TARGETS = {
    "base": [],
    "avx2": ["-mavx2", "-mfma", "-mf16c"],
    "avx512": "-mavx2 -mfma -mf16c -mavx512f -mavx512bw -mavx512dq -mavx512vl".split(),
    "avx512bf16": (
        "-mavx2 -mfma -mf16c -mavx512f -mavx512bw -mavx512dq -mavx512vl -mavx512bf16"
    ).split(),
}
ALLOWED_SYMBOLS = {"memcpy", "memset"}


def cpu_targets():
    """The names in TARGETS that this machine can run."""
    flags = set(re.search(r"^flags\s*:(.*)$", open("/proc/cpuinfo").read(), re.M)[1].split())
    rename = {"avx512bf16": "avx512_bf16"}
    return [
        name
        for name, options in TARGETS.items()
        if all(rename.get(o[2:], o[2:]) in flags for o in options)
    ]


def read_items(*files):
    """Item name -> (needed names, text), in the order of the files."""
    items = {}
    for file in files:
        parts = re.split(r"^// tf:function (\S+) needs:(.*)$", (DEVICE / file).read_text(), flags=re.M)
        for name, needs, text in zip(parts[1::3], parts[2::3], parts[3::3]):
            assert name not in items, name
            items[name] = (needs.split(), text)
    return items


def emit(items, wanted):
    """The text of the wanted items and all that they need, each once, in file order."""
    needed, work = set(), list(wanted)
    while work:
        name = work.pop()
        if name not in needed:
            needed.add(name)
            work += items[name][0]
    return "".join(items[name][1] for name in items if name in needed)


def compiler():
    return os.environ.get("CXX", "g++")


def flags(cxx):
    return FLAGS + ([] if "clang" in cxx else GCC_FLAGS)


def undefined_symbols(library):
    out = subprocess.run(["nm", "-D", "--undefined-only", library], capture_output=True, text=True, check=True)
    lines = [line.split() for line in out.stdout.splitlines()]
    return {words[-1].split("@")[0] for words in lines if words[0] == "U"}


def build(source, options, cxx=None):
    """Compiles source text, checks its undefined symbols, and loads it."""
    folder = pathlib.Path(tempfile.gettempdir()) / f"tf-device-text-{os.getuid()}"
    folder.mkdir(exist_ok=True)
    cxx = cxx or compiler()
    command = [cxx, *flags(cxx), *options]
    key = hashlib.sha256("\0".join([source, *command]).encode()).hexdigest()[:24]
    path, library = folder / f"{key}.cc", folder / f"{key}.so"
    if not library.exists():
        path.write_text(source)
        partial = folder / f"{key}.{os.getpid()}.tmp"
        done = subprocess.run([*command, str(path), "-o", str(partial)], capture_output=True, text=True)
        assert done.returncode == 0, done.stderr[:4000]
        partial.rename(library)
    extra = undefined_symbols(library) - ALLOWED_SYMBOLS
    assert not extra, f"undefined symbols {sorted(extra)}"
    return ctypes.CDLL(str(library))
