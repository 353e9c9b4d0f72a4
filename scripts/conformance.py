#!/usr/bin/env python3
"""Writes docs/conformance.md, or with --check says whether it is fresh."""

import pathlib
import sys

from checks import conformance
from checks.tree import Tree


def main():
    if sys.argv[1:] not in ([], ["--check"]):
        sys.exit("usage: scripts/conformance.py [--check]")
    tree = Tree(pathlib.Path(__file__).resolve().parent.parent)
    page = tree.root / conformance.PAGE
    text = conformance.page(tree)
    if not sys.argv[1:]:
        page.write_text(text, encoding="utf-8")
        print(f"{conformance.PAGE}: {len(conformance.shown(tree))} demands shown")
    elif not page.exists() or page.read_text(encoding="utf-8") != text:
        sys.exit(f"{conformance.PAGE} is stale; run scripts/conformance.py")


if __name__ == "__main__":
    main()
