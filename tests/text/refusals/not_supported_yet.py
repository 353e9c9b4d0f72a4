# RUN: tilefoundry check %s
# EXIT: 1
from tilefoundry import func, intrinsic
from tilefoundry.dsl import DimVar, DimVarRangePat, Tensor

S = DimVar("S", 1, 64)


@intrinsic  # ERROR: TF2113
def statement(x):
    pass


@func
def base(x: Tensor[(S,), "f32"]) -> Tensor[(S,), "f32"]:
    pass


@base.specialize(DimVarRangePat("S", 1, 4))  # ERROR: TF2101
def small(x: Tensor[(S,), "f32"]) -> Tensor[(S,), "f32"]:
    return x


@base.converter("weight")  # ERROR: TF2114
def convert(x):
    return x
