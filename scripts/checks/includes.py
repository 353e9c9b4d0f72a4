"""Which folder may include what (architecture: the table of layers, in scripts/layers.txt)."""

import re

from .tree import line_of

INCLUDE = re.compile(r'^[ \t]*#[ \t]*include[ \t]*(["<])([^">]+)[">]', re.MULTILINE)
LOWERING_ABI = "tilefoundry/passes/lowering_abi.h"


def includes(tree, name):
    text = tree.code(name)
    for match in INCLUDE.finditer(text):
        yield line_of(text, match.start()), match[1], match[2]


def layering(tree):
    """A folder includes itself and the folders before it; target/ also the lowering interface."""
    rank = {layer: i for i, layer in enumerate(tree.layers())}
    complaints = []
    for name in tree.cpp():
        layer = name.split("/")[1]
        if layer not in rank:
            complaints.append(f"{name}: the folder {layer} is not in scripts/layers.txt")
            continue
        for line, quote, path in includes(tree, name):
            if not path.startswith("tilefoundry/"):
                if quote == '"':
                    complaints.append(f'{name}:{line}: write the path from the root, not "{path}"')
                continue
            other = path.split("/")[1]
            allowed = rank.get(other, len(rank)) <= rank[layer]
            if not allowed and not (layer == "target" and path == LOWERING_ABI):
                complaints.append(f"{name}:{line}: {layer}/ may not include {path}")
    return complaints


def cost_knows_no_target(tree):
    """Cost rules live in ops/ and include nothing of target/: cost is the same everywhere."""
    return [
        f"{name}:{line}: ops/ holds cost rules and may not include {path}"
        for name in tree.cpp("ops")
        for line, _, path in includes(tree, name)
        if path.startswith("tilefoundry/target/")
    ]


def lowering_interface(tree):
    """What a target owns (target/, codegen/) sees of passes/ only the lowering interface."""
    return [
        f"{name}:{line}: of passes/ only {LOWERING_ABI} may be included here, not {path}"
        for name in tree.cpp("target", "codegen")
        if not name.endswith("_test.cc")
        for line, _, path in includes(tree, name)
        if path.startswith("tilefoundry/passes/") and path != LOWERING_ABI
    ]


def isl_stays_in_relation(tree):
    """Only relation/*.cc and their private isl_session.h include isl."""
    complaints = []
    for name in tree.cpp():
        inside = name.startswith("tilefoundry/relation/")
        if inside and (name.endswith(".cc") or name.endswith("/isl_session.h")):
            continue
        for line, _, path in includes(tree, name):
            if path.startswith("isl/"):
                complaints.append(f"{name}:{line}: only relation/*.cc may include <{path}>")
    return complaints


def costs_live_with_ops(tree):
    """No cost rule is registered under target/ or codegen/."""
    pattern = re.compile(r"\bregister_cost\w*|\bcost_evaluator_registry\b")
    complaints = []
    for name in tree.cpp("target", "codegen"):
        if name.endswith("_test.cc"):
            continue
        code = tree.bare_code(name)
        for match in pattern.finditer(code):
            line = line_of(code, match.start())
            complaints.append(f"{name}:{line}: cost rules are registered in ops/, not here")
    return complaints


RULES = (
    layering,
    cost_knows_no_target,
    lowering_interface,
    isl_stays_in_relation,
    costs_live_with_ops,
)
