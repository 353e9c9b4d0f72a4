# RUN: tilefoundry check %s
# EXIT: 1
from tilefoundry import func
from tilefoundry.dsl import Tensor
from tilefoundry.dsl.tf import add, cast, clamp, matmul, reduce, reshape, silu, split, where


@func
def pair(x: Tensor[(4, 8), "f32"], y: Tensor[(4, 8), "f32"]):
    return x + y


@func
def body(x: Tensor[(4, 8), "f32"], i: Tensor[(4, 8), "i32"], m: Tensor[(4, 8), "bool"]):
    a = add(x)  # ERROR: TF2060
    b = clamp(x, 0.0, 1.0, 2.0)  # ERROR: TF2061
    c = reduce(x, axes=1)  # ERROR: TF2062
    d = reduce(x, axes=(1,), kind="sume")  # ERROR: TF2062
    e = cast(x, dtype="f99")  # ERROR: TF2062
    f = matmul(x, (1, 2))  # ERROR: TF2063
    g = add(x, x, kind="sub")  # ERROR: TF2064
    h = silu(x=x, x=x)  # ERROR: TF2065
    j = clamp(x, 0.0)  # ERROR: TF2066
    k = i + 0.5  # ERROR: TF2068
    l = i + 3000000000  # ERROR: TF2068
    n = add(1, 2)  # ERROR: TF2069
    o = where(m, 1.0, 2.0)  # ERROR: TF2069
    p = x + i  # ERROR: TF3100
    q = x @ x  # ERROR: TF3100
    r, s, t = split(x, axis=0, num_splits=2)  # ERROR: TF2107
    u = pair(x)  # ERROR: TF2075
    v = pair(x, y=x, z=x)  # ERROR: TF2075
    w = reshape(x, new_shape=(5, 5))  # ERROR: TF3100
    return x
# ==== EXPECTED ====
# ---- tilefoundry check %s
# ERR| %s:15:9: error[TF2060]: 'add' lacks its operand 'rhs'
# ERR|  15 |     a = add(x)  # ERROR: TF2060
# ERR|     |         ^~~~~~
# ERR| hint: it is add(lhs, rhs)
# ERR| %s:16:28: error[TF2061]: 'clamp' gets too many arguments
# ERR|  16 |     b = clamp(x, 0.0, 1.0, 2.0)  # ERROR: TF2061
# ERR|     |                            ^~~
# ERR| hint: it is clamp(x, min_val, max_val)
# ERR| %s:17:24: error[TF2062]: 'axes' of 'reduce' is a tuple of ints, not the int 1
# ERR|  17 |     c = reduce(x, axes=1)  # ERROR: TF2062
# ERR|     |                        ^
# ERR| hint: write '(n,)' for a tuple of one
# ERR| %s:18:35: error[TF2062]: 'kind' of 'reduce' is one of "mean", "sum", "abs_max", "max", not the string "sume"
# ERR|  18 |     d = reduce(x, axes=(1,), kind="sume")  # ERROR: TF2062
# ERR|     |                                   ^~~~~~
# ERR| hint: did you mean 'sum'?
# ERR| %s:19:23: error[TF2062]: 'dtype' of 'cast' is a dtype, one of f32, f16, bf16, fp8e4m3, f8e8m0, f4e2m1, i32, i64, bool, i8, u8, i4, u4, not the string "f99"
# ERR|  19 |     e = cast(x, dtype="f99")  # ERROR: TF2062
# ERR|     |                       ^~~~~
# ERR| %s:20:19: error[TF2063]: 'rhs' of 'matmul' is a tensor, not a tuple of 2 items
# ERR|  20 |     f = matmul(x, (1, 2))  # ERROR: TF2063
# ERR|     |                   ^~~~~~
# ERR| hint: it is matmul(lhs, rhs)
# ERR| %s:21:19: error[TF2064]: the name 'add' decides 'kind' already
# ERR|  21 |     g = add(x, x, kind="sub")  # ERROR: TF2064
# ERR|     |                   ^~~~
# ERR| hint: it is add(lhs, rhs)
# ERR| %s:22:19: error[TF2065]: 'silu' gets 'x' twice
# ERR|  22 |     h = silu(x=x, x=x)  # ERROR: TF2065
# ERR|     |                   ^
# ERR| hint: it is silu(x)
# ERR| %s:23:9: error[TF2066]: 'clamp' lacks its attribute 'max_val'
# ERR|  23 |     j = clamp(x, 0.0)  # ERROR: TF2066
# ERR|     |         ^~~~~~~~~~~~~
# ERR| hint: it is clamp(x, min_val, max_val)
# ERR| %s:24:13: error[TF2068]: the float 0.5 is not exact in i32
# ERR|  24 |     k = i + 0.5  # ERROR: TF2068
# ERR|     |             ^~~
# ERR| hint: write an int, or convert the operand to a float dtype first
# ERR| %s:25:13: error[TF2068]: the int 3000000000 is not exact in i32
# ERR|  25 |     l = i + 3000000000  # ERROR: TF2068
# ERR|     |             ^~~~~~~~~~
# ERR| %s:26:13: error[TF2069]: nothing beside the int 1 decides its dtype
# ERR|  26 |     n = add(1, 2)  # ERROR: TF2069
# ERR|     |             ^
# ERR| hint: a compile-time number is an operand only beside a tensor of a dtype that can hold it
# ERR| %s:27:18: error[TF2069]: nothing beside the float 1.0 decides its dtype
# ERR|  27 |     o = where(m, 1.0, 2.0)  # ERROR: TF2069
# ERR|     |                  ^~~
# ERR| hint: a compile-time number is an operand only beside a tensor of a dtype that can hold it
# ERR| %s:28:9: error[TF3100]: Call[Binary] 'p': lhs has dtype f32 and rhs has dtype i32; operands must have one dtype
# ERR|  28 |     p = x + i  # ERROR: TF3100
# ERR|     |         ^~~~~
# ERR| hint: cast one operand: cast(rhs, dtype="f32")
# ERR| %s:29:9: error[TF3100]: Call[MatMul] 'q': lhs of shape (4, 8) and rhs of shape (4, 8) do not multiply: 8 columns against 4 rows
# ERR|  29 |     q = x @ x  # ERROR: TF3100
# ERR|     |         ^~~~~
# ERR| hint: transpose the last two axes of rhs first
# ERR| %s:30:5: error[TF2107]: a value of type Tuple[Tensor[(2, 8), "f32"], Tensor[(2, 8), "f32"]] cannot be unpacked into 3 names
# ERR|  30 |     r, s, t = split(x, axis=0, num_splits=2)  # ERROR: TF2107
# ERR|     |     ^~~~~~~
# ERR| %s:31:9: error[TF2075]: 'pair' lacks its argument 'y'
# ERR|  31 |     u = pair(x)  # ERROR: TF2075
# ERR|     |         ^~~~~~~
# ERR| hint: it is pair(x, y)
# ERR| %s:32:22: error[TF2075]: 'pair' has no parameter 'z'
# ERR|  32 |     v = pair(x, y=x, z=x)  # ERROR: TF2075
# ERR|     |                      ^
# ERR| hint: it is pair(x, y)
# ERR| %s:33:9: error[TF3100]: Call[Reshape] 'w': x of shape (4, 8) has 32 elements, new_shape (5, 5) has 25
# ERR|  33 |     w = reshape(x, new_shape=(5, 5))  # ERROR: TF3100
# ERR|     |         ^~~~~~~~~~~~~~~~~~~~~~~~~~~~
# ERR| hint: element counts must be equal, symbolically too
