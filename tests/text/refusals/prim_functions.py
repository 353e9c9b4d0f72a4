# RUN: tilefoundry check %s
# EXIT: 1
from tilefoundry import func, prim_func
from tilefoundry.dsl import T, Tensor
from tilefoundry.dsl.tf import add


@func
def value(x: Tensor[(4,), "f32"]):
    return x


@prim_func(outputs=1)
def kernel(x: Tensor[(4,), "f32"], y: Tensor[(4,), "f32"]):
    a = x[0:2]  # ERROR: TF2142
    b = T.copy(x, y)  # ERROR: TF2140
    T.copy(x)  # ERROR: TF2060
    c = add(x, y)  # ERROR: TF2004
    value(x)  # ERROR: TF2004
    x[0]  # ERROR: TF2133
    d = 0 < x[0] < 1  # ERROR: TF2141
    for i in (1, 2):  # ERROR: TF2145
        pass
    T.abort(4)  # ERROR: TF2143
    y[0] += 1.0  # ERROR: TF2132
    kernel2(x)  # ERROR: TF2001
    break  # ERROR: TF2134
    return x  # ERROR: TF2144
