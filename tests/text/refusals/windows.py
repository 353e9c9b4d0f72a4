# RUN: tilefoundry check %s
# EXIT: 1
from tilefoundry import func
from tilefoundry.dsl import Tensor
from tilefoundry.dsl.tf import (
    arange,
    argmax,
    cache_update,
    index_select,
    insert_slice,
    repeat_interleave,
    stack,
    topk,
)


@func
def outside(x: Tensor[(16, 8), "f32"], t: Tensor[(4, 8), "f32"]):
    return insert_slice(x, t, (13, 0))  # ERROR: TF3100


@func
def before(x: Tensor[(16, 8), "f32"], t: Tensor[(4, 8), "f32"]):
    return insert_slice(x, t, (-1, 0))  # ERROR: TF3100


@func
def too_large(x: Tensor[(16, 8), "f32"], t: Tensor[(4, 9), "f32"], i: Tensor[(), "i32"]):
    return insert_slice(x, t, (i, 0))  # ERROR: TF3100


@func
def other_rank(x: Tensor[(16, 8), "f32"], t: Tensor[(8,), "f32"]):
    return insert_slice(x, t, (0, 0))  # ERROR: TF3100


@func
def other_dtype(x: Tensor[(16, 8), "f32"], t: Tensor[(4, 8), "f16"]):
    return insert_slice(x, t, (0, 0))  # ERROR: TF3100


@func
def one_offset(x: Tensor[(16, 8), "f32"], t: Tensor[(4, 8), "f32"]):
    return insert_slice(x, t, (0,))  # ERROR: TF3100


@func
def float_offset(x: Tensor[(16, 8), "f32"], t: Tensor[(4, 8), "f32"], i: Tensor[(), "f32"]):
    return insert_slice(x, t, (i, 0))  # ERROR: TF3100


@func
def last_row(c: Tensor[(1, 9, 2, 4), "f32"], n: Tensor[(1, 3, 2, 4), "f32"]):
    return cache_update(c, 7, 3, n)  # ERROR: TF3100


@func
def too_many(c: Tensor[(1, 9, 2, 4), "f32"], n: Tensor[(1, 3, 2, 4), "f32"], i: Tensor[(), "i32"]):
    return cache_update(c, i, 4, n)  # ERROR: TF3100


@func
def heads(c: Tensor[(1, 9, 2, 4), "f32"], n: Tensor[(1, 3, 1, 4), "f32"]):
    return cache_update(c, 0, 1, n)  # ERROR: TF3100


@func
def float_place(c: Tensor[(1, 9, 2, 4), "f32"], n: Tensor[(1, 3, 2, 4), "f32"], i: Tensor[(), "f32"]):
    return cache_update(c, i, 1, n)  # ERROR: TF3100


@func
def floats():
    return arange(Tensor[(4,), "f32"])  # ERROR: TF3100


@func
def two_axes():
    return arange(Tensor[(4, 4), "i32"])  # ERROR: TF3100


@func
def past_the_range():
    return arange(Tensor[(4,), "i32"], start=2147483645)  # ERROR: TF3100


@func
def float_index(x: Tensor[(4, 4), "f32"], i: Tensor[(3,), "f32"]):
    return index_select(x, i)  # ERROR: TF3100


@func
def no_repeats(x: Tensor[(4, 4), "f32"]):
    return repeat_interleave(x, repeats=0, axis=0)  # ERROR: TF3100


@func
def other_shapes(x: Tensor[(4, 4), "f32"], y: Tensor[(4, 3), "f32"]):
    return stack(x, y, axis=0)  # ERROR: TF3100


@func
def no_elements(x: Tensor[(4, 0), "f32"]):
    return argmax(x)  # ERROR: TF3100


@func
def too_large_k(x: Tensor[(4, 4), "f32"]):
    return topk(x, k=5)  # ERROR: TF3100
# ==== EXPECTED ====
# ---- tilefoundry check %s
# ERR| %s:19:12: error[TF3100]: Call[InsertSlice]: the window of update from 13 of size 4 lies outside axis 0 of extent 16
# ERR|  19 |     return insert_slice(x, t, (13, 0))  # ERROR: TF3100
# ERR|     |            ^~~~~~~~~~~~~~~~~~~~~~~~~~~
# ERR| hint: a window must lie within its axis
# ERR| %s:24:12: error[TF3100]: Call[InsertSlice]: the window of update from -1 of size 4 lies outside axis 0 of extent 16
# ERR|  24 |     return insert_slice(x, t, (-1, 0))  # ERROR: TF3100
# ERR|     |            ^~~~~~~~~~~~~~~~~~~~~~~~~~~
# ERR| hint: a window must lie within its axis
# ERR| %s:29:12: error[TF3100]: Call[InsertSlice]: the window of update from 0 of size 9 lies outside axis 1 of extent 8
# ERR|  29 |     return insert_slice(x, t, (i, 0))  # ERROR: TF3100
# ERR|     |            ^~~~~~~~~~~~~~~~~~~~~~~~~~
# ERR| hint: a window must lie within its axis
# ERR| %s:34:12: error[TF3100]: Call[InsertSlice]: update of shape (8,) has another rank than dst of shape (16, 8)
# ERR|  34 |     return insert_slice(x, t, (0, 0))  # ERROR: TF3100
# ERR|     |            ^~~~~~~~~~~~~~~~~~~~~~~~~~
# ERR| hint: reshape update, with an extent of 1 for each axis that it lacks
# ERR| %s:39:12: error[TF3100]: Call[InsertSlice]: dst has dtype f32 and update has dtype f16; they must have one dtype
# ERR|  39 |     return insert_slice(x, t, (0, 0))  # ERROR: TF3100
# ERR|     |            ^~~~~~~~~~~~~~~~~~~~~~~~~~
# ERR| hint: cast it first: cast(update, dtype="f32")
# ERR| %s:44:12: error[TF3100]: Call[InsertSlice]: offsets has 1 entries for a value of shape (16, 8)
# ERR|  44 |     return insert_slice(x, t, (0,))  # ERROR: TF3100
# ERR|     |            ^~~~~~~~~~~~~~~~~~~~~~~~
# ERR| hint: give one per axis of dst
# ERR| %s:49:12: error[TF3100]: Call[InsertSlice]: the offset of axis 0 is not an integer scalar
# ERR|  49 |     return insert_slice(x, t, (i, 0))  # ERROR: TF3100
# ERR|     |            ^~~~~~~~~~~~~~~~~~~~~~~~~~
# ERR| hint: an offset is a rank-0 i32 or i64
# ERR| %s:54:12: error[TF3100]: Call[CacheUpdate]: the window of new from 7 of size 3 lies outside axis 1 of extent 9
# ERR|  54 |     return cache_update(c, 7, 3, n)  # ERROR: TF3100
# ERR|     |            ^~~~~~~~~~~~~~~~~~~~~~~~
# ERR| hint: the rows must lie within the cache
# ERR| %s:59:12: error[TF3100]: Call[CacheUpdate]: s is 4, and new has 3 rows
# ERR|  59 |     return cache_update(c, i, 4, n)  # ERROR: TF3100
# ERR|     |            ^~~~~~~~~~~~~~~~~~~~~~~~
# ERR| hint: s is at most the extent of axis 1 of new
# ERR| %s:64:12: error[TF3100]: Call[CacheUpdate]: cache of shape (1, 9, 2, 4) and new of shape (1, 3, 1, 4) do not line up
# ERR|  64 |     return cache_update(c, 0, 1, n)  # ERROR: TF3100
# ERR|     |            ^~~~~~~~~~~~~~~~~~~~~~~~
# ERR| hint: cache is (B, len, heads, dim) and new (B, S, heads, dim)
# ERR| %s:69:12: error[TF3100]: Call[CacheUpdate]: cur_pos is not an integer scalar
# ERR|  69 |     return cache_update(c, i, 1, n)  # ERROR: TF3100
# ERR|     |            ^~~~~~~~~~~~~~~~~~~~~~~~
# ERR| hint: it is a Tensor[(), "i32"], a number or a dimension
# ERR| %s:74:12: error[TF3100]: Call[Arange]: arange is not defined for dtype f32
# ERR|  74 |     return arange(Tensor[(4,), "f32"])  # ERROR: TF3100
# ERR|     |            ^~~~~~~~~~~~~~~~~~~~~~~~~~~
# ERR| hint: use i64 and cast the result: cast(..., dtype="f32")
# ERR| %s:79:12: error[TF3100]: Call[Arange]: arange has rank 1, not the shape (4, 4)
# ERR|  79 |     return arange(Tensor[(4, 4), "i32"])  # ERROR: TF3100
# ERR|     |            ^~~~~~~~~~~~~~~~~~~~~~~~~~~~~
# ERR| hint: reshape the result
# ERR| %s:84:12: error[TF3100]: Call[Arange]: 4 values from 2147483645 with step 1 leave the range of i32
# ERR|  84 |     return arange(Tensor[(4,), "i32"], start=2147483645)  # ERROR: TF3100
# ERR|     |            ^~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~
# ERR| hint: use i64
# ERR| %s:89:12: error[TF3100]: Call[IndexSelect]: index has dtype f32
# ERR|  89 |     return index_select(x, i)  # ERROR: TF3100
# ERR|     |            ^~~~~~~~~~~~~~~~~~
# ERR| hint: cast it first: cast(index, dtype="i64")
# ERR| %s:94:12: error[TF3100]: Call[RepeatInterleave]: repeats is 0
# ERR|  94 |     return repeat_interleave(x, repeats=0, axis=0)  # ERROR: TF3100
# ERR|     |            ^~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~
# ERR| hint: repeat at least once
# ERR| %s:99:12: error[TF3100]: Call[Stack]: xs[0] of shape (4, 4) and xs[1] of shape (4, 3) do not stack
# ERR|  99 |     return stack(x, y, axis=0)  # ERROR: TF3100
# ERR|     |            ^~~~~~~~~~~~~~~~~~~
# ERR| hint: all shapes must be equal
# ERR| %s:104:12: error[TF3100]: Call[ArgMax]: argmax of an axis without elements
# ERR|  104 |     return argmax(x)  # ERROR: TF3100
# ERR|      |            ^~~~~~~~~
# ERR| hint: give it at least one
# ERR| %s:109:12: error[TF3100]: Call[TopK]: k is 5, and axis 1 of x has 4 elements
# ERR|  109 |     return topk(x, k=5)  # ERROR: TF3100
# ERR|      |            ^~~~~~~~~~~~
# ERR| hint: k is at most the extent of the axis
