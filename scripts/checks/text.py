"""Rules on what may stand in a file."""

import re

from .tree import line_of


def search(tree, names, pattern, message, source="bare_code"):
    complaints = []
    for name in names:
        text = getattr(tree, source)(name)
        for match in re.finditer(pattern, text, re.MULTILINE):
            line = line_of(text, match.start())
            complaints.append(f"{name}:{line}: " + message.format(match[0].strip()))
    return complaints


# Headers that C callers and generated code read too: include guards, and macros where C needs them.
C_HEADERS = ("tilefoundry/runtime/abi.h",)


def headers(tree):
    return [n for n in tree.cpp() if n.endswith(".h") and n not in C_HEADERS]


def no_using_namespace(tree):
    """Headers do not empty a namespace into their includers."""
    return search(tree, headers(tree), r"\busing\s+namespace\b", "no '{}' in a header")


def pragma_once(tree):
    """Every header guards itself."""
    bare = [n for n in headers(tree) if "\n#pragma once\n" not in "\n" + tree.text(n)]
    return [f"{n}:1: write #pragma once below the first comment" for n in bare]


def macros(tree):
    """TF_CHECK is the only macro."""
    pattern = r"^[ \t]*#[ \t]*define[ \t]+(?!TF_CHECK\b)\w+"
    names = [n for n in tree.cpp() if n not in C_HEADERS]
    return search(tree, names, pattern, "no macros: '{}'")


PATHS = r"(?<![\w.])/(?:work|farm|root|home)/\w|/tmp/bash_jobs|/tmp/tf/"
HOSTS = (
    r"\b(?:pypi\.org|files\.pythonhosted\.org|registry\.npmjs\.org|deb\.debian\.org"
    r"|proxy\.golang\.org|index\.crates\.io)\b|--(?:extra-)?index-url\b"
)


def machine_paths(tree):
    """No absolute path of one machine and no registry host stands in the tree."""
    names = [n for n in tree.files if n != "scripts/checks/text.py"]
    complaints = search(tree, names, PATHS, "an absolute machine path: '{}'", "text")
    return complaints + search(tree, names, HOSTS, "a registry host: '{}'", "text")


def handlers_fail_through_context(tree):
    """Handlers fail through ctx.error, which names the node and its place.

    Handlers are the files of ops/, and those of ir/tir/ that see a context.
    """
    handlers = tree.cpp("ops")
    handlers += [n for n in tree.cpp("ir/tir") if re.search(r"Context\b", tree.bare_code(n))]
    names = [n for n in handlers if not n.endswith("_test.cc")]
    pattern = r"\bthrow\s+(?:\w+::)*(?!InternalError\b)\w*Error\b"
    return search(tree, names, pattern, "use ctx.error(node, ...) instead of '{}'")


def diagnostics_documented(tree):
    """Each diagnostic code has its row in docs/diagnostics.md, and each row its code."""
    page = "docs/diagnostics.md"
    used = {}
    for name in tree.cpp():
        if name.endswith("_test.cc"):
            continue
        for match in re.finditer(r'"(?:\w+\[)?(TF\d{4})["\]]', tree.code(name)):
            used.setdefault(match[1], f"{name}:{line_of(tree.code(name), match.start())}")
    if page not in tree.files:
        return [f"{page} is missing and {len(used)} codes are in use"] if used else []
    rows = set(re.findall(r"^(?:\||#+)\s*`?(TF\d{4})`?", tree.text(page), re.MULTILINE))
    missing, stale = sorted(used.keys() - rows), sorted(rows - used.keys())
    complaints = [f"{used[code]}: {code} has no row in {page}" for code in missing]
    return complaints + [f"{page}: nothing raises {code}" for code in stale]


RULES = (
    no_using_namespace,
    pragma_once,
    macros,
    machine_paths,
    handlers_fail_through_context,
    diagnostics_documented,
)
