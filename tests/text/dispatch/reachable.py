# RUN: tilefoundry lower %s:Callers --passes hir_to_tir
# PROVES: P58 P59
# A call keeps the cases that its extent can reach: one for [4, 8), 3 and 4, two for [2, 6).
from tilefoundry import func, module
from tilefoundry.dsl import DimVar, DimVarRangePat, Tensor

S = DimVar("S", 1, 8)
T = DimVar("T", 4, 8)
U = DimVar("U", 2, 6)
V = DimVar("V", 1, 3)


@module(entry="upper")
class Callers:
    @func
    def f(x: Tensor[(S,), "f32"]) -> Tensor[(S,), "f32"]:
        pass

    @f.specialize(DimVarRangePat("S", 1, 4))
    def small(x: Tensor[(S,), "f32"]):
        return x + x

    @f.specialize(DimVarRangePat("S", 4, 8))
    def large(x: Tensor[(S,), "f32"]):
        return x * 2.0

    @func
    def upper(x: Tensor[(T,), "f32"]):
        return f(x)

    @func
    def middle(x: Tensor[(U,), "f32"]):
        return f(x * 3.0)

    @func
    def lower(x: Tensor[(V,), "f32"]):
        return f(x)

    @func
    def three(x: Tensor[(3,), "f32"]):
        return f(x)

    @func
    def four(x: Tensor[(8,), "f32"]):
        return f(x[2:6] * 2.0)
# ==== EXPECTED ====
# ---- tilefoundry lower %s:Callers --passes hir_to_tir
# OUT| from tilefoundry import module, prim_func
# OUT| from tilefoundry.dsl import DimVar, DimVarRangePat, T, Tensor
# OUT| from tilefoundry.ir.core import Constant
# OUT| from tilefoundry.target import CpuTarget
# OUT|
# OUT| S = DimVar("S", 1, 8)
# OUT| T_1 = DimVar("T", 4, 8)
# OUT| U = DimVar("U", 2, 6)
# OUT| V = DimVar("V", 1, 3)
# OUT|
# OUT|
# OUT| @module(entry="upper", target=CpuTarget())
# OUT| class Callers:
# OUT|     @prim_func(name="f$S$1_4", outputs=1)
# OUT|     def f_S_1_4(x: Tensor[(S,), "f32"], out: Tensor[(S,), "f32"]):
# OUT|         t = T.alloc_tensor(tensor_type=Tensor[(S,), "f32"])
# OUT|         for i in range(S):
# OUT|             x_1 = x[i]
# OUT|             x_2 = x[i]
# OUT|             v = x_1 + x_2
# OUT|             t[i] = v
# OUT|         T.copy(t, out)
# OUT|
# OUT|     @prim_func(name="f$S$4_8", outputs=1)
# OUT|     def f_S_4_8(x: Tensor[(S,), "f32"], out: Tensor[(S,), "f32"]):
# OUT|         t = T.alloc_tensor(tensor_type=Tensor[(S,), "f32"])
# OUT|         for i in range(S):
# OUT|             x_1 = x[i]
# OUT|             v = x_1 * Constant(2.0, "f32", "rmem")
# OUT|             t[i] = v
# OUT|         T.copy(t, out)
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
# OUT|
# OUT|     @prim_func(outputs=1)
# OUT|     def upper(x: Tensor[(T_1,), "f32"], out: Tensor[(T_1,), "f32"]):
# OUT|         t = T.alloc_tensor(tensor_type=Tensor[(T_1,), "f32"])
# OUT|         with T.dispatch("f", T.shape_of(x, 0)):
# OUT|             with T.case(DimVarRangePat("S", 4, 8)):
# OUT|                 T.call("f$S$4_8", x, t)
# OUT|             with T.fallback():
# OUT|                 T.abort("no variant of f takes this extent of x (axis 0): S is in [1, 8)")
# OUT|         T.copy(t, out)
# OUT|
# OUT|     @prim_func(outputs=1)
# OUT|     def middle(x: Tensor[(U,), "f32"], out: Tensor[(U,), "f32"]):
# OUT|         t = T.alloc_tensor(tensor_type=Tensor[(U,), "f32"])
# OUT|         for i in range(U):
# OUT|             x_1 = x[i]
# OUT|             v = x_1 * Constant(3.0, "f32", "rmem")
# OUT|             t[i] = v
# OUT|         t_1 = T.alloc_tensor(tensor_type=Tensor[(U,), "f32"])
# OUT|         with T.dispatch("f", T.shape_of(x, 0)):
# OUT|             with T.case(DimVarRangePat("S", 1, 4)):
# OUT|                 T.call("f$S$1_4", t, t_1)
# OUT|             with T.case(DimVarRangePat("S", 4, 8)):
# OUT|                 T.call("f$S$4_8", t, t_1)
# OUT|             with T.fallback():
# OUT|                 T.abort("no variant of f takes this extent of x (axis 0): S is in [1, 8)")
# OUT|         T.copy(t_1, out)
# OUT|
# OUT|     @prim_func(outputs=1)
# OUT|     def lower(x: Tensor[(V,), "f32"], out: Tensor[(V,), "f32"]):
# OUT|         t = T.alloc_tensor(tensor_type=Tensor[(V,), "f32"])
# OUT|         with T.dispatch("f", T.shape_of(x, 0)):
# OUT|             with T.case(DimVarRangePat("S", 1, 4)):
# OUT|                 T.call("f$S$1_4", x, t)
# OUT|             with T.fallback():
# OUT|                 T.abort("no variant of f takes this extent of x (axis 0): S is in [1, 8)")
# OUT|         T.copy(t, out)
# OUT|
# OUT|     @prim_func(outputs=1)
# OUT|     def three(x: Tensor[(3,), "f32"], out: Tensor[(3,), "f32"]):
# OUT|         t = T.alloc_tensor(tensor_type=Tensor[(3,), "f32"])
# OUT|         with T.dispatch("f", T.shape_of(x, 0)):
# OUT|             with T.case(DimVarRangePat("S", 1, 4)):
# OUT|                 T.call("f$S$1_4", x, t)
# OUT|             with T.fallback():
# OUT|                 T.abort("no variant of f takes this extent of x (axis 0): S is in [1, 8)")
# OUT|         T.copy(t, out)
# OUT|
# OUT|     @prim_func(outputs=1)
# OUT|     def four(x: Tensor[(8,), "f32"], out: Tensor[(4,), "f32"]):
# OUT|         t = T.tensor_view(x, 2, layout=None, shape=(4,))
# OUT|         t_1 = T.alloc_tensor(tensor_type=Tensor[(4,), "f32"])
# OUT|         for i in range(4):
# OUT|             t_3 = t[i]
# OUT|             v = t_3 * Constant(2.0, "f32", "rmem")
# OUT|             t_1[i] = v
# OUT|         t_2 = T.alloc_tensor(tensor_type=Tensor[(4,), "f32"])
# OUT|         with T.dispatch("f", T.shape_of(t_1, 0)):
# OUT|             with T.case(DimVarRangePat("S", 4, 8)):
# OUT|                 T.call("f$S$4_8", t_1, t_2)
# OUT|             with T.fallback():
# OUT|                 T.abort("no variant of f takes this extent of x (axis 0): S is in [1, 8)")
# OUT|         T.copy(t_2, out)
