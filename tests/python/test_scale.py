"""Large programs on a small stack: no stage recurses on depth, none takes more than linear time."""

import os
import resource
import subprocess
import time

import pytest

import scale_programs

STACK = 256 * 1024
# Time of ten times the ops: 10 and what leaving the processor's caches costs (up to 2.3 times as
# measured); a quadratic step gives 100.
SLACK = 30.0
PARSE_LIMIT = 20.0  # seconds for 100k ops; a quiet machine takes less than one
LOWER_LIMIT = 120.0


def small_stack():
    resource.setrlimit(resource.RLIMIT_STACK, (STACK, resource.RLIM_INFINITY))


def run(command, *arguments, text=None, limit=LOWER_LIMIT, code=0):
    """Seconds of processor time, and what the command printed."""
    before = resource.getrusage(resource.RUSAGE_CHILDREN)
    done = subprocess.run([command, *arguments], capture_output=True, text=True, input=text,
                          timeout=limit, preexec_fn=small_stack)
    after = resource.getrusage(resource.RUSAGE_CHILDREN)
    assert done.returncode == code, done.stderr[:2000]
    return after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime, done


def written(folder, name, count):
    path = folder / f"{name}{count}.py"
    path.write_text(scale_programs.SHAPES[name](count))
    return str(path)


def assert_linear(times, what):
    # A constant part, such as starting the process, only makes the ratio smaller.
    small, large = times
    assert large < SLACK * max(small, 0.02), f"{what}: {small:.2f} s, then {large:.2f} s"


@pytest.mark.parametrize("name", scale_programs.SHAPES)
def test_I14_check_and_print_are_linear(command, tmp_path, name):
    sizes = (10_000, 100_000)
    for verb in ("check", "print"):
        times = []
        for count in sizes:
            path = written(tmp_path, name, count)
            times.append(run(command, verb, path, limit=PARSE_LIMIT)[0])
        assert_linear(times, f"{verb} of {name}")


@pytest.mark.parametrize("name", scale_programs.SHAPES)
def test_print_of_a_large_program_reads_back(command, tmp_path, name):
    printed = run(command, "print", written(tmp_path, name, 10_000))[1].stdout
    assert run(command, "print", "-", text=printed)[1].stdout == printed
    assert printed.count("\n") >= 9_000


@pytest.mark.parametrize("name", scale_programs.SHAPES)
def test_lower_is_linear(command, tmp_path, name):
    times = [run(command, "lower", written(tmp_path, name, n))[0] for n in (2_000, 20_000)]
    assert_linear(times, f"lower of {name}")


def test_a_chain_of_100k_ops_lowers(command, tmp_path):
    start = time.monotonic()
    run(command, "lower", written(tmp_path, "chain", 100_000))
    assert time.monotonic() - start < LOWER_LIMIT


def test_ten_thousand_additions_in_one_expression(command):
    text = scale_programs.one_expression(10_000)
    for verb in ("check", "print", "lower"):
        run(command, verb, "-", text=text, limit=PARSE_LIMIT)


@pytest.mark.parametrize("opening, closing", [("(", ")"), ("-", ""), ("[", "]"), ("exp(", ")")])
@pytest.mark.parametrize("depth", [200, 5_000, 100_000])
def test_deep_nesting_is_refused_or_read(command, opening, closing, depth):
    text = scale_programs.function([f"y = {opening * depth}x{closing * depth}"], "y")
    done = subprocess.run([command, "check", "-"], capture_output=True, text=True, input=text,
                          timeout=PARSE_LIMIT, preexec_fn=small_stack)
    assert done.returncode in (0, 1), done.stderr[:500]
    if done.returncode == 1:
        assert "error[TF" in done.stderr


def test_parentheses_200_deep_are_refused_kindly(command):
    text = scale_programs.function([f"y = {'(' * 201}x{')' * 201}"], "y")
    done = run(command, "check", "-", text=text, code=1)[1]
    assert "error[TF1" in done.stderr and "hint:" in done.stderr


def test_shared_squarings_stay_linear(command):
    """64 squarings read each value twice: 2 ** 64 paths, 64 ops."""
    text = scale_programs.function(["x = x * x"] * 64)
    for verb in ("check", "print", "lower"):
        _, done = run(command, verb, "-", text=text, limit=PARSE_LIMIT)
        assert len(done.stdout) < 100_000


def test_calls_doubled_thirty_deep_stay_linear(command):
    lines = ['@func\ndef f0(x: Tensor[(8,), "f32"]):\n    return x + x\n']
    for i in range(1, 31):
        lines.append(f'\n\n@func\ndef f{i}(x: Tensor[(8,), "f32"]):\n'
                     f"    y = f{i - 1}(x)\n    return f{i - 1}(y)\n")
    text = scale_programs.HEADER + "".join(lines)
    for verb in ("check", "print", "lower"):
        arguments = ("-:f30",)
        _, done = run(command, verb, *arguments, text=text, limit=PARSE_LIMIT)
        assert len(done.stdout) < 100_000


def test_a_closed_pipe_while_printing_is_no_crash(command, tmp_path):
    path = written(tmp_path, "chain", 100_000)
    reader, writer = os.pipe()
    os.close(reader)
    done = subprocess.run([command, "print", path], stdout=writer, stderr=subprocess.PIPE,
                          timeout=PARSE_LIMIT, preexec_fn=small_stack)
    os.close(writer)
    assert done.returncode == 141, done.stderr[:500]
