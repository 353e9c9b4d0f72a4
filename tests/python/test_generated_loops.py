"""Generated programs of loops: printed to a fixed point, verified, and run with passes left out.

tests/python/generated_loops.py has the forms; the last test holds how often each occurred.
"""

import collections
import json
import subprocess

import numpy as np
import pytest

import program_generator as generator

SEEDS = range(100, 110)
VARIED_SEEDS = (100, 105)
LEAST = 50
OPTIONAL_PASSES = ("elide_copies", "forward_outputs", "forward_views", "tile_regions", "fuse_loops", "contract_buffers",
                   "order_loops", "split_reductions", "mark_loops")


@pytest.fixture(scope="module")
def programs(command, tmp_path_factory):
    done = subprocess.run([command, "ops", "--json"], capture_output=True, text=True, check=True)
    catalogue = json.loads(done.stdout)["ops"]
    folder = tmp_path_factory.mktemp("loops")
    made = {}
    for seed in SEEDS:
        program = generator.generate_loops(seed, catalogue)
        path = folder / f"seed{seed}.py"
        path.write_text(program.text)
        made[seed] = (program, path)
    return made


def run(command, *arguments, text=None):
    done = subprocess.run([command, *map(str, arguments)], capture_output=True, text=True,
                          input=text, timeout=300)
    assert done.returncode == 0, f"{arguments}\n{done.stdout[-3000:]}{done.stderr[-3000:]}"
    return done.stdout


def call(command, program, path, *arguments):
    dims = [word for name, extent in program.extents.items() for word in ("--dim", f"{name}={extent}")]
    return run(command, "run", path, "--inputs", "random", "--seed", program.seed, *dims, *arguments)


@pytest.mark.parametrize("seed", SEEDS)
def test_I45_I46_printed_loops_are_a_fixed_point(command, programs, seed):
    _, path = programs[seed]
    printed = run(command, "print", path)
    assert run(command, "print", "-", text=printed) == printed


@pytest.mark.parametrize("seed", SEEDS)
def test_loops_agree_with_the_interpreter(command, programs, seed):
    report = json.loads(call(command, *programs[seed], "--verify", "--json"))
    assert [o for o in report["outputs"] if o["verdict"] != "PASS"] == []
    assert report["passed"]


@pytest.mark.parametrize("seed", VARIED_SEEDS)
def test_passes_and_threads_keep_the_results_of_loops(command, programs, seed, tmp_path):
    variants = {name: ("--disable-pass", name) for name in OPTIONAL_PASSES}
    variants["one thread"] = ("--threads", "1")
    call(command, *programs[seed], "--save", tmp_path / "wanted", "--evaluate")
    names = sorted(path.name for path in (tmp_path / "wanted").glob("*.npy"))
    for name, options in variants.items():
        folder = tmp_path / name.replace(" ", "_")
        call(command, *programs[seed], "--save", folder, *options)
        for each in names:
            wanted, got = np.load(tmp_path / "wanted" / each), np.load(folder / each)
            assert wanted.tobytes() == got.tobytes(), f"seed {seed}, {name}, {each}"


def test_every_loop_form_occurs_often(programs, capsys):
    counts = collections.Counter(form for program, _ in programs.values() for form in program.loops)
    with capsys.disabled():
        print()
        print("  ".join(f"{name} {count}" for name, count in counts.most_common()), " (loop form)")
    assert {name: counts[name] for name in generator.FORMS if counts[name] < LEAST} == {}
