# RUN: tilefoundry check %s
# EXIT: 1
from tilefoundry import func
from tilefoundry.dsl import Tensor
from tilefoundry.dsl.tf import add


@func
def body(x: Tensor[(4, 8), "f32"]):
    x += x  # ERROR: TF2132
    if x:  # ERROR: TF2104
        y = x
    while x:  # ERROR: TF2131
        y = x
    for i in range(4):  # ERROR: TF2112
        y = x
    try:  # ERROR: TF2134
        y = x
    except ValueError:
        y = x
    assert x  # ERROR: TF2134
    import os  # ERROR: TF2134
    del x  # ERROR: TF2134
    async def inner():  # ERROR: TF2134
        pass
    add(x, x)  # ERROR: TF2133
    yield x  # ERROR: TF2103
    x[0] = x  # ERROR: TF2106
    z: Tensor[(4, 8), "f32"] = x  # ERROR: TF2110
    w: where(storage="smem") = x  # ERROR: TF2109
    with open("f") as f:  # ERROR: TF2001
        pass
    return  # ERROR: TF2121
    y = x  # ERROR: TF2120
