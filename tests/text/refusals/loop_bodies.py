# PROVES: V27
# RUN: tilefoundry check %s
# EXIT: 1
from tilefoundry import func
from tilefoundry.dsl import Layout, Mesh, Tensor, Topology, tile
from tilefoundry.dsl.tf import add, reduce, zeros

cta = Mesh((Topology("cta", 4),), Layout((4,), (1,)), names=("x",))


@func
def bodies(x: Tensor[(4, 8), "f32"]):
    y = x
    for i in range(4):
        return y  # ERROR: TF2406
    for i in range(4):
        with cta as m:  # ERROR: TF2406
            y = y + x
    for i in range(4):
        y += x  # ERROR: TF2132
    for i in range(4):
        y = y + x
        break  # ERROR: TF2134
    return x


@func
def windows(x: Tensor[(4, 40), "f32"]):
    y = x[:, 0:8]
    for i in tile(40, 8):
        y = y + x[:, 40 - i]  # ERROR: TF2407
    z = x[:, 0:8]
    for i in tile(40, 8):
        z = z + x[:, 2 * i]  # ERROR: TF2407
    u = x[:, 0:8]
    for i in tile(40, 8):
        j = i + 4
        u = u + x[:, j + 4]  # ERROR: TF2408
    v = x[:, 0:8]
    for i in tile(40, 8):
        v = v + x[:, i - 1]  # ERROR: TF2408
    return x


@func
def carries_change(x: Tensor[(4, 8), "f32"]):
    y = x
    for i in range(4):
        y = reduce(y, axes=(1,), kind="sum", keepdim=False)  # ERROR: TF3100
    z = x
    for i in range(4):
        z = z > x  # ERROR: TF3100
    return x
