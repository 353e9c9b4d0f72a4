# RUN: tilefoundry check %s
# EXIT: 1
from tilefoundry import func
from tilefoundry.dsl import DimVar, Tensor
from tilefoundry.dsl.tf import add

S = DimVar("S", 1, 64)


@func
def body(x: Tensor[(4, 8), "f32"], m: Tensor[(4, 8), "bool"]):
    a = lambda v: v  # ERROR: TF2103
    b = [v for v in range(4) if v]  # ERROR: TF2105
    c = [v + w for v in range(4) for w in range(4)]  # ERROR: TF2105
    d = [v for v in x]  # ERROR: TF2105
    e = f"text"  # ERROR: TF2103
    f = {1, 2}  # ERROR: TF2103
    g = x if m else x  # ERROR: TF2104
    h = add(*x)  # ERROR: TF2108
    i = (j := x)  # ERROR: TF2103
    k = x & x  # ERROR: TF2071
    l = x << 1  # ERROR: TF2072
    n = x is x  # ERROR: TF2072
    o = 2 // 0  # ERROR: TF2031
    p = 2 ** 64  # ERROR: TF2032
    q = S / 2  # ERROR: TF2030
    r = S > 2  # ERROR: TF2033
    s = "a" - 1  # ERROR: TF2030
    t = 4(x)  # ERROR: TF2044
    return x, "text"  # ERROR: TF2073
