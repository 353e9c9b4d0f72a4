# RUN: tilefoundry lower %s --passes hir_to_tir
# A carry starts as a copy; two that swap pass one value aside; a nested loop carries on.
from tilefoundry import func
from tilefoundry.dsl import Tensor


@func
def carries(a: Tensor[(8,), "f32"], b: Tensor[(8,), "f32"], n: Tensor[(), "i64"]):
    c = a
    for i in range(1, n, 2):
        a, b = b, a
        for j in range(i, 5):
            c = c * 0.5
    return a, b, c
# ==== EXPECTED ====
# ---- tilefoundry lower %s --passes hir_to_tir
# OUT| from tilefoundry import module, prim_func
# OUT| from tilefoundry.dsl import T, Tensor
# OUT| from tilefoundry.ir.core import Constant
# OUT| from tilefoundry.target import CpuTarget
# OUT|
# OUT|
# OUT| @module(entry="carries", target=CpuTarget())
# OUT| class carries:
# OUT|     @prim_func(outputs=3)
# OUT|     def carries(a: Tensor[(8,), "f32"], b: Tensor[(8,), "f32"], n: Tensor[(), "i64"], out0: Tensor[(8,), "f32"], out1: Tensor[(8,), "f32"], out2: Tensor[(8,), "f32"]):
# OUT|         a_1 = T.alloc_tensor(tensor_type=Tensor[(8,), "f32"])
# OUT|         T.copy(a, a_1)
# OUT|         b_1 = T.alloc_tensor(tensor_type=Tensor[(8,), "f32"])
# OUT|         T.copy(b, b_1)
# OUT|         c = T.alloc_tensor(tensor_type=Tensor[(8,), "f32"])
# OUT|         T.copy(a, c)
# OUT|         for i in range(1, n, 2):
# OUT|             c_1 = T.alloc_tensor(tensor_type=Tensor[(8,), "f32"])
# OUT|             T.copy(c, c_1)
# OUT|             for j in range(i, 5):
# OUT|                 c_2 = T.alloc_tensor(tensor_type=Tensor[(8,), "f32"])
# OUT|                 for i_1 in range(8):
# OUT|                     c_1_1 = c_1[i_1]
# OUT|                     v = c_1_1 * Constant(0.5, "f32", "rmem")
# OUT|                     c_2[i_1] = v
# OUT|                 T.copy(c_2, c_1)
# OUT|             T.copy(c_1, c)
# OUT|             a_1_next = T.alloc_tensor(tensor_type=Tensor[(8,), "f32"])
# OUT|             T.copy(b_1, a_1_next)
# OUT|             T.copy(a_1, b_1)
# OUT|             T.copy(a_1_next, a_1)
# OUT|         T.copy(a_1, out0)
# OUT|         T.copy(b_1, out1)
# OUT|         T.copy(c, out2)
