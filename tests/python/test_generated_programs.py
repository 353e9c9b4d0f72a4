"""Laws that hold for every program, tried on generated ones (tests/python/program_generator.py).

Each seed is checked, printed to a fixed point, run and verified against the interpreter; a subset is
built again with every optional pass left out, and on one and two threads. The last tests hold the
share of each op and dtype to a floor, so that a generator that went blind is noticed.

A failure names its seed; `python tests/python/program_generator.py SEED` prints its program.
"""

import collections
import json
import re
import subprocess

import numpy as np
import pytest

import program_generator as generator

SEEDS = range(40)
VARIED_SEEDS = range(0, 40, 6)
OPTIONAL_PASSES = ("bufferize", "elide_copies", "forward_outputs", "forward_views",
                   "tile_regions", "fuse_loops", "contract_buffers", "order_loops",
                   "split_reductions", "mark_loops")
LEAST = 50
# Largest relative error between two builds of one program, by dtype; integers and bool are equal.
APART = {"f32": 2e-4, "f16": 2e-2, "bf16": 1e-1}


@pytest.fixture(scope="module")
def catalogue(command):
    done = subprocess.run([command, "ops", "--json"], capture_output=True, text=True, check=True)
    return json.loads(done.stdout)["ops"]


class Generated:
    """A generated program on disk, and what the command says about it."""

    def __init__(self, seed, command, catalogue, folder):
        self.program = generator.generate(seed, catalogue)
        self.command = command
        self.path = folder / f"seed{seed}.py"
        self.path.write_text(self.program.text)
        self.printed = self.run("print", str(self.path)).stdout

    def run(self, *arguments, text=None):
        done = subprocess.run([self.command, *arguments], capture_output=True, text=True, input=text,
                              timeout=120)
        assert done.returncode == 0, (
            f"seed {self.program.seed}: {' '.join(arguments)}\n{done.stdout}{done.stderr}")
        return done

    def call(self, *arguments):
        dims = []
        for name, extent in self.program.extents.items():
            dims += ["--dim", f"{name}={extent}"]
        return self.run("run", str(self.path), "--inputs", "random", "--seed",
                        str(self.program.seed), *dims, *arguments)


@pytest.fixture(scope="module")
def generated(command, catalogue, tmp_path_factory):
    folder = tmp_path_factory.mktemp("generated")
    known = {}

    def get(seed):
        if seed not in known:
            known[seed] = Generated(seed, command, catalogue, folder)
        return known[seed]

    return get


def test_every_op_of_the_catalogue_has_a_rule(catalogue):
    assert generator.missing_rules(catalogue) == []


def test_a_seed_gives_one_program(catalogue):
    first, again, other = (generator.generate(s, catalogue).text for s in (7, 7, 8))
    assert first == again
    assert first != other


@pytest.mark.parametrize("seed", SEEDS)
def test_P5_P10_I4_print_is_a_fixed_point(generated, seed):
    case = generated(seed)
    case.run("check", str(case.path))
    again = case.run("print", "-", text=case.printed).stdout
    assert again == case.printed, f"seed {seed}"


@pytest.mark.parametrize("seed", VARIED_SEEDS)
def test_P42_lowered_text_is_a_fixed_point(generated, seed, tmp_path):
    case = generated(seed)
    for disabled in ((), ("--disable-pass", "fuse_loops", "--disable-pass", "mark_loops")):
        lowered = case.run("lower", str(case.path), *disabled).stdout
        again = case.run("print", "-", text=lowered).stdout
        assert case.run("print", "-", text=again).stdout == again, f"seed {seed}"
        assert again == lowered, f"seed {seed}"


@pytest.mark.parametrize("seed", SEEDS)
def test_I5_I39_run_agrees_with_the_interpreter(generated, seed):
    case = generated(seed)
    report = json.loads(case.call("--verify", "--json").stdout)
    wrong = [o for o in report["outputs"] if o["verdict"] != "PASS"]
    assert not wrong, f"seed {seed}: {wrong}"
    assert report["passed"]


def results(folder):
    return [np.load(path) for path in sorted(folder.glob("out*.npy"), key=lambda p: (len(p.name), p))]


def as_numbers(array):
    if array.dtype.kind == "V":  # bf16
        wide = array.view("<u2").astype(np.uint32) << 16
        return "bf16", wide.view(np.float32).astype(np.float64)
    name = {"float32": "f32", "float16": "f16"}.get(array.dtype.name, "exact")
    return name, array if name == "exact" else array.astype(np.float64)


def assert_close(got, wanted, where):
    assert len(got) == len(wanted), where
    for i, (a, b) in enumerate(zip(got, wanted)):
        assert a.shape == b.shape and a.dtype == b.dtype, f"{where}, out{i}"
        name, x = as_numbers(a)
        _, y = as_numbers(b)
        if name == "exact":
            assert np.array_equal(x, y), f"{where}, out{i}"
            continue
        with np.errstate(invalid="ignore"):
            same = (x == y) | (np.isnan(x) & np.isnan(y))
            finite = np.where(np.isfinite(y), y, 0)
            scale = np.maximum(np.abs(y), np.sqrt(np.mean(finite**2)) if y.size else 0)
            close = np.abs(x - y) <= APART[name] * scale
        assert np.all(same | close), f"{where}, out{i}: {x[~(same | close)]} {y[~(same | close)]}"


@pytest.mark.parametrize("seed", VARIED_SEEDS)
def test_I41_optional_passes_and_threads_keep_results(generated, seed, tmp_path):
    case = generated(seed)
    variants = {name: ("--disable-pass", name) for name in OPTIONAL_PASSES}
    variants["one thread"] = ("--threads", "1")
    variants["two threads"] = ("--threads", "2")
    case.call("--save", str(tmp_path / "wanted"), "--evaluate")
    wanted = results(tmp_path / "wanted")
    for name, options in variants.items():
        folder = tmp_path / name.replace(" ", "_")
        case.call("--save", str(folder), *options)
        assert_close(results(folder), wanted, f"seed {seed}, {name}")


LONG_NAMES = {"minimum": "min", "maximum": "max"}
OP_LINE = re.compile(r"^ +(?:[\w.]+ = )(?:tf\.)?(\w+)\(.*?\)  # (.*)$")
DTYPE = re.compile(r'"(\w+)"\]')


def occurrences(generated, catalogue):
    """How often the printed programs hold each op, kind and result dtype."""
    classes = {}
    for op in catalogue:
        if op["dialect"] == "tf":
            classes[op["name"]] = (op["class"], None)
            classes.update({a: (op["class"], LONG_NAMES.get(a, a)) for a in op["aliases"]})
    ops, kinds, dtypes = collections.Counter(), collections.Counter(), collections.Counter()
    for seed in SEEDS:
        case = generated(seed)
        for line in case.run("print", "--types", str(case.path)).stdout.splitlines():
            found = OP_LINE.match(line)
            if not found:
                continue
            name, alias = classes.get(found[1], ("a function", None))
            stated = re.search(r'kind="(\w+)"', line)
            kind = stated[1] if stated else alias
            ops[name] += 1
            kinds[f"{name}.{kind}"] += kind is not None
            dtypes.update(DTYPE.findall(found[2]))
    return ops, kinds, dtypes


def test_P58_dispatch_occurs_often(generated, capsys):
    calls = sum(generated(seed).program.dispatches for seed in SEEDS)
    variants = sum(generated(seed).printed.count(".specialize(") for seed in SEEDS)
    with capsys.disabled():
        print(f"\ncalls of prototypes {calls}  variants {variants}  (dispatch)")
    assert calls >= LEAST
    assert variants >= 2 * LEAST


def test_every_op_and_dtype_occurs_often(generated, catalogue, capsys):
    ops, kinds, dtypes = occurrences(generated, catalogue)
    wanted = {op["class"] for op in catalogue if op["dialect"] == "tf"}
    with capsys.disabled():
        print()
        for title, counts in (("op", ops), ("dtype", dtypes)):
            print("  ".join(f"{name} {count}" for name, count in counts.most_common()), f"  ({title})")
    assert {name: ops[name] for name in wanted if ops[name] < LEAST} == {}
    assert {name: dtypes[name] for name in generator.DTYPES if dtypes[name] < LEAST} == {}
    for op in catalogue:
        if op["dialect"] == "tf":
            for kind in generator.choices(op):
                assert kinds[f"{op['class']}.{kind}"] > 0, f"{op['class']} {kind}"
