"""Rules that run another program: the formatter, the compiler, the linter, the page generators."""

import concurrent.futures
import json
import os
import shutil
import subprocess
import sys

from . import conformance

CLANG_FORMAT = "clang-format-19"
CLANG_TIDY = "clang-tidy-19"
WARNINGS = ["-Wall", "-Wextra", "-Wno-missing-field-initializers", "-Wno-restrict", "-Werror"]


def run(command, tree):
    return subprocess.run(command, cwd=tree.root, capture_output=True, text=True)


def formatted(tree):
    """C++ is formatted as .clang-format says."""
    names = [n for n in tree.files if n.endswith((".h", ".cc")) and not n.startswith("device/")]
    if not names:
        return []
    if shutil.which(CLANG_FORMAT) is None:
        return [f"{CLANG_FORMAT} is missing; scripts/setup.sh installs it"]
    result = run([CLANG_FORMAT, "--dry-run", "-Werror", *names], tree)
    bad = sorted({line.split(":")[0] for line in result.stderr.splitlines() if ": error:" in line})
    if result.returncode != 0 and not bad:
        return [f"{CLANG_FORMAT} failed: {result.stderr.strip()}"]
    return [f"{name}: not formatted; run {CLANG_FORMAT} -i {name}" for name in bad]


def headers_compile_alone(tree):
    """Each header is compiled as the only include of a file; ccache makes a repeat cheap."""
    headers = [name for name in tree.cpp() if name.endswith(".h")]
    work = tree.root / "build" / "check"
    work.mkdir(parents=True, exist_ok=True)
    launcher = ["ccache"] if shutil.which("ccache") else []
    environment = dict(os.environ, CCACHE_NOHASHDIR="1", CCACHE_SLOPPINESS="time_macros")

    def compile_alone(name):
        source = work / (name.replace("/", "_") + ".cc")
        text = f'#include "{name}"\n'
        if not source.exists() or source.read_text() != text:
            source.write_text(text)
        flags = ["-std=c++20", "-O0", *WARNINGS, f"-I{tree.root}"]
        command = [*launcher, "g++", *flags, "-c", str(source), "-o", str(source) + ".o"]
        result = subprocess.run(command, cwd=tree.root, env=environment, capture_output=True,
                                text=True)
        if result.returncode == 0:
            return []
        lines = [line for line in result.stderr.splitlines() if "error:" in line]
        return [f"{name}: does not compile alone: {(lines or ['compiler failed'])[0]}"]

    with concurrent.futures.ThreadPoolExecutor(os.cpu_count()) as pool:
        return [complaint for found in pool.map(compile_alone, headers) for complaint in found]


def conformance_is_fresh(tree):
    """docs/conformance.md is what scripts/conformance.py writes."""
    if conformance.REQUIREMENTS not in tree.files:
        return [f"{conformance.REQUIREMENTS} is missing"]
    if conformance.PAGE in tree.files and tree.text(conformance.PAGE) == conformance.page(tree):
        return []
    return [f"{conformance.PAGE} is stale; run scripts/conformance.py"]


def ops_page_is_fresh(tree):
    """docs/ops.md is what scripts/ops-page writes; where the command is built, its content too."""
    if "docs/ops.md" not in tree.files:
        return ["docs/ops.md is missing; run scripts/ops-page"]
    if not (tree.root / "build" / "release" / "tilefoundry").exists():
        return []
    done = run([sys.executable, "scripts/ops-page", "--check"], tree)
    return done.stderr.splitlines() if done.returncode else []


def changed_sources(tree):
    """Sources that differ from the last commit on the main branch, new ones included."""
    base = run(["git", "merge-base", "HEAD", "origin/main"], tree).stdout.strip() or "HEAD"
    changed = run(["git", "diff", "--name-only", base], tree).stdout.split()
    changed += run(["git", "ls-files", "-o", "--exclude-standard"], tree).stdout.split()
    return sorted(n for n in set(changed) if n in tree.cpp() and n.endswith(".cc"))


def tidy(tree, names):
    """clang-tidy on `names`, with the compile commands of a configured preset."""
    names = [n for n in names if not n.endswith("_test.cc")]
    presets = (tree.root / "build" / p for p in ("debug", "release", "asan-ubsan", "tidy"))
    folder = next((p for p in presets if (p / "compile_commands.json").exists()), None)
    if folder is None:
        return ["clang-tidy needs compile commands: run cmake --preset debug first"]
    known = {entry["file"] for entry in json.loads((folder / "compile_commands.json").read_text())}
    names = [n for n in names if str(tree.root.resolve() / n) in known]

    def lint(name):
        command = [CLANG_TIDY, "-p", str(folder), "--quiet",
                   "--extra-arg=-Wno-unknown-warning-option", name]
        result = run(command, tree)
        if result.returncode == 0:
            return []
        found = [line for line in result.stdout.splitlines() if " error: " in line]
        root = str(tree.root.resolve()) + "/"
        return [line.replace(root, "") for line in found] or [f"{name}: {result.stderr.strip()}"]

    print(f"clang-tidy on {len(names)} files", file=sys.stderr)
    with concurrent.futures.ThreadPoolExecutor(os.cpu_count()) as pool:
        return [complaint for found in pool.map(lint, names) for complaint in found]


RULES = (formatted, headers_compile_alone, conformance_is_fresh, ops_page_is_fresh)
