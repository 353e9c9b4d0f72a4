# RUN: tilefoundry lower %s:f --passes hir_to_tir
# PROVES: P53 P54 P55 P56 P57
# The variants keep the order of the file and the whole envelope; the entry is one DispatchCall.
from tilefoundry import func
from tilefoundry.dsl import DimVar, DimVarRangePat, Tensor

S = DimVar("S", 1, 8)
N = DimVar("N", 1, 64)


@func
def f(y: Tensor[(N,), "f32"], x: Tensor[(N, S), "f32"], z: Tensor[(S,), "f32"]) -> Tensor[(N, S), "f32"]:
    pass


@f.specialize(DimVarRangePat("S", 4, 8))
def large(y: Tensor[(N,), "f32"], x: Tensor[(N, S), "f32"], z: Tensor[(S,), "f32"]):
    return x * z


@f.specialize(DimVarRangePat("S", 1, 4))
def small(y: Tensor[(N,), "f32"], x: Tensor[(N, S), "f32"], z: Tensor[(S,), "f32"]):
    return z + x
# ==== EXPECTED ====
# ---- tilefoundry lower %s:f --passes hir_to_tir
# OUT| from tilefoundry import module, prim_func
# OUT| from tilefoundry.dsl import DimVar, DimVarRangePat, T, Tensor
# OUT| from tilefoundry.target import CpuTarget
# OUT|
# OUT| N = DimVar("N", 1, 64)
# OUT| S = DimVar("S", 1, 8)
# OUT|
# OUT|
# OUT| @module(entry="f", target=CpuTarget())
# OUT| class f:
# OUT|     @prim_func(name="f$S$4_8", outputs=1)
# OUT|     def f_S_4_8(y: Tensor[(N,), "f32"], x: Tensor[(N, S), "f32"], z: Tensor[(S,), "f32"], out: Tensor[(N, S), "f32"]):
# OUT|         t = T.alloc_tensor(tensor_type=Tensor[(N, S), "f32"])
# OUT|         for i in range(N):
# OUT|             for j in range(S):
# OUT|                 x_1 = x[i, j]
# OUT|                 z_1 = z[j]
# OUT|                 v = x_1 * z_1
# OUT|                 t[i, j] = v
# OUT|         T.copy(t, out)
# OUT|
# OUT|     @prim_func(name="f$S$1_4", outputs=1)
# OUT|     def f_S_1_4(y: Tensor[(N,), "f32"], x: Tensor[(N, S), "f32"], z: Tensor[(S,), "f32"], out: Tensor[(N, S), "f32"]):
# OUT|         t = T.alloc_tensor(tensor_type=Tensor[(N, S), "f32"])
# OUT|         for i in range(N):
# OUT|             for j in range(S):
# OUT|                 z_1 = z[j]
# OUT|                 x_1 = x[i, j]
# OUT|                 v = z_1 + x_1
# OUT|                 t[i, j] = v
# OUT|         T.copy(t, out)
# OUT|
# OUT|     @prim_func(outputs=1)
# OUT|     def f(y: Tensor[(N,), "f32"], x: Tensor[(N, S), "f32"], z: Tensor[(S,), "f32"], out: Tensor[(N, S), "f32"]):
# OUT|         with T.dispatch("f", T.shape_of(x, 1)):
# OUT|             with T.case(DimVarRangePat("S", 4, 8)):
# OUT|                 T.call("f$S$4_8", y, x, z, out)
# OUT|             with T.case(DimVarRangePat("S", 1, 4)):
# OUT|                 T.call("f$S$1_4", y, x, z, out)
# OUT|             with T.fallback():
# OUT|                 T.abort("no variant of f takes this extent of x (axis 1): S is in [1, 8)")
