"""The files of the repository as the rules see them."""

import functools
import pathlib
import re
import subprocess

CPP = (".h", ".cc")


class Tree:
    """A checkout: its files (tracked or new, never ignored ones) by path relative to the root."""

    def __init__(self, root):
        self.root = pathlib.Path(root)

    @functools.cached_property
    def files(self):
        if (self.root / ".git").exists():
            command = ["git", "ls-files", "-co", "--exclude-standard", "-z"]
            listed = subprocess.run(command, cwd=self.root, check=True, capture_output=True)
            names = listed.stdout.decode().split("\0")
            return sorted(n for n in set(names) if n and (self.root / n).is_file())
        skipped = {"build", ".venv", ".git", "__pycache__"}
        return sorted(
            str(path.relative_to(self.root))
            for path in self.root.rglob("*")
            if path.is_file() and not skipped & set(path.relative_to(self.root).parts)
        )

    @functools.cache
    def text(self, name):
        return (self.root / name).read_text(encoding="utf-8", errors="replace")

    @functools.cache
    def code(self, name):
        """The text of a C++ file with comments blanked, line numbers kept."""
        return blank(self.text(name), strings=False)

    @functools.cache
    def bare_code(self, name):
        """The text of a C++ file with comments and the contents of literals blanked."""
        return blank(self.text(name), strings=True)

    def cpp(self, *folders):
        """C++ files, of the given folders of tilefoundry/ if any are named."""
        found = [n for n in self.files if n.endswith(CPP) and n.startswith("tilefoundry/")]
        if not folders:
            return found
        starts = tuple(f"tilefoundry/{folder}/" for folder in folders)
        return [n for n in found if n.startswith(starts)]

    def layers(self):
        lines = self.text("scripts/layers.txt").splitlines()
        return [line for line in lines if line and not line.startswith("#")]


TOKEN = re.compile(
    r"""
    (?P<line>//[^\n]*) | (?P<block>/\*.*?\*/)
    | (?P<raw>\bu?8?R"(?P<mark>[^(\s]{0,16})\(.*?\)(?P=mark)")
    | (?P<string>"(?:[^"\\\n]|\\.)*") | (?P<char>(?<![0-9a-fA-F])'(?:[^'\\\n]|\\.)+')
    """,
    re.DOTALL | re.VERBOSE,
)


def blank(text, strings):
    """`text` with comments, and literals too if asked, turned into blanks of the same shape."""

    def erase(match):
        if match.lastgroup in ("line", "block") or match["line"] or match["block"]:
            return re.sub(r"[^\n]", " ", match[0])
        if not strings:
            return match[0]
        return match[0][0] + re.sub(r"[^\n]", " ", match[0][1:-1]) + match[0][-1]

    return TOKEN.sub(erase, text)


def line_of(text, offset):
    return text.count("\n", 0, offset) + 1
