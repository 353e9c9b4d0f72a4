"""Rules that keep an op in its own file."""

import re
import subprocess

from .tree import line_of

# Folders that serve every op and know none (architecture, 1.2), and the one file that may.
OPEN_FOLDERS = ("frontend", "text", "passes", "registry")
OPERATORS = "tilefoundry/frontend/operators.cc"
FILES_PER_OP = 8

# Files of ops/ with rules for classes that ir/ declares: functions, TIR statements and ops.
RULE_FILES = ("function_call", "tir_dispatch_rules", "tir_memory", "tir_rules", "tir_scalar")

# Words of the language itself that an op is also named after: (folder, word).
LANGUAGE_WORDS = {
    ("frontend", "where"): "the scheduling constraint `x: where(...)`",
    ("text", "where"): "the scheduling constraint `x: where(...)`",
    ("frontend", "Split"): "what a mesh axis does to a value, `Split(0)`",
    ("text", "Split"): "what a mesh axis does to a value, `Split(0)`",
}


def op_files(tree):
    """Files of ops/ that define an op, by stem."""
    found = {}
    for name in tree.cpp("ops"):
        stem = name.rsplit("/", 1)[1].removesuffix(".cc")
        if name.endswith(".cc") and not name.endswith("_test.cc") and stem != "register":
            if re.search(r"\bregister_\w+|\w+_registry\b", tree.bare_code(name)):
                found[stem] = name
    return found


SCHEMA = re.compile(r'\b(?:Dynamic)?OpClassBuilder(?:<[^>]*>)?(?:\s+\w+)?\s*[({]\s*"(\w+)"')
SECOND_NAME = re.compile(r'\.\s*(?:dsl|alias)\s*\(\s*"(\w+)"')


def schema_texts(tree):
    """(source of an op, code of the source or of its header)."""
    for stem, source in op_files(tree).items():
        for name in (source, f"tilefoundry/ops/{stem}.h"):
            if name in tree.files:
                yield source, tree.code(name)


def op_names(tree):
    """{class name of an op: its file}, read from the schemas of ops/."""
    return {name: source for source, code in schema_texts(tree) for name in SCHEMA.findall(code)}


def language_names(tree):
    """The names by which programs call ops: the lower-case class name, dsl(...), alias(...)."""
    names = {name.lower() for name in op_names(tree)}
    for _, code in schema_texts(tree):
        names.update(SECOND_NAME.findall(code))
    return names


def schemas_are_found(tree):
    """Every file of ops/ that registers something shows its op's name to this script."""
    named = set(op_names(tree).values())
    return [
        f"{name}:1: no schema name found; write OpClassBuilder<...>(\"Name\", ...)"
        for stem, name in op_files(tree).items()
        if name not in named and stem not in RULE_FILES
    ]


def no_op_names(tree):
    """No class name of an op and no string that is a name of one in the folders that know none."""
    if not op_names(tree):
        return []
    classes, strings = "|".join(sorted(op_names(tree))), "|".join(sorted(language_names(tree)))
    words = re.compile(rf'\b(?:{classes})\b|"(?:{strings})"')
    complaints = []
    for name in tree.cpp(*OPEN_FOLDERS):
        if name == OPERATORS or name.endswith("_test.cc"):
            continue
        code = tree.code(name)
        for match in words.finditer(code):
            if (name.split("/")[1], match[0].strip('"')) in LANGUAGE_WORDS:
                continue
            line = line_of(code, match.start())
            complaints.append(f"{name}:{line}: this folder may not name the op {match[0]}")
    return complaints


def every_file_is_registered(tree):
    """A folder with a register.cc calls register_<stem>() of each of its handler files there."""
    complaints = []
    lists = [n for n in tree.cpp() if n.endswith("/register.cc")]
    for listing in lists:
        folder = listing.rsplit("/", 1)[0]
        calls = set(re.findall(r"\b(register_\w+)\s*\(", tree.bare_code(listing)))
        for name in tree.cpp():
            if name.rsplit("/", 1)[0] != folder or not name.endswith(".cc") or name == listing:
                continue
            if name.endswith("_test.cc"):
                continue
            defined = re.findall(r"^void\s+(register_\w+)\s*\(", tree.bare_code(name), re.MULTILINE)
            for function in defined:
                if function not in calls:
                    complaints.append(f"{name}: {function}() is not called in {listing}")
            if not defined and re.search(r"_registry\b[^;]*\.\s*add\s*\(", tree.bare_code(name)):
                complaints.append(f"{name}: registers handlers outside a register_*() function")
    if tree.cpp("ops") and "tilefoundry/ops/register.cc" not in lists:
        complaints.append("tilefoundry/ops/register.cc is missing")
    return complaints


def files_of_op(tree, op):
    """The files that adding `op` touches: those that name it, but for programs and outputs."""
    source = op_names(tree)[op]
    stem = source.rsplit("/", 1)[1].removesuffix(".cc")
    word = re.compile(rf"\b{re.escape(op)}\b|\bregister_\w*{stem}\b")
    touched = []
    for name in tree.files:
        if name.startswith(("examples/", "tests/", "docs/generated/", "bench/")):
            continue
        if name in ("docs/requirements.txt", "docs/conformance.md", "scripts/mutations.txt"):
            continue
        base = name.rsplit("/", 1)[-1]
        if re.fullmatch(rf"{stem}(_test)?\.(cc|h)", base) or word.search(tree.text(name)):
            touched.append(name)
    return touched


def last_added_op(tree):
    """The op whose file entered last by the history; new files count as newest."""
    files = op_files(tree)
    order = []
    if (tree.root / ".git").exists():
        log = subprocess.run(
            ["git", "log", "--diff-filter=A", "--name-only", "--format=", "--", "tilefoundry/ops"],
            cwd=tree.root, capture_output=True, text=True,
        ).stdout.split()
        order = [name for name in files.values() if name not in log] + log
    for name in order or sorted(files.values()):
        for op, source in op_names(tree).items():
            if source == name:
                return op
    return None


def files_per_op(tree):
    """The last op added stands in at most eight files."""
    op = last_added_op(tree)
    if op is None:
        return []
    touched = files_of_op(tree, op)
    if len(touched) <= FILES_PER_OP:
        return []
    return [f"{op} stands in {len(touched)} files, at most {FILES_PER_OP}: {', '.join(touched)}"]


RULES = (schemas_are_found, no_op_names, every_file_is_registered, files_per_op)
