# RUN: tilefoundry check %s
# EXIT: 1
from tilefoundry import func
from tilefoundry.dsl import DimVar, Tensor

S = DimVar("S", 1, 64)


@func
def body(x: Tensor[(4, 8), "f32"], s: Tensor[(S,), "f32"], n: Tensor[(), "i64"]):
    a = x[4]  # ERROR: TF2048
    b = x[0, 0, 0]  # ERROR: TF2048
    c = x[2:1]  # ERROR: TF2048
    d = x[0:9]  # ERROR: TF2048
    e = x[::-1]  # ERROR: TF2048
    f = x[None]  # ERROR: TF2111
    g = x[..., ...]  # ERROR: TF2048
    h = s[-1]  # ERROR: TF2048
    i = x[0.5]  # ERROR: TF2048
    j = x[n * n:]
    k = x[j]  # ERROR: TF2048
    l = (1, 2)[2]  # ERROR: TF2047
    m = 4[0]  # ERROR: TF2047
    o = n + 1
    p = x[o:]  # ERROR: TF2049
    return x
# ==== EXPECTED ====
# ---- tilefoundry check %s
# ERR| %s:11:11: error[TF2048]: index 4 is outside of axis 0, which has 4 elements
# ERR|  11 |     a = x[4]  # ERROR: TF2048
# ERR|     |           ^
# ERR| %s:12:17: error[TF2048]: a value of rank 2 has no axis 2
# ERR|  12 |     b = x[0, 0, 0]  # ERROR: TF2048
# ERR|     |                 ^
# ERR| hint: it has the type Tensor[(4, 8), "f32"]
# ERR| %s:13:11: error[TF2048]: this slice of axis 0 ends before it starts
# ERR|  13 |     c = x[2:1]  # ERROR: TF2048
# ERR|     |           ^~~
# ERR| %s:14:13: error[TF2048]: the bound 9 is outside of an axis of 4
# ERR|  14 |     d = x[0:9]  # ERROR: TF2048
# ERR|     |             ^
# ERR| %s:15:13: error[TF2048]: the step of a slice is a compile-time int from 1, not the int -1
# ERR|  15 |     e = x[::-1]  # ERROR: TF2048
# ERR|     |             ^~
# ERR| %s:16:11: error[TF2111]: None adds no axis here
# ERR|  16 |     f = x[None]  # ERROR: TF2111
# ERR|     |           ^~~~
# ERR| hint: give the value its new shape with a function of the namespace tf
# ERR| %s:17:16: error[TF2048]: '...' stands once in a subscript
# ERR|  17 |     g = x[..., ...]  # ERROR: TF2048
# ERR|     |                ^~~
# ERR| %s:18:11: error[TF2048]: a negative index counts from a static extent, not from S
# ERR|  18 |     h = s[-1]  # ERROR: TF2048
# ERR|     |           ^~
# ERR| hint: write S - 1
# ERR| %s:19:11: error[TF2048]: an index is an int, a dimension, an integer scalar or a slice, not the float 0.5
# ERR|  19 |     i = x[0.5]  # ERROR: TF2048
# ERR|     |           ^~~
# ERR| %s:21:11: error[TF2048]: an index is an int, a dimension, an integer scalar or a slice, not a value of type Tensor[(4 - n * n, 8), "f32"]
# ERR|  21 |     k = x[j]  # ERROR: TF2048
# ERR|     |           ^
# ERR| %s:22:16: error[TF2047]: index 2 is outside of a sequence of 2
# ERR|  22 |     l = (1, 2)[2]  # ERROR: TF2047
# ERR|     |                ^
# ERR| %s:23:9: error[TF2047]: the int 4 has no items
# ERR|  23 |     m = 4[0]  # ERROR: TF2047
# ERR|     |         ^~~~
# ERR| %s:25:11: error[TF2049]: how many elements this slice has is not known at compile time
# ERR|  25 |     p = x[o:]  # ERROR: TF2049
# ERR|     |           ^~
# ERR| hint: write 'start:start + K' with a K that is
