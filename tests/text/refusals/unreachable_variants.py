# RUN: tilefoundry lower %s:by_arithmetic
# EXIT: 1
# RUN: tilefoundry lower %s:by_number
# EXIT: 1
# RUN: tilefoundry lower %s:f
# PROVES: P60 P61
from tilefoundry import func
from tilefoundry.dsl import DimVar, DimVarRangePat, Tensor
from tilefoundry.dsl.tf import concat

S = DimVar("S", 1, 8)
T = DimVar("T", 1, 4)


@func
def f(x: Tensor[(S,), "f32"]) -> Tensor[(S,), "f32"]:
    pass


@f.specialize(DimVarRangePat("S", 1, 4))
def small(x: Tensor[(S,), "f32"]):
    return x


@f.specialize(DimVarRangePat("S", 4, 8))
def large(x: Tensor[(S,), "f32"]):
    return x


@func
def by_arithmetic(x: Tensor[(T,), "f32"], y: Tensor[(1,), "f32"]):
    return f(concat(x, y, axis=0))


@func
def by_number(x: Tensor[(9,), "f32"]):
    return f(x)
# ==== EXPECTED ====
# ---- tilefoundry lower %s:by_arithmetic
# ERR| %s:32:12: error[TF4421]: f is called with the extent T + 1 as S, from which no variant follows
# ERR|  32 |     return f(concat(x, y, axis=0))
# ERR|     |            ^~~~~~~~~~~~~~~~~~~~~~~
# ERR| hint: the extent of an argument that picks a variant is a number or a DimVar
# ---- tilefoundry lower %s:by_number
# ERR| %s:37:12: error[TF4422]: no variant of f takes the extent 9
# ERR|  37 |     return f(x)
# ERR|     |            ^~~~
# ERR| hint: S is in [1, 8); the variants' ranges are [1, 4), [4, 8)
# ---- tilefoundry lower %s:f
# OUT| from tilefoundry import module, prim_func
# OUT| from tilefoundry.dsl import DimVar, DimVarRangePat, T, Tensor, ceildiv
# OUT| from tilefoundry.target import CpuTarget
# OUT|
# OUT| S = DimVar("S", 1, 8)
# OUT|
# OUT|
# OUT| @module(entry="f", target=CpuTarget())
# OUT| class f:
# OUT|     @prim_func(name="f$S$1_4", outputs=1)
# OUT|     def f_S_1_4(x: Tensor[(S,), "f32"], out: Tensor[(S,), "f32"]):
# OUT|         for i_block in T.parallel(ceildiv(S, 8192)):
# OUT|             for i in T.vectorized(i_block * 8192, min(S, i_block * 8192 + 8192)):
# OUT|                 x_1 = x[i]
# OUT|                 out[i] = x_1
# OUT|
# OUT|     @prim_func(name="f$S$4_8", outputs=1)
# OUT|     def f_S_4_8(x: Tensor[(S,), "f32"], out: Tensor[(S,), "f32"]):
# OUT|         for i_block in T.parallel(ceildiv(S, 8192)):
# OUT|             for i in T.vectorized(i_block * 8192, min(S, i_block * 8192 + 8192)):
# OUT|                 x_1 = x[i]
# OUT|                 out[i] = x_1
# OUT|
# OUT|     @prim_func(outputs=1)
# OUT|     def f(x: Tensor[(S,), "f32"], out: Tensor[(S,), "f32"]):
# OUT|         with T.dispatch("f", T.shape_of(x, 0)):
# OUT|             with T.case(DimVarRangePat("S", 1, 4)):
# OUT|                 T.call("f$S$1_4", x, out)
# OUT|             with T.case(DimVarRangePat("S", 4, 8)):
# OUT|                 T.call("f$S$4_8", x, out)
# OUT|             with T.fallback():
# OUT|                 T.abort("no variant of f takes this extent of x (axis 0): S is in [1, 8)")
