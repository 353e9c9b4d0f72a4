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
