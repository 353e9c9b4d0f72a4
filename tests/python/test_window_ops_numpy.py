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


# ---- Stack, RepeatInterleave, IndexSelect ----

@pytest.mark.parametrize("name", DTYPES)
def test_stack_and_repeat_interleave_along_every_axis(name):
    x, y = pairs(name, (3, 1, 5))
    empty = x[:0]
    cases = []
    for axis in range(-4, 4):
        cases.append((f"stack(x, y, x, axis={axis})", np.stack([x, y, x], axis), 0))
    for axis in range(-3, 3):
        cases.append((f"repeat_interleave(x, repeats=3, axis={axis})", np.repeat(x, 3, axis), 0))
    cases += [
        ("stack(x, axis=1)", x[:, None], 0),
        ("stack(e, e, axis=0)", np.stack([empty, empty]), 0),
        ("repeat_interleave(e, repeats=2, axis=2)", np.repeat(empty, 2, 2), 0),
        ("repeat_interleave(x, repeats=1, axis=0)", x, 0),
        ("repeat_interleave(repeat_interleave(x, 2, 0), 2, 0)", np.repeat(x, 4, 0), 0),
    ]
    params = {"x": (x.shape, name), "y": (y.shape, name), "e": (empty.shape, name)}
    check(program(params, [form for form, _, _ in cases]), [x, y, empty], cases)


def test_stack_of_scalars_and_of_symbolic_shapes():
    for n in (4, 0):
        a, b, v = np.float32(1), np.float32(-2), pairs("f32", (n,))[0]
        cases = [("stack(a, b, a, axis=-1)", np.stack([a, b, a]), 0),
                 ("stack(v, v, axis=-1)", np.stack([v, v], -1), 0),
                 ("repeat_interleave(v, repeats=4, axis=0)", np.repeat(v, 4), 0)]
        params = {"a": ((), "f32"), "b": ((), "f32"), "v": (("N",), "f32")}
        check(program(params, [form for form, _, _ in cases], DIMS), [a, b, v], cases)


@pytest.mark.parametrize("name", DTYPES)
@pytest.mark.parametrize("kind", INTS)
def test_index_select_along_every_axis(name, kind):
    x, _ = pairs(name, (4, 3, 5))
    at = np.array([2, 0, 0, 2, 1, 2, 1], DTYPES[kind])
    cases = [(f"index_select(x, at, dim={dim})", np.take(x, at, dim), 0) for dim in (0, 1, 2, -1, -3)]
    cases += [
        ("index_select(x, at)", x[at], 0),
        ("index_select(x, none, dim=1)", x[:, at[:0]], 0),
        ("index_select(x, at - 1 + 1, dim=1)", x[:, at], 0),
        (f'index_select(index_select(x, at), arange(Tensor[(3,), "{kind}"], 6, -2))', x[at][[6, 4, 2]], 0),
    ]
    params = {"x": (x.shape, name), "at": (at.shape, kind), "none": ((0,), kind)}
    check(program(params, [form for form, _, _ in cases]), [x, at, at[:0]], cases)


@pytest.mark.parametrize("bad", [-1, 4, 2**31 - 1, -(2**31), 2**40, -(2**63)])
def test_an_index_out_of_range_is_an_error_with_its_place(bad, tmp_path):
    kind = "i32" if -(2**31) <= bad < 2**31 else "i64"
    x, at = pairs("f32", (4, 3))[0], np.array([3, 0, bad, 9], DTYPES[kind])
    source = program({"x": (x.shape, "f32"), "at": (at.shape, kind)}, ["index_select(x, at)"])
    fails(source, [x, at], tmp_path, f"index {bad} at place 2 lies outside axis 0 of extent 4")


def test_an_index_into_an_empty_axis_is_an_error(tmp_path):
    source = program({"x": (("M",), "f32"), "at": (("N",), "i64")}, ["index_select(x, at)"], DIMS)
    fails(source, [np.zeros(0, np.float32), np.zeros(1, np.int64)], tmp_path,
          "index 0 at place 0 lies outside axis 0 of extent 0")
    check(source, [np.zeros(0, np.float32), np.zeros(0, np.int64)], [("none", np.zeros(0, np.float32), 0)])


@pytest.mark.parametrize("name", ["f32", "f16", "bf16"])
def test_a_float_as_an_index_truncates_saturates_and_maps_nan_to_0(name):
    at = np.array([2.9, -0.9, np.nan, 1.0], np.float32).astype(DTYPES[name])
    x, _ = pairs("f32", (3, 4))
    cases = []
    for kind in INTS:
        cases.append((f'cast(at, dtype="{kind}")', np.array([2, 0, 0, 1], DTYPES[kind]), 0))
        cases.append((f'index_select(x, cast(at, dtype="{kind}"))', x[[2, 0, 0, 1]], 0))
    params = {"x": (x.shape, "f32"), "at": (at.shape, name)}
    check(program(params, [form for form, _, _ in cases]), [x, at], cases)


def test_an_infinity_as_an_index_is_an_error(tmp_path):
    x, at = np.zeros(4, np.float32), np.array([0, np.inf], np.float32)
    source = program({"x": ((4,), "f32"), "at": ((2,), "f32")}, ['index_select(x, cast(at, dtype="i32"))'])
    fails(source, [x, at], tmp_path, "index 2147483647 at place 1")


# ---- ArgMax, TopK ----

def rows_of(name):
    """Rows with equals, nans at each place, infinities only, and a tail past every vector width."""
    if name == "bool":
        return np.random.default_rng(1).integers(0, 2, (9, 67)).astype(bool)
    x = np.random.default_rng(2).integers(-5, 6, (80, 67)).astype(DTYPES[name])
    if name in INTS:
        x[0], x[1, 5:] = np.iinfo(DTYPES[name]).min, np.iinfo(DTYPES[name]).max
        return x
    x[0], x[1], x[2, 66], x[3] = -np.inf, np.nan, np.inf, 0
    x[3, ::2] = -0.0
    x[4, 10], x[4, 20] = np.inf, np.nan
    for k in range(67):
        x[5 + k, k] = np.nan
    return x


@pytest.mark.parametrize("name", DTYPES)
def test_argmax_takes_the_first_of_equals_and_the_first_nan(name):
    x = rows_of(name)
    wide = x.astype(np.float64)
    cases = [(f"argmax(x{axis})", np.argmax(wide, n).astype(np.int64), 0)
             for axis, n in (("", 1), (", axis=0", 0), (", axis=-2", 0))]
    cases += [("argmax(x[3:4, 0:1])", np.zeros(1, np.int64), 0),
              ("argmax(x[2])", np.argmax(wide[2]).astype(np.int64), 0),
              ("argmax(x[:, 5:40:3])", np.argmax(wide[:, 5:40:3], 1).astype(np.int64), 0),
              ("argmax(reshape(x, new_shape=(-1, 1, 67)), axis=1)", np.zeros((len(x), 67), np.int64), 0)]
    check(program({"x": (x.shape, name)}, [form for form, _, _ in cases]), [x], cases)


def ranked(x, k, axis, largest):
    """Stable: ties by lower index, nan the largest."""
    wide = np.moveaxis(x.astype(np.float64), axis, -1)
    key = np.where(np.isnan(wide), np.inf, wide)
    order = np.lexsort((key if not largest else -key, ~np.isnan(wide) if largest else np.isnan(wide)))
    at = np.moveaxis(order[..., :k], -1, axis)
    return np.take_along_axis(x, at, axis), at.astype(np.int64)


@pytest.mark.parametrize("name", DTYPES)
def test_topk_orders_ties_by_index_and_nan_first(name):
    x = rows_of(name)
    results, cases = [], []
    for k, axis, largest in ((1, -1, True), (5, 1, True), (67, -1, True), (7, 0, True), (0, 1, True),
                             (5, -1, False), (67, 1, False), (8, 0, False)):
        values, at = ranked(x, k, axis, largest)
        text = f"topk(x, k={k}, axis={axis}, largest={largest})"
        results += [f"{text}[0]", f"{text}[1]"]
        cases += [(f"{text} values", values, 0), (f"{text} indices", at, 0)]
    results += ["topk(x, 3, sorted=False)[1]", "topk(x[4], 3)[1]"]
    cases += [("unsorted", ranked(x, 3, 1, True)[1], 0), ("one row", ranked(x[4], 3, 0, True)[1], 0)]
    check(program({"x": (x.shape, name)}, results), [x], cases)


def test_topk_of_a_dimension(tmp_path):
    params = {"x": (("M", "N"), "f32"), "w": (("K",), "f32")}
    source = program(params, ["topk(x, k=K)[0]", "topk(x, k=K)[1] + 0"], DIMS + 'K = DimVar("K", 0, 64)\n')
    for shape, k in (((5, 9), 3), ((1, 2), 2), ((3, 4), 0), ((0, 4), 1)):
        x = pairs("f32", shape)[1]
        values, at = ranked(x, k, 1, True)
        check(source, [x, np.zeros(k, np.float32)], [("values", values, 0), ("indices", at, 0)])
    fails(source, [np.zeros((2, 3), np.float32), np.zeros(4, np.float32)], tmp_path,
          "k is 4, and axis 1 of x has 3 elements")


def test_argmax_of_an_empty_axis_is_an_error(tmp_path):
    source = program({"x": (("M", "N"), "f32")}, ["argmax(x)"], DIMS)
    fails(source, [np.zeros((2, 0), np.float32)], tmp_path, "argmax of an axis without elements")


# ---- ShapeOf, Rank ----

def test_shape_of_and_rank_are_run_time_extents():
    params = {"x": (("M", 4, "N"), "f16"), "s": ((), "bool")}
    for m, n in ((3, 5), (1, 0)):
        x, s = np.zeros((m, 4, n), np.float16), np.bool_(True)
        cases = [
            ("shape_of(x)", np.array([m, 4, n]), 0),
            ("rank(x)", np.int64(3), 0),
            ("shape_of(s)", np.zeros(0, np.int64), 0),
            ("rank(s)", np.int64(0), 0),
            ("shape_of(x)[2] + rank(x)", np.int64(n + 3), 0),
            ("shape_of(x) * 2", np.array([2 * m, 8, 2 * n]), 0),
            ("reshape(x, new_shape=(shape_of(x)[0] * 4, shape_of(x)[2]))", x.reshape(m * 4, n), 0),
            ("zeros(Tensor[(shape_of(x)[0],), 'i32'])", np.zeros(m, np.int32), 0),
            ("shape_of(concat(x, x, axis=0))[0]", np.int64(2 * m), 0),
        ]
        check(program(params, [form for form, _, _ in cases], DIMS), [x, s], cases)


# ---- Scalar parameters as places ----

@pytest.mark.parametrize("kind", INTS)
def test_P45_a_scalar_parameter_is_a_start(kind, tmp_path):
    x = pairs("f32", (16, 8))[0]
    params = {"x": (x.shape, "f32"), "pos": ((), kind)}
    results = ["x[pos : pos + 4]", "x[pos]", "x[pos + 2 : pos + 4, 1:3] * 2.0", "(x * 2.0)[2 * pos, pos]"]
    for pos in (0, 3, 6):
        values = [x[pos : pos + 4], x[pos], x[pos + 2 : pos + 4, 1:3] * np.float32(2),
                  (x * np.float32(2))[2 * pos, pos]]
        cases = [(f"{form} at {pos}", value, 0) for form, value in zip(results, values)]
        check(program(params, results), [x, DTYPES[kind].type(pos)], cases)
    for pos in (13, -1):
        fails(program(params, results[:1]), [x, DTYPES[kind].type(pos)], tmp_path, "axis 0 of extent 16")


@pytest.mark.parametrize("name", ["f32", "bf16", "i64"])
def test_argmax_and_topk_of_a_long_vector(name):
    x = np.random.default_rng(3).integers(-99, 100, 200003).astype(DTYPES[name])
    late = x.copy()
    late[[150000, 199999]] = np.nan if name != "i64" else 2**62
    values, at = ranked(late, 5, 0, True)
    cases = [("argmax(x)", np.argmax(x.astype(np.float64)).astype(np.int64), 0),
             ("argmax(y)", np.int64(150000), 0),
             ("topk(y, k=5)[0]", values, 0), ("topk(y, k=5)[1]", at, 0)]
    check(program({"x": (x.shape, name), "y": (x.shape, name)}, [form for form, _, _ in cases]),
          [x, late], cases)
