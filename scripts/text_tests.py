"""Text tests: a program, the commands to run on it and what they print, in one file.

    # RUN: tilefoundry print %s --types
    # EXIT: 1
    ...the program...
    # ==== EXPECTED ====
    # ---- tilefoundry print %s --types
    # OUT| a line of standard output
    # ERR| a line of standard error

RUN and EXIT stand in the comment lines that open the file; EXIT (0 when left out) belongs to the
RUN above it. `%s` is the file, `%t` a fresh folder that the RUN lines of a file share, `%r` the
repository; the same three stand for those paths in the output. A last line without a line end is
marked `# OUT~` or `# ERR~`. The part below EXPECTED is written by scripts/update-text-tests.

A comment `# ERROR: TF3001` at the end of a line of the program says that a diagnostic with this
code points at the line; once a file has one such comment, every error must have its own.
"""

import dataclasses
import os
import pathlib
import re
import resource
import shlex
import subprocess
import tempfile

ROOT = pathlib.Path(__file__).resolve().parent.parent
FOLDER = ROOT / "tests" / "text"
MARK = "# ==== EXPECTED ===="
TIMEOUT = 300
# Nothing recurses on the depth of a program: commands run on a stack of this many KiB.
STACK = int(os.environ.get("TILEFOUNDRY_TEST_STACK", "256"))

ANNOTATION = re.compile(r"#\s*ERROR:\s*(TF\d{4}(?:[\s,]+TF\d{4})*)\s*$")
SHOWN_ERROR = re.compile(r"^%s:(\d+):\d+: error\[(TF\d{4})\]", re.MULTILINE)


class Failure(Exception):
    """A text test that is malformed or does not hold."""


@dataclasses.dataclass
class Run:
    command: str
    exit: int = 0


@dataclasses.dataclass
class Result:
    status: int
    out: str
    err: str


def command_path():
    return os.environ.get("TILEFOUNDRY_BIN", str(ROOT / "build" / "release" / "tilefoundry"))


def files(arguments=()):
    """The text tests in the given files and folders, or all."""
    found = []
    for place in [pathlib.Path(a).resolve() for a in arguments] or [FOLDER]:
        found += sorted(place.rglob("*.py")) if place.is_dir() else [place]
    return [path for path in found if path.name != "conftest.py"]


def split(text):
    """(program, expected region or an empty string)."""
    program, mark, region = text.partition(MARK + "\n")
    return program, mark + region


def runs(program):
    found = []
    for line in program.splitlines():
        if not line.startswith("#"):
            break
        if line.startswith("# RUN:"):
            found.append(Run(line.removeprefix("# RUN:").strip()))
        elif line.startswith("# EXIT:"):
            if not found:
                raise Failure("an EXIT line stands before any RUN line")
            found[-1].exit = int(line.removeprefix("# EXIT:"))
    if not found:
        raise Failure("no '# RUN:' in the comment lines that open the file")
    return found


def execute(run, path, folder):
    """Runs one command as the shell would, without a shell."""
    places = {"%s": str(path), "%t": str(folder), "%r": str(ROOT)}
    words = [re.sub("%[str]", lambda m: places[m[0]], word) for word in shlex.split(run.command)]
    if words[0] != "tilefoundry":
        raise Failure(f"a RUN line starts with 'tilefoundry', not '{words[0]}'")
    words[0] = command_path()
    environment = {k: v for k, v in os.environ.items() if not k.startswith("TILEFOUNDRY_")}
    environment.update(NO_COLOR="1", LC_ALL="C.UTF-8")
    _, hard = resource.getrlimit(resource.RLIMIT_STACK)
    result = subprocess.run(
        words, cwd=folder, env=environment, stdin=subprocess.DEVNULL, capture_output=True,
        timeout=TIMEOUT,
        preexec_fn=lambda: resource.setrlimit(resource.RLIMIT_STACK, (STACK * 1024, hard)),
    )

    def normal(output):
        text = output.decode("utf-8", errors="backslashreplace")
        for mark, place in places.items():
            text = text.replace(place, mark)
        return text

    return Result(result.returncode, normal(result.stdout), normal(result.stderr))


def comments(name, text):
    for line in text.splitlines(keepends=True):
        whole = line.endswith("\n")
        yield f"# {name}{'|' if whole else '~'} {line.rstrip(chr(10))}".rstrip(" ")


def region(commands, results):
    """The expected part of a file."""
    lines = [MARK]
    for run, result in zip(commands, results):
        lines.append(f"# ---- {run.command}")
        lines += comments("OUT", result.out)
        lines += comments("ERR", result.err)
    return "\n".join(lines) + "\n"


def check_annotations(program, results):
    """Every `# ERROR:` comment has its diagnostic, and every diagnostic its comment."""
    wanted = set()
    for number, line in enumerate(program.splitlines(), 1):
        match = ANNOTATION.search(line)
        if match:
            wanted.update((number, code) for code in re.findall(r"TF\d{4}", match[1]))
    shown = {(int(n), code) for r in results for n, code in SHOWN_ERROR.findall(r.err)}
    if not wanted:
        return
    for number, code in sorted(wanted - shown):
        raise Failure(f"line {number} says ERROR: {code}, and no such diagnostic points there")
    for number, code in sorted(shown - wanted):
        raise Failure(f"{code} points at line {number}, which has no '# ERROR: {code}'")


def run_file(path):
    """(program, expected region, region as printed now); checks exit codes and annotations."""
    program, expected = split(path.read_text(encoding="utf-8"))
    commands = runs(program)
    results = []
    with tempfile.TemporaryDirectory(prefix="text-test-") as folder:
        for run in commands:
            result = execute(run, path, pathlib.Path(folder))
            if result.status != run.exit:
                raise Failure(
                    f"{run.command}\nended with {result.status}, not {run.exit}\n"
                    f"{result.out}{result.err}"
                )
            results.append(result)
    check_annotations(program, results)
    return program, expected, region(commands, results)
