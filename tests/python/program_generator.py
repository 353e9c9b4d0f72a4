"""Seeded generator of well-typed programs over every op of the `tf` dialect.

`generate(seed, catalogue)` gives a `Program`: its text, and the extents to run it with. The catalogue
is what `tilefoundry ops --json` prints: operands, attributes and kinds are read from it; `RULES` (generated_rules.py)
adds how the operands of an op hang together. Every value that nothing else reads is returned.

Values carry what a later op must know to keep verification meaningful:

- `bound`: the largest magnitude that can occur; floats above 8 are scaled down before further use;
- `exact`: whether both sides compute the same bits (docs/numerics.md: all but reductions, products and
  transcendental functions). Only exact values are compared, rounded to integers or cast to bool;
- `drift`: the inexact steps behind an inexact value; a value that drifted far is only moved.

Inexact values are added with one sign only, so that nothing cancels.
"""

import dataclasses
import random

import generated_dispatch
from generated_loops import FORMS, add_loop, forms_in_turn
from generated_rules import BINARY_KINDS, RULES, UNARY_KINDS
from generated_values import DTYPES, Body, Extent, choices, type_text

__all__ = ["DTYPES", "FORMS", "Program", "choices", "generate", "generate_loops", "missing_rules"]


@dataclasses.dataclass
class Function:
    """A generated callable: its parameter types, the results, and the lines of its definition."""

    name: str
    params: list
    weights: list
    results: list
    lines: list


@dataclasses.dataclass
class Program:
    seed: int
    text: str
    extents: dict
    loops: list  # the form of each loop
    dispatches: int = 0  # calls of prototypes


class World:
    """One program under construction: its dimensions, helpers and child Modules."""

    def __init__(self, seed, catalogue):
        self.seed = seed
        self.rng = random.Random(seed)
        self.catalogue = [op for op in catalogue if op["dialect"] == "tf"]
        self.ranges = {"N": (1, 40), "M": (0, 20)} if seed % 4 == 0 else {"N": (1, 40)}
        self.extents = {n: self.rng.choice((low, low + 1, 7, high - 1))
                        for n, (low, high) in self.ranges.items()}
        self.kinds = {}
        self.helpers = []
        self.children = []
        self.loops = []
        self.prototypes = []
        self.dispatches = 0

    def callables(self, body):
        return [] if body.prefix != "v" else [*self.helpers, *self.children]

    def next_kind(self, op):
        """Kinds in turn; seeds start at different places."""
        name = op["class"]
        if name not in self.kinds:
            kinds = list(choices(op))
            start = self.seed * 3 % len(kinds)
            self.kinds[name] = kinds[start:] + kinds[:start]
        kinds = self.kinds[name]
        kinds.append(kinds.pop(0))
        return kinds[-1]

    def fill(self, body, ops):
        for op in ops:
            for _ in range(6):
                if RULES[op["class"]](body, op):
                    break

    def function(self, name, prefix, op_count, weights=0):
        """A function that is called from another: prefix keeps names apart."""
        body = Body(self, prefix)
        self.fill(body, self.rng.sample(self.catalogue, op_count))
        if not body.lines or not body.params:
            v = body.param((Extent(3),), "f32")
            body.emit(f"{v.name} + {v.name}", v.shape, v.dtype, [v], bound=16.0)
        results = body.results()
        consts = body.params[-weights:] if 0 < weights < len(body.params) else []
        params = [p for p in body.params if p not in consts]
        lines = definition("forward" if weights else name, params, consts, results, body.lines)
        return Function(name, params, consts, results, lines)

    def build(self, rounds):
        rng = self.rng
        for i in range(rng.choice((0, 1, 2))):
            self.helpers.append(self.function(f"helper{i}", f"h{i}_", rng.randint(2, 4)))
        for i in range(rng.choice((0, 1, 1))):
            self.children.append(self.function(f"child{i}", f"c{i}_", rng.randint(2, 4), weights=1))
        body = Body(self, "v")
        for name in sorted(self.ranges):  # extents are bound by inputs
            body.param((Extent(0, ((name, 1),)),), "f32")
        ops = []
        for _ in range(rounds):
            turn = list(self.catalogue)
            rng.shuffle(turn)
            ops.extend(turn)
        self.fill(body, ops)
        for form in forms_in_turn(self.seed, 2):
            add_loop(body, form)
        self.prototypes, dims = generated_dispatch.add(self, body, self.rng.choice((1, 2, 2, 3)))
        self.ranges |= dims
        main = definition("main", body.params, [], body.results(), body.lines)
        return Program(self.seed, self.text(main), dict(self.extents), self.loops, self.dispatches)

    def build_loops(self, rounds):
        """Nothing but loops, every form `rounds` times."""
        body = Body(self, "v")
        for name in sorted(self.ranges):
            body.param((Extent(0, ((name, 1),)),), "f32")
        forms = sorted(FORMS) * rounds
        self.rng.shuffle(forms)
        for form in forms:
            add_loop(body, form)
        main = definition("main", body.params, [], body.results(), body.lines)
        return Program(self.seed, self.text(main), dict(self.extents), self.loops)

    def text(self, main):
        names = {"func", "module"}
        ops = {op["name"] for op in self.catalogue}
        ops.update(alias for op in self.catalogue for alias in op["aliases"])
        out = [f'"""Generated from seed {self.seed}."""', "",
               f"from tilefoundry import {', '.join(sorted(names))}",
               "from tilefoundry.dsl import ConstTensor, DimVar, DimVarRangePat, Tensor, Tuple, tile",
               f"from tilefoundry.dsl.tf import {', '.join(sorted(ops))}", ""]
        out += [f'{n} = DimVar("{n}", {low}, {high})' for n, (low, high) in self.ranges.items()]
        for child in self.children:
            out += ["", "", '@module(entry="forward")', f"class Kind_{child.name}:"]
            out += [f"    {line}" if line else "" for line in child.lines]
        out += ["", "", '@module(entry="main")', "class Program:"]
        out += [f"    {child.name} = Kind_{child.name}" for child in self.children]
        for lines in [h.lines for h in self.helpers] + self.prototypes + [main]:
            out += [""] + [f"    {line}" if line else "" for line in lines]
        return "\n".join(out) + "\n"


def definition(name, params, consts, results, lines):
    signature = [f"    {p.name}: {type_text(p.shape, p.dtype)}," for p in params]
    signature += [f"    {p.name}: {type_text(p.shape, p.dtype, 'ConstTensor')}," for p in consts]
    types = [type_text(r.shape, r.dtype) for r in results]
    result = types[0] if len(types) == 1 else f"Tuple[{', '.join(types)}]"
    return ["@func", f"def {name}(", *signature, f") -> {result}:", *(f"    {x}" for x in lines),
            f"    return {', '.join(r.name for r in results)}"]


def missing_rules(catalogue):
    """Ops and kinds of the catalogue that the generator does not know."""
    tf = [op for op in catalogue if op["dialect"] == "tf"]
    missing = [op["class"] for op in tf if op["class"] not in RULES]
    for name, known in (("Binary", BINARY_KINDS), ("Unary", UNARY_KINDS)):
        for op in tf:
            if op["class"] == name:
                missing += [f"{name}.{kind}" for kind in choices(op) if kind not in known]
    return missing


def generate(seed, catalogue, rounds=2):
    """A program in which each op of the catalogue is attempted `rounds` times."""
    return World(seed, catalogue).build(rounds)


def generate_loops(seed, catalogue, rounds=5):
    """A program of loops alone."""
    return World(seed, catalogue).build_loops(rounds)


if __name__ == "__main__":
    import json
    import subprocess
    import sys

    # program_generator.py SEED [COMMAND]: the program of a seed
    command = sys.argv[2] if len(sys.argv) > 2 else "build/release/tilefoundry"
    listed = subprocess.run([command, "ops", "--json"], capture_output=True, text=True, check=True)
    print(generate(int(sys.argv[1]), json.loads(listed.stdout)["ops"]).text, end="")
