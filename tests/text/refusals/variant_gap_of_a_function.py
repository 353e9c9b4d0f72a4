# RUN: tilefoundry check %s
# EXIT: 1
# PROVES: P62
from tilefoundry import func
from tilefoundry.dsl import DimVar, DimVarRangePat, Tensor

S = DimVar("S", 1, 16)


@func
def f(x: Tensor[(S,), "f32"]) -> Tensor[(S,), "f32"]:  # ERROR: TF3428
    pass


@f.specialize(DimVarRangePat("S", 8, 12))
def high(x: Tensor[(S,), "f32"]):
    return x


@f.specialize(DimVarRangePat("S", 2, 6))
def low(x: Tensor[(S,), "f32"]):
    return x
# ==== EXPECTED ====
# ---- tilefoundry check %s
# ERR| %s:11:5: error[TF3428]: no variant of f has S in [1, 2), [6, 8), [12, 16)
# ERR|  11 | def f(x: Tensor[(S,), "f32"]) -> Tensor[(S,), "f32"]:  # ERROR: TF3428
# ERR|     |     ^
# ERR| hint: S is in [1, 16), the variants' ranges are [8, 12), [2, 6)
