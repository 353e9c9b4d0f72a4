# PROVES: P43 P45
# RUN: tilefoundry lower %s --passes hir_to_tir
# A loop is a serial loop over buffers that carry; windows are views at absolute starts, without a
# multiplication by their width and without a buffer for the start; what no variable reaches stands
# before the loop.
from tilefoundry import func
from tilefoundry.dsl import Tensor, tile
from tilefoundry.dsl.tf import exp, zeros


@func
def windows(x: Tensor[(4, 96), "f32"], w: Tensor[(4, 8), "f32"], k: Tensor[(), "i64"]):
    acc = zeros(type=Tensor[(4, 8), "f32"])
    for i in tile(64, 8):
        acc = acc + x[:, i + 8] * exp(w)
    for i in range(2):
        acc = acc + x[:, i + 2 * k : i + 2 * k + 8]
    return acc, x[1:3, 2:6]
# ==== EXPECTED ====
# ---- tilefoundry lower %s --passes hir_to_tir
# OUT| from tilefoundry import module, prim_func
# OUT| from tilefoundry.dsl import T, Tensor
# OUT| from tilefoundry.ir.core import Constant, DimValue
# OUT| from tilefoundry.ir.types.shard import Layout
# OUT| from tilefoundry.target import CpuTarget
# OUT|
# OUT|
# OUT| @module(entry="windows", target=CpuTarget())
# OUT| class windows:
# OUT|     @prim_func(outputs=2)
# OUT|     def windows(x: Tensor[(4, 96), "f32"], w: Tensor[(4, 8), "f32"], k: Tensor[(), "i64"], out0: Tensor[(4, 8), "f32"], out1: Tensor[(2, 4), "f32"]):
# OUT|         acc = T.alloc_tensor(tensor_type=Tensor[(4, 8), "f32"])
# OUT|         for i in range(4):
# OUT|             for j in range(8):
# OUT|                 acc[i, j] = Constant(0.0, "f32", "rmem")
# OUT|         t = T.alloc_tensor(tensor_type=Tensor[(4, 8), "f32"])
# OUT|         for i in range(4):
# OUT|             for j in range(8):
# OUT|                 w_1 = w[i, j]
# OUT|                 v = T.scalar_exp(w_1)
# OUT|                 t[i, j] = v
# OUT|         acc_1 = T.alloc_tensor(tensor_type=Tensor[(4, 8), "f32"])
# OUT|         T.copy(acc, acc_1)
# OUT|         for i in range(0, 64, 8):
# OUT|             t_1 = T.tensor_view(x, 0, i + 8, layout=Layout(shape=(4, 8), strides=(96, 1)), shape=(4, 8))
# OUT|             t_2 = T.alloc_tensor(tensor_type=Tensor[(4, 8), "f32"])
# OUT|             for i_1 in range(4):
# OUT|                 for j in range(8):
# OUT|                     t_1_1 = t_1[i_1, j]
# OUT|                     t_5 = t[i_1, j]
# OUT|                     v = t_1_1 * t_5
# OUT|                     t_2[i_1, j] = v
# OUT|             acc_2 = T.alloc_tensor(tensor_type=Tensor[(4, 8), "f32"])
# OUT|             for i_2 in range(4):
# OUT|                 for j in range(8):
# OUT|                     acc_1_1 = acc_1[i_2, j]
# OUT|                     t_2_1 = t_2[i_2, j]
# OUT|                     v = acc_1_1 + t_2_1
# OUT|                     acc_2[i_2, j] = v
# OUT|             T.copy(acc_2, acc_1)
# OUT|         acc_3 = T.alloc_tensor(tensor_type=Tensor[(4, 8), "f32"])
# OUT|         T.copy(acc_1, acc_3)
# OUT|         for i in range(2):
# OUT|             if DimValue(k * 2 + i) < DimValue(0):
# OUT|                 T.abort("a window of x lies outside axis 1 of extent 96")
# OUT|             if DimValue(88 - k * 2 - i) < DimValue(0):
# OUT|                 T.abort("a window of x lies outside axis 1 of extent 96")
# OUT|             t_3 = T.tensor_view(x, 0, k * 2 + i, layout=Layout(shape=(4, 8), strides=(96, 1)), shape=(4, 8))
# OUT|             acc_4 = T.alloc_tensor(tensor_type=Tensor[(4, 8), "f32"])
# OUT|             for i_3 in range(4):
# OUT|                 for j in range(8):
# OUT|                     acc_3_1 = acc_3[i_3, j]
# OUT|                     t_3_1 = t_3[i_3, j]
# OUT|                     v = acc_3_1 + t_3_1
# OUT|                     acc_4[i_3, j] = v
# OUT|             T.copy(acc_4, acc_3)
# OUT|         t_4 = T.tensor_view(x, 1, 2, layout=Layout(shape=(2, 4), strides=(96, 1)), shape=(2, 4))
# OUT|         T.copy(acc_3, out0)
# OUT|         T.copy(t_4, out1)
