"""Ops that replace windows, gather rows or count, against NumPy: generated code and evaluator."""

import pathlib

import numpy as np
import pytest
from programs import COMMAND, DTYPES, INTS, check, program, save, tilefoundry
from references import pairs

DIMS = 'M = DimVar("M", 0, 4096)\nN = DimVar("N", 0, 4096)\n'
SCALAR = ((), "i32")


def i32(value):
    return np.array(value, np.int32)


def fails(source, inputs, folder, *words):
    """The call ends with an error in generated code and in the evaluator, and writes no output."""
    (folder / "program.py").write_text(source, encoding="utf-8")
    files = []
    for i, array in enumerate(inputs):
        files.append(folder / f"in{i}.npy")
        save(files[-1], array)
    for extra in ([], ["--evaluate"]):
        result = tilefoundry("run", folder / "program.py", "--save", folder / "out", *extra,
                             "--inputs", *files, status=1)
        for word in words:
            assert word in result.stderr, result.stderr
        assert not list(pathlib.Path(folder).glob("out/*.npy"))


# ---- InsertSlice ----

def inserted(dst, update, offsets):
    result = dst.copy()
    result[tuple(slice(o, o + n) for o, n in zip(offsets, update.shape))] = update
    return result


@pytest.mark.parametrize("name", DTYPES)
def test_P44_insert_slice_replaces_its_window_only(name):
    x, _ = pairs(name, (16, 8))
    t, _ = pairs(name, (4, 3), 3)
    empty = t[:0]
    cases = [
        ("insert_slice(x, t, (8, 0))", inserted(x, t, (8, 0)), 0),
        ("insert_slice(x, t, (12, 5))", inserted(x, t, (12, 5)), 0),
        ("insert_slice(x, t, (pos, pos - 2))", inserted(x, t, (3, 1)), 0),
        ("insert_slice(where(x == x, x, x), t, (pos + 2, 0))", inserted(x, t, (5, 0)), 0),
        ("insert_slice(x, empty, (16, 2))", x, 0),
        ("insert_slice(insert_slice(x, t, (0, 0)), t, (2, 1))",
         inserted(inserted(x, t, (0, 0)), t, (2, 1)), 0),
        ("x", x, 0),
    ]
    params = {"x": (x.shape, name), "t": (t.shape, name), "empty": (empty.shape, name), "pos": SCALAR}
    check(program(params, [form for form, _, _ in cases]), [x, t, empty, i32(3)], cases)


def test_insert_slice_of_two_sizes_from_one_program():
    params = {"x": (("M", "N"), "f32"), "t": (("M", 2), "f32"), "s": ((), "f32"), "u": ((), "f32")}
    for m, n in ((5, 7), (1, 2), (0, 9)):
        x, t = pairs("f32", (m, n))[0], pairs("f32", (m, 2))[1]
        s, u = np.float32(2), np.float32(3)
        cases = [
            ("insert_slice(x, t, (0, N - 2))", inserted(x, t, (0, n - 2)), 0),
            ("insert_slice(s, u, ())", u, 0),
        ]
        check(program(params, [form for form, _, _ in cases], DIMS), [x, t, s, u], cases)


def test_a_value_that_is_read_again_is_not_changed_in_place():
    x, _ = pairs("f32", (16, 8))
    t, _ = pairs("f32", (4, 8), 3)
    y = x * np.float32(2)
    new = inserted(y, t, (4, 0))
    source = program({"x": (x.shape, "f32"), "t": (t.shape, "f32")},
                     ["x * 2.0", "insert_slice(r0, t, (4, 0))", "r0[2:8] + r1[2:8]",
                      "insert_slice(r1, t, (0, 0))"])
    check(source, [x, t], [("y", y, 0), ("new", new, 0), ("both", y[2:8] + new[2:8], 0),
                           ("again", inserted(new, t, (0, 0)), 0)])


@pytest.mark.parametrize("pos", [-1, 13, 2**31 - 1, -(2**31)])
def test_a_window_out_of_range_is_an_error(pos, tmp_path):
    x, t = pairs("f32", (16, 8))[0], pairs("f32", (4, 8))[0]
    params = {"x": (x.shape, "f32"), "t": (t.shape, "f32"), "pos": SCALAR}
    source = program(params, ["insert_slice(x, t, (pos, 0))"])
    fails(source, [x, t, i32(pos)], tmp_path,
          f"the window of update from {pos} of size 4 lies outside axis 0 of extent 16")


# ---- CacheUpdate ----

CACHE = {"cache": ((2, 9, 3, 4), None), "new": ((2, 4, 3, 4), None), "pos": SCALAR, "s": SCALAR}


@pytest.mark.parametrize("name", DTYPES)
def test_cache_update_at_every_place(name):
    cache, new = pairs(name, (2, 9, 3, 4))[0], pairs(name, (2, 4, 3, 4), 5)[1]
    params = {key: (shape, dtype or name) for key, (shape, dtype) in CACHE.items()}
    results = ["cache_update(cache, pos, s, new)", "cache", "cache_update(cache, 8, 1, new)",
               "cache_update(where(cache == cache, cache, cache), pos, s, new)",
               "cache_update(cache, pos + 0 * s, s, new)"]
    last = cache.copy()
    last[:, 8:9] = new[:, :1]
    for pos, s in ((0, 4), (5, 4), (8, 1), (3, 0), (9, 0), (0, 1)):
        wanted = cache.copy()
        wanted[:, pos : pos + s] = new[:, :s]
        values = [wanted, cache, last, wanted, wanted]
        check(program(params, results), [cache, new, i32(pos), i32(s)],
              [(f"{form} at {pos}", value, 0) for form, value in zip(results, values)])


@pytest.mark.parametrize("pos, s, words", [
    (9, 1, "the window of new from 9 of size 1 lies outside axis 1 of extent 9"),
    (6, 4, "the window of new from 6 of size 4 lies outside axis 1 of extent 9"),
    (-1, 2, "the window of new from -1 of size 2"),
    (0, 5, "s is 5, and new has 4 rows"),
    (0, -1, "s is -1, and new has 4 rows"),
    (2**31 - 1, 4, "the window of new from 2147483647"),
])
def test_a_cache_write_out_of_range_is_an_error(pos, s, words, tmp_path):
    cache, new = pairs("f32", (2, 9, 3, 4))[0], pairs("f32", (2, 4, 3, 4))[1]
    params = {key: (shape, dtype or "f32") for key, (shape, dtype) in CACHE.items()}
    source = program(params, ["cache_update(cache, pos, s, new)"])
    fails(source, [cache, new, i32(pos), i32(s)], tmp_path, words)


# ---- Arange ----

@pytest.mark.parametrize("name", INTS)
def test_arange_and_its_remainder_at_every_lane(name):
    dtype = DTYPES[name]
    cases = []
    for n in (32, 0, 1, 67):
        for start, step in ((0, 1), (-5, 3), (7, 0), (10, -2)):
            values = (start + step * np.arange(n)).astype(dtype)
            text = f'arange(Tensor[({n},), "{name}"], start={start}, step={step})'
            cases += [(text, values, 0), (f"{text} % 7", values % dtype.type(7), 0)]
    cases.append((f'arange(Tensor[(M,), "{name}"]) + arange(Tensor[(M,), "{name}"], 1, 2)',
                  (3 * np.arange(13) + 1).astype(dtype), 0))
    cases.append((f'cast(arange(Tensor[(32,), "{name}"]), dtype="f32") * 0.5',
                  np.arange(32).astype(np.float32) / 2, 0))
    x = np.zeros(13, np.float32)
    check(program({"x": (("M",), "f32")}, [form for form, _, _ in cases], DIMS), [x], cases)
