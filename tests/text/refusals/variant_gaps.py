# RUN: tilefoundry check %s
# EXIT: 1
# PROVES: P62
from tilefoundry import func, module
from tilefoundry.dsl import DimVar, DimVarRangePat, Tensor

S = DimVar("S", 1, 16)


@func
def bare(x: Tensor[(S,), "f32"]) -> Tensor[(S,), "f32"]:
    pass


@func
def calls_one_without_variants(x: Tensor[(S,), "f32"]):
    return bare(x)  # ERROR: TF3427


@module(entry="g")
class Members:
    @func
    def g(x: Tensor[(S,), "f32"]) -> Tensor[(S,), "f32"]:  # ERROR: TF3428
        pass

    @g.specialize(DimVarRangePat("S", 1, 15))
    def most(x: Tensor[(S,), "f32"]):
        return x
# ==== EXPECTED ====
# ---- tilefoundry check %s
# ERR| %s:17:12: error[TF3427]: the prototype bare has no variants
# ERR|  17 |     return bare(x)  # ERROR: TF3427
# ERR|     |            ^~~~~~~
# ERR| hint: give it a body, or add @bare.specialize(DimVarRangePat(name, lo, hi))
# ERR| %s:23:9: error[TF3428]: no variant of g has S in [15, 16)
# ERR|  23 |     def g(x: Tensor[(S,), "f32"]) -> Tensor[(S,), "f32"]:  # ERROR: TF3428
# ERR|     |         ^
# ERR| hint: S is in [1, 16), the variants' ranges are [1, 15)
