"""Inputs that matter, and references rounded as the ops round."""

import itertools

import numpy as np
from programs import BF16, DTYPES, FLOATS, INTS

# Value equal, either sign of zero; in units of the last place.
VALUE = 1e-3
DIMS = 'M = DimVar("M", 0, 4096)\nN = DimVar("N", 0, 4096)\nK = DimVar("K", 1, 64)\n'


def wide(array):
    """Exact in the dtype that a float op computes in."""
    return array.astype(np.float32) if array.dtype in (np.float16, BF16) else array


def rounded(value, dtype):
    """A float64 or f32 reference, rounded once to f32 and once to the dtype."""
    value = np.asarray(value)
    return value.astype(np.float32).astype(dtype)


def specials(name):
    if name == "bool":
        return np.array([True, False])
    dtype = DTYPES[name]
    if name in INTS:
        least, most = np.iinfo(dtype).min, np.iinfo(dtype).max
        return np.array([least, least + 1, -8, -7, -3, -1, 0, 1, 2, 3, 7, 8, most], dtype)
    tiny = {"f32": 1e-45, "f16": 6e-8, "bf16": 1e-40}[name]
    most = {"f32": 3.4028235e38, "f16": 65504.0, "bf16": 3.3895314e38}[name]
    values = [np.nan, np.inf, -np.inf, 0.0, -0.0, 1, -1, 0.5, -7, 3, 2.5, -2.5]
    return np.array([*values, tiny, -tiny, most, -most], np.float64).astype(dtype)


def pairs(name, shape, seed=0):
    """Two arrays that hold every pair of special values as far as they go, then random ones."""
    generator = np.random.default_rng(seed)
    dtype, size = DTYPES[name], int(np.prod(shape))
    if name == "bool":
        fill = generator.integers(0, 2, (2, size)).astype(bool)
    elif name in INTS:
        fill = generator.integers(-50, 50, (2, size)).astype(dtype)
    else:
        fill = (generator.standard_normal((2, size)) * 4).astype(np.float32).astype(dtype)
    special = specials(name)
    crossed = np.array(list(itertools.product(special, special)), dtype)[:size]
    fill[0, : len(crossed)], fill[1, : len(crossed)] = crossed[:, 0], crossed[:, 1]
    return fill[0].reshape(shape), fill[1].reshape(shape)


def eighths(shape, dtype, seed=0):
    """Multiples of 1/8 (of 1 for integers), small enough that sums of them are exact."""
    drawn = np.random.default_rng(seed).integers(-8, 9, shape)
    return (drawn if dtype in (np.int32, np.int64) else drawn / 8).astype(dtype)
