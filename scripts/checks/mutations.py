"""The list of small faults that some test must catch: scripts/mutations.txt."""

import dataclasses
import re

LIST = "scripts/mutations.txt"
KEYS = ("file", "search", "replace", "test")


@dataclasses.dataclass
class Mutation:
    """Replaces the one occurrence of `search` in `file`; some line of `test` must then fail."""

    name: str
    line: int
    file: str = ""
    search: str = ""
    replace: str = ""
    test: str = ""

    def targets(self):
        """What has to be built before its tests can run."""
        commands = [line.split()[0] for line in self.test.splitlines()]
        return sorted({"tilefoundry" if c == "pytest" else c for c in commands})


def parse(text):
    """(mutations, complaints). Repeated keys are the lines of one value."""
    found, complaints, seen = [], [], set()
    for number, line in enumerate(text.splitlines(), 1):
        section = re.fullmatch(r"\[([\w-]+)\]", line)
        key, _, value = line.partition(":")
        if section:
            found.append(Mutation(section[1], number))
            seen = set()
        elif key in KEYS and found:
            value = value.removeprefix(" ")
            joined = f"{getattr(found[-1], key)}\n{value}" if key in seen else value
            setattr(found[-1], key, joined)
            seen.add(key)
        elif line.strip() and not line.startswith("#"):
            complaints.append(f"{LIST}:{number}: wanted [name] or one of {', '.join(KEYS)}")
    names = [mutation.name for mutation in found]
    for name in sorted({n for n in names if names.count(n) > 1}):
        complaints.append(f"{LIST}: two mutations are named {name}")
    return found, complaints


def mutations_apply(tree):
    """Each mutation of scripts/mutations.txt finds its text exactly once."""
    if LIST not in tree.files:
        return []
    found, complaints = parse(tree.text(LIST))
    for m in found:
        place = f"{LIST}:{m.line}: {m.name}:"
        if not (m.file and m.search and m.test) or m.search == m.replace:
            complaints.append(f"{place} wanted file, search, another replace, and test")
        elif m.file not in tree.files:
            complaints.append(f"{place} there is no file {m.file}")
        elif tree.text(m.file).count(m.search) != 1:
            count = tree.text(m.file).count(m.search)
            complaints.append(f"{place} its text occurs {count} times in {m.file}")
    return complaints


RULES = (mutations_apply,)
