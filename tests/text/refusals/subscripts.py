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
