"""Loops against the same loops in NumPy, as generated code and by the evaluator.

Inputs are small multiples of 1/8 where a sum's order is free, so that results are held to the bit.
"""

import numpy as np
import pytest
from programs import HEADER, check, run, tilefoundry
from references import eighths

PRELUDE = HEADER.replace("DimVar,", "DimVar, tile,")


def source(signature, *lines, prelude=""):
    body = "".join(f"    {line}\n" for line in lines)
    return f"{PRELUDE}{prelude}\n\n@func\ndef program({signature}):\n{body}"


def held(text, inputs, *wanted, ulps=0):
    check(text, inputs, [(f"out{i}", w, ulps) for i, w in enumerate(wanted)])


def f32(shape, seed=3):
    return eighths(shape, np.dtype(np.float32), seed)


@pytest.mark.parametrize("bounds", [(6,), (2, 6), (1, 6, 2), (0, 6, 5), (5, 2), (0, 6, 7)])
def test_start_and_step_are_honoured(bounds):
    x = f32((6, 5))
    text = source('x: Tensor[(6, 5), "f32"]', 'acc = zeros(type=Tensor[(5,), "f32"])',
                  f"for i in range({', '.join(map(str, bounds))}):", "    acc = acc * 0.5 + x[i]",
                  "return acc")
    acc = np.zeros(5, np.float32)
    for i in range(*bounds):
        acc = acc * np.float32(0.5) + x[i]
    held(text, [x], acc)


@pytest.mark.parametrize("trips", range(4))
@pytest.mark.parametrize("form", ["a, b = b, a", "t = a\n        a = b\n        b = t"])
def test_two_carries_that_swap_keep_both(trips, form):
    a, b = f32((4, 8), 1), f32((4, 8), 2)
    text = source('a: Tensor[(4, 8), "f32"], b: Tensor[(4, 8), "f32"]',
                  f"for i in range({trips}):", f"    {form}", "return a, b")
    held(text, [a, b], *((b, a) if trips % 2 else (a, b)))


def test_three_carries_that_rotate():
    a, b, c = (f32((3, 4), i) for i in range(3))
    three = ", ".join(f'{name}: Tensor[(3, 4), "f32"]' for name in "abc")
    text = source(three, "for i in range(4):", "    a, b, c = b, c, a + 1.0", "return a, b, c")
    wanted = [a, b, c]
    for _ in range(4):
        wanted = [wanted[1], wanted[2], wanted[0] + np.float32(1)]
    held(text, [a, b, c], *wanted)


def test_a_transposed_carry_is_read_before_it_is_overwritten():
    a = f32((4, 4))
    text = source('a: Tensor[(4, 4), "f32"]', "for i in range(3):",
                  "    a = transpose(a, perm=(1, 0))", "return a")
    held(text, [a], np.ascontiguousarray(a.T))


def test_a_window_of_another_carry():
    a, b = f32((4, 8), 1), f32((2, 8), 2)
    text = source('a: Tensor[(4, 8), "f32"], b: Tensor[(2, 8), "f32"]', "for i in range(3):",
                  "    b, a = a[1:3], concat(a[2:4], b, axis=0)", "return a, b")
    x, y = a, b
    for _ in range(3):
        y, x = x[1:3], np.concatenate([x[2:4], y])
    held(text, [a, b], x, y)


def test_a_carry_that_starts_from_a_parameter_leaves_the_array_alone():
    x = f32((4, 8))
    text = source('x: Tensor[(4, 8), "f32"]', "y = x", "for i in range(3):", "    y = y + 1.0",
                  "return y, x * 2.0")
    held(text, [x], x + np.float32(3), x * np.float32(2))


def test_two_loops_from_one_initial_value():
    x = f32((4, 8))
    text = source('x: Tensor[(4, 8), "f32"]', "start = x * 2.0", "a = start", "b = start",
                  "for i in range(2):", "    a = a + x", "for i in range(3):", "    b = b - x",
                  "return a, b, start")
    held(text, [x], 4 * x, 2 * x - x - x - x, 2 * x)


def test_tuple_unpacking_is_a_carry():
    x = f32((4, 8))
    text = source('x: Tensor[(4, 8), "f32"]', "lo = x[:, 0:4]", "hi = x[:, 4:8]",
                  "for i in range(3):",
                  "    hi, lo = split(concat(lo, hi + lo, axis=1), axis=1, num_splits=2)",
                  "return lo, hi")
    lo, hi = x[:, :4], x[:, 4:]
    for _ in range(3):
        hi, lo = lo, hi + lo
    held(text, [x], lo, hi)


def test_a_carry_assigned_in_a_nested_loop_only():
    x = f32((6, 8))
    text = source('x: Tensor[(6, 8), "f32"]', 'acc = zeros(type=Tensor[(8,), "f32"])',
                  "for i in range(1, 4):", "    for j in range(i, 6, 2):",
                  "        acc = acc * 0.5 + x[j]", "return acc")
    acc = np.zeros(8, np.float32)
    for i in range(1, 4):
        for j in range(i, 6, 2):
            acc = acc * np.float32(0.5) + x[j]
    held(text, [x], acc)


def test_nested_loops_with_carries_of_their_own():
    x, w = f32((6, 8), 1), f32((8,), 2)
    text = source('x: Tensor[(6, 8), "f32"], w: Tensor[(8,), "f32"]', "scale = w * w",
                  "acc = x[0]", "last = x[5]", "for i in range(1, 6, 2):",
                  "    row = x[i] * scale", "    for j in range(i, 6):",
                  "        acc = acc * 0.5 + x[j]", "        row = row + acc",
                  "    last = maximum(last, row)", "return acc, last")
    acc, last = x[0], x[5]
    for i in range(1, 6, 2):
        row = x[i] * (w * w)
        for j in range(i, 6):
            acc = acc * np.float32(0.5) + x[j]
            row = row + acc
        last = np.maximum(last, row)
    held(text, [x, w], acc, last)


def test_a_name_of_a_loop_body_may_be_bound_again():
    x = f32((4, 8))
    text = source('x: Tensor[(4, 8), "f32"]', "y = x", "for i in range(2):", "    t = y + 1.0",
                  "    t = t * 0.5", "    y = t", "return y")
    y = x
    for _ in range(2):
        y = (y + np.float32(1)) * np.float32(0.5)
    held(text, [x], y)


@pytest.mark.parametrize("width", [8, 24, 32, 40, 96])
@pytest.mark.parametrize("kind", ["sum", "max"])
def test_a_reduction_over_windows_keeps_its_tail(width, kind):
    x = f32((5, 480 if width in (24, 32, 40, 96) else 64))
    count = x.shape[1]
    op = "add" if kind == "sum" else "maximum"
    start = "0.0" if kind == "sum" else '-1000.0'
    text = source(f'x: Tensor[(5, {count}), "f32"]',
                  f'acc = full_like(zeros(type=Tensor[(5,), "f32"]), value={start})',
                  f"for i in tile({count}, {width}):",
                  f'    acc = {op}(acc, reduce(x[:, i], axes=(1,), kind="{kind}", keepdim=False))',
                  "return acc")
    held(text, [x], x.sum(1) if kind == "sum" else x.max(1))


@pytest.mark.parametrize("offset", [0, 3, 8])
def test_windows_move_by_compile_time_offsets_that_add_up(offset):
    x = f32((3, 40))
    text = source('x: Tensor[(3, 40), "f32"]', 'acc = zeros(type=Tensor[(3, 8), "f32"])',
                  "for i in tile(24, 8):", f"    j = i + {offset}", "    acc = acc + x[:, j + 8] * x[:, i]",
                  "return acc")
    acc = np.zeros((3, 8), np.float32)
    for i in range(0, 24, 8):
        acc = acc + x[:, i + offset + 8:i + offset + 16] * x[:, i:i + 8]
    held(text, [x], acc)


def test_windows_at_dimension_arithmetic_over_two_variables():
    x = f32((4, 64))
    text = source('x: Tensor[(4, 64), "f32"]', 'acc = zeros(type=Tensor[(4, 8), "f32"])',
                  "for i in range(3):", "    for k in range(2):",
                  "        acc = acc * 0.5 + x[:, i * 8 + 2 * k : i * 8 + 2 * k + 8]", "return acc")
    acc = np.zeros((4, 8), np.float32)
    for i in range(3):
        for k in range(2):
            acc = acc * np.float32(0.5) + x[:, i * 8 + 2 * k:i * 8 + 2 * k + 8]
    held(text, [x], acc)


def test_a_last_trip_may_be_partial():
    x = f32((3, 20))
    text = source('x: Tensor[(3, 20), "f32"]', 'acc = zeros(type=Tensor[(3,), "f32"])',
                  "for i in range(0, 20, 8):",
                  '    acc = acc * 0.5 + reduce(x[:, i : min(i + 8, 20)], axes=(1,), kind="sum", keepdim=False)',
                  "return acc")
    acc = np.zeros(3, np.float32)
    for i in range(0, 20, 8):
        acc = acc * np.float32(0.5) + x[:, i:min(i + 8, 20)].sum(1)
    held(text, [x], acc)


def test_the_variable_is_a_value():
    x = f32((6, 8))
    text = source('x: Tensor[(6, 8), "f32"]', 'acc = zeros(type=Tensor[(8,), "f32"])',
                  "for i in range(1, 6, 2):", '    acc = acc + x[i] * cast(i * 2 + 1, dtype="f32")',
                  "return acc")
    acc = np.zeros(8, np.float32)
    for i in range(1, 6, 2):
        acc = acc + x[i] * np.float32(2 * i + 1)
    held(text, [x], acc)


@pytest.mark.parametrize("extent", [1, 7, 40])
def test_symbolic_bounds(extent):
    x = f32((extent, 8))
    text = source('x: Tensor[(S, 8), "f32"]', 'acc = zeros(type=Tensor[(8,), "f32"])',
                  "for i in range(S):", "    acc = acc * 0.5 + x[i]",
                  "for i in range(S // 2, S, 3):", "    acc = acc + x[i]", "return acc",
                  prelude='S = DimVar("S", 1, 64)\n')
    acc = np.zeros(8, np.float32)
    for i in range(extent):
        acc = acc * np.float32(0.5) + x[i]
    for i in range(extent // 2, extent, 3):
        acc = acc + x[i]
    held(text, [x], acc)


def test_symbolic_tiles_that_divide():
    x = f32((3, 24))
    text = source('x: Tensor[(3, S * 8), "f32"], y: Tensor[(S,), "f32"]',
                  'acc = zeros(type=Tensor[(3, 8), "f32"])', "for i in tile(S * 8, 8):",
                  "    acc = acc * 0.5 + x[:, i]", "return acc, y", prelude='S = DimVar("S", 1, 64)\n')
    acc = np.zeros((3, 8), np.float32)
    for i in range(0, 24, 8):
        acc = acc * np.float32(0.5) + x[:, i:i + 8]
    y = f32((3,), 9)
    held(text, [x, y], acc, y)


def test_bounds_of_a_scalar_parameter():
    x, n = f32((9, 4)), np.int64(5)
    text = source('x: Tensor[(9, 4), "f32"], n: Tensor[(), "i64"]',
                  'acc = zeros(type=Tensor[(4,), "f32"])', "for i in range(1, n):",
                  "    acc = acc * 0.5 + x[i]", "return acc")
    acc = np.zeros(4, np.float32)
    for i in range(1, 5):
        acc = acc * np.float32(0.5) + x[i]
    held(text, [x, n], acc)


def test_a_carried_number_addresses_a_window():
    x = f32((12, 4))
    text = source('x: Tensor[(12, 4), "f32"]', 'at = zeros(type=Tensor[(), "i64"])',
                  'acc = zeros(type=Tensor[(2, 4), "f32"])', "for i in range(4):",
                  "    acc = acc * 0.5 + x[at : at + 2]", "    at = at + 3", "return acc, at")
    acc, at = np.zeros((2, 4), np.float32), 0
    for _ in range(4):
        acc, at = acc * np.float32(0.5) + x[at:at + 2], at + 3
    held(text, [x], acc, np.int64(at))


@pytest.mark.parametrize("name", ["f16", "bf16"])
def test_sixteen_bit_carries_round_in_every_trip(name):
    from programs import DTYPES
    x = eighths((8, 32), DTYPES[name], 5)
    text = source(f'x: Tensor[(8, 32), "{name}"]', f'acc = zeros(type=Tensor[(32,), "{name}"])',
                  "for i in range(8):", "    acc = acc * 0.75 + x[i]", "return acc")
    acc = np.zeros(32, DTYPES[name])
    for i in range(8):
        product = (acc.astype(np.float32) * np.float32(0.75)).astype(DTYPES[name])
        acc = (product.astype(np.float32) + x[i].astype(np.float32)).astype(DTYPES[name])
    held(text, [x], acc)


def test_products_in_a_loop():
    x, w = f32((6, 16)), f32((16, 8), 4)
    text = source('x: Tensor[(6, 16), "f32"], w: Tensor[(16, 8), "f32"]',
                  'acc = zeros(type=Tensor[(6, 8), "f32"])', "for k in tile(16, 4):",
                  "    acc = acc + x[:, k] @ w[k]", "return acc")
    held(text, [x, w], x @ w)


FLASH = ('q: Tensor[(64, 32), "f32"], k: Tensor[(128, 32), "f32"], v: Tensor[(128, 32), "f32"]',
         'm = full_like(zeros(type=Tensor[(64, 1), "f32"]), value=float("-inf"))',
         'l = zeros(type=Tensor[(64, 1), "f32"])', 'acc = zeros(type=Tensor[(64, 32), "f32"])',
         "for j in tile(128, 32):", "    s = q @ transpose(k[j], perm=(1, 0))",
         '    m_new = maximum(m, reduce(s, axes=(1,), kind="max", keepdim=True))',
         "    p = exp(s - m_new)", "    alpha = exp(m - m_new)",
         '    l = l * alpha + reduce(p, axes=(1,), kind="sum", keepdim=True)',
         "    acc = acc * alpha + p @ v[j]", "    m = m_new", "return acc / l")


def test_online_softmax_over_tiles():
    rng = np.random.default_rng(5)
    q, k, v = (rng.standard_normal(shape).astype(np.float32)
               for shape in ((64, 32), (128, 32), (128, 32)))
    scores = q.astype(np.float64) @ k.T
    weights = np.exp(scores - scores.max(1, keepdims=True))
    wanted = (weights / weights.sum(1, keepdims=True)) @ v
    for evaluate in (False, True):
        got, = run(source(*FLASH), [q, k, v], evaluate)
        assert np.max(np.abs(got - wanted)) < 2e-5


def test_a_loop_in_a_called_function_and_in_a_child_module():
    x = f32((6, 8))
    text = PRELUDE + '''
@func
def sums(x: Tensor[(6, 8), "f32"]) -> Tensor[(8,), "f32"]:
    acc = zeros(type=Tensor[(8,), "f32"])
    for i in range(6):
        acc = acc * 0.5 + x[i]
    return acc


@func
def program(x: Tensor[(6, 8), "f32"]):
    out = x[0]
    for i in range(3):
        out = out + sums(x * 2.0)
    return out
'''
    acc = np.zeros(8, np.float32)
    for i in range(6):
        acc = acc * np.float32(0.5) + 2 * x[i]
    out = x[0]
    for _ in range(3):
        out = out + acc
    held(text, [x], out)


def test_an_inner_loop_that_only_its_bounds_tie_to_the_outer():
    x, z = f32((6, 8), 1), f32((8,), 2)
    text = source('x: Tensor[(6, 8), "f32"], z: Tensor[(8,), "f32"]', "acc = z",
                  "for i in range(4):", "    part = z", "    for j in range(i, 6):",
                  "        part = part + x[j]", "    acc = acc * 0.5 + part", "return acc")
    acc = z
    for i in range(4):
        part = z
        for j in range(i, 6):
            part = part + x[j]
        acc = acc * np.float32(0.5) + part
    held(text, [x, z], acc)


def test_a_number_that_a_loop_and_what_follows_it_read():
    x = np.arange(6, dtype=np.int64)
    text = source('x: Tensor[(6,), "i64"]', "k = DimValue(3)", "acc = x", "for i in range(2):",
                  "    acc = maximum(acc, k) + 1", "return acc, minimum(x, k)",
                  prelude="from tilefoundry.ir.core import DimValue\n")
    acc = x
    for _ in range(2):
        acc = np.maximum(acc, 3) + 1
    held(text, [x], acc, np.minimum(x, 3))


def test_windows_written_in_a_loop():
    x, y = f32((4, 24), 1), f32((4, 24), 2)
    text = source('x: Tensor[(4, 24), "f32"], y: Tensor[(4, 24), "f32"]', "out = x",
                  "for i in range(0, 3, 2):", "    out = insert_slice(out, y[:, i * 8 : i * 8 + 8], (0, i * 8))",
                  "for i in tile(24, 12):", "    out = insert_slice(out, out[:, i] * 2.0, (0, i))",
                  "return out, x")
    out = x.copy()
    out[:, :8], out[:, 16:] = y[:, :8], y[:, 16:]
    held(text, [x, y], 2 * out, x)


def test_a_tuple_is_carried():
    x = f32((4, 8))
    text = source('x: Tensor[(4, 8), "f32"]', "pair = (x, x * 2.0)", "for i in range(3):",
                  "    a, b = pair", "    pair = (b, a + 1.0)", "a, b = pair", "return a, b")
    a, b = x, 2 * x
    for _ in range(3):
        a, b = b, a + np.float32(1)
    held(text, [x], a, b)


def test_loops_in_child_modules_with_weights_of_their_own():
    x, up, down = f32((6, 8), 1), f32((8,), 2), f32((8,), 3)
    text = PRELUDE + '''
@module(entry="forward")
class Sum:
    @func
    def forward(x: Tensor[(6, 8), "f32"], weight: ConstTensor[(8,), "f32"]):
        acc = weight
        for i in range(6):
            acc = acc * 0.5 + x[i] * weight
        return acc


@module(entry="forward")
class program:
    up = Sum
    down = Sum

    @func
    def forward(x: Tensor[(6, 8), "f32"]):
        acc = up(x)
        for i in range(2):
            acc = acc + down(x * 2.0) * up(x)
        return acc
'''
    def forward(x, weight):
        acc = weight
        for row in x:
            acc = acc * np.float32(0.5) + row * weight
        return acc
    acc = forward(x, up)
    for _ in range(2):
        acc = acc + forward(2 * x, down) * forward(x, up)
    held(text, [x, up, down], acc, ulps=1)


@pytest.mark.parametrize("step", [1, 3, 0, -2])
def test_a_step_that_only_the_run_knows(step, tmp_path):
    x = f32((8, 4))
    text = source('x: Tensor[(8, 4), "f32"], s: Tensor[(), "i64"]',
                  'acc = zeros(type=Tensor[(4,), "f32"])', "for i in range(1, 8, s):",
                  "    acc = acc * 0.5 + x[i]", "return acc")
    if step > 0:
        acc = np.zeros(4, np.float32)
        for i in range(1, 8, step):
            acc = acc * np.float32(0.5) + x[i]
        held(text, [x, np.int64(step)], acc)
        return
    path = tmp_path / "program.py"
    path.write_text(text)
    np.save(tmp_path / "x.npy", x)
    np.save(tmp_path / "s.npy", np.int64(step))
    for evaluate in ([], ["--evaluate"]):
        result = tilefoundry("run", f"{path}:program", *evaluate, "--inputs", tmp_path / "x.npy",
                             tmp_path / "s.npy", status=1)
        assert "the step" in result.stderr


@pytest.mark.parametrize("evaluate", [False, True])
@pytest.mark.parametrize("lines", [
    ("for i in range(0, 20, 8):", "    acc = acc + x[:, i : i + 8]"),
    ("for i in range(3):", "    acc = acc + x[:, n + i * 8 : n + i * 8 + 8]"),
    ("for i in range(1, 3):", "    acc = acc + x[:, n - i * 8 : n - i * 8 + 8]"),
])
def test_a_window_out_of_range_ends_the_run(tmp_path, lines, evaluate):
    text = source('x: Tensor[(2, 20), "f32"], n: Tensor[(), "i64"]',
                  'acc = zeros(type=Tensor[(2, 8), "f32"])', *lines, "return acc")
    path = tmp_path / "program.py"
    path.write_text(text)
    np.save(tmp_path / "x.npy", f32((2, 20)))
    np.save(tmp_path / "n.npy", np.int64(8))
    result = tilefoundry("run", f"{path}:program", "--save", tmp_path / "out",
                         *(["--evaluate"] if evaluate else []), "--inputs", tmp_path / "x.npy",
                         tmp_path / "n.npy", status=1)
    assert "outside axis 1 of extent 20" in result.stderr
    assert not (tmp_path / "out").exists()
