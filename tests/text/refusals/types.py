# RUN: tilefoundry check %s
# EXIT: 1
from tilefoundry import func
from tilefoundry.dsl import DimVar, Layout, Mesh, Tensor, Topology

gpu = Mesh((Topology("cta", 4),), Layout((4,), (1,)), ("x",))
S = DimVar("S", 4, 4)  # ERROR: TF3004
N = DimVar("N", 1)  # ERROR: TF2041
M = DimVar(8, 1, 4)  # ERROR: TF2042


@func
def signature(
    a: Tensor[(4,), "float32"],  # ERROR: TF2051
    b: Tensor[4, "f32"],  # ERROR: TF2050
    c: Tensor[("a",), "f32"],  # ERROR: TF2050
    d: Tensor[(4,), "f32", "shared"],  # ERROR: TF2052
    e: Tensor[(4,)],  # ERROR: TF2053
    f: int,  # ERROR: TF2054
    g: "Tensor[(4,), 'f32']",  # ERROR: TF2054
    h,  # ERROR: TF2056
    i: Tensor[(4,), "f32"] = 4,  # ERROR: TF2055
    j: Tensor[(4 @ gpu.x,), "f32"] = 4,  # ERROR: TF2055
    *k,  # ERROR: TF2055
):
    return a


@func
def sugar(x: Tensor[(4 @ gpu.x,), "f32"]):  # ERROR: TF2102
    return x


@func
def result(x: Tensor[(4,), "f32"]) -> Tensor[(5,), "f32"]:
    return x  # ERROR: TF2057


@func
def nothing(x: Tensor[(4,), "f32"]):  # ERROR: TF2123
    y = x
