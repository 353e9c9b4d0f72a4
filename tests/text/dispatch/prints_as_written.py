# RUN: tilefoundry print %s
# PROVES: I36 I37 I38 I47 I48
from tilefoundry import func
from tilefoundry.dsl import DimVar, DimVarRangePat, Tensor

S = DimVar("S", 1, 8)


@func
def f(x: Tensor[(S,), "f32"]) -> Tensor[(S,), "f32"]:
    pass


@f.specialize(DimVarRangePat("S", 4, 8))
def large_sequence(x: Tensor[(S,), "f32"]) -> Tensor[(S,), "f32"]:
    return x * 2.0


@f.specialize(DimVarRangePat("S", 1, 4))
def small_sequence(x: Tensor[(S,), "f32"]):
    return x + x
# ==== EXPECTED ====
# ---- tilefoundry print %s
# OUT| from tilefoundry import func, module
# OUT| from tilefoundry.dsl import DimVar, DimVarRangePat, Tensor
# OUT| from tilefoundry.dsl.tf import add, mul
# OUT|
# OUT| S = DimVar("S", 1, 8)
# OUT|
# OUT|
# OUT| @module(entry="f")
# OUT| class f:
# OUT|     @func
# OUT|     def f(x: Tensor[(S,), "f32"]) -> Tensor[(S,), "f32"]:
# OUT|         pass
# OUT|
# OUT|     @f.specialize(DimVarRangePat("S", 4, 8))
# OUT|     def large_sequence(x: Tensor[(S,), "f32"]) -> Tensor[(S,), "f32"]:
# OUT|         v0 = mul(x, 2.0)
# OUT|         return v0
# OUT|
# OUT|     @f.specialize(DimVarRangePat("S", 1, 4))
# OUT|     def small_sequence(x: Tensor[(S,), "f32"]) -> Tensor[(S,), "f32"]:
# OUT|         v0 = add(x, x)
# OUT|         return v0
