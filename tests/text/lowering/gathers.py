# RUN: tilefoundry lower %s
# PROVES: P45
# Indices are checked before anything is written; a repeated axis is an index that fuses; a scalar
# parameter is an address.
from tilefoundry import func
from tilefoundry.dsl import Tensor
from tilefoundry.dsl.tf import argmax, index_select, repeat_interleave


@func
def f(
    x: Tensor[(6, 8), "f32"],
    w: Tensor[(18, 8), "f32"],
    index: Tensor[(3,), "i32"],
    i: Tensor[(), "i32"],
):
    return (
        index_select(x, index),
        repeat_interleave(x, repeats=3, axis=0) * w,
        argmax(x),
        x[i + 2 : i + 4],
    )
# ==== EXPECTED ====
# ---- tilefoundry lower %s
# OUT| from tilefoundry import module, prim_func
# OUT| from tilefoundry.dsl import T, Tensor
# OUT| from tilefoundry.ir.core import Constant, DimValue
# OUT| from tilefoundry.target import CpuTarget
# OUT|
# OUT|
# OUT| @module(entry="f", target=CpuTarget())
# OUT| class f:
# OUT|     @prim_func(outputs=4)
# OUT|     def f(x: Tensor[(6, 8), "f32"], w: Tensor[(18, 8), "f32"], index: Tensor[(3,), "i32"], i: Tensor[(), "i32"], out0: Tensor[(3, 8), "f32"], out1: Tensor[(18, 8), "f32"], out2: Tensor[(6,), "i64"], out3: Tensor[(2, 8), "f32"]):
# OUT|         t_4 = T.tensor_view(x, i + 2, 0, layout=None, shape=(2, 8))
# OUT|         t_4_1 = T.tensor_view(t_4, layout=None, shape=(16,))
# OUT|         out3_1 = T.tensor_view(out3, layout=None, shape=(16,))
# OUT|         if DimValue(i + 2) < DimValue(0):
# OUT|             T.abort("a window of x lies outside axis 0 of extent 6")
# OUT|         if DimValue(2 - i) < DimValue(0):
# OUT|             T.abort("a window of x lies outside axis 0 of extent 6")
# OUT|         for i_1 in range(3):
# OUT|             index_1 = index[i_1]
# OUT|             v = T.scalar_cast(index_1, dtype="i64")
# OUT|             v_1 = v >= Constant(0, "i64", "rmem")
# OUT|             v_2 = v < DimValue(6)
# OUT|             v_3 = v_1 and v_2
# OUT|             T.require(v_3, v, i_1, 6, message="index {} at place {} lies outside axis 0 of extent {}")
# OUT|         for i_2 in T.parallel(3):
# OUT|             index_2 = index[i_2]
# OUT|             for j in T.vectorized(8):
# OUT|                 x_1 = x[index_2, j]
# OUT|                 out0[i_2, j] = x_1
# OUT|         for i_3 in T.parallel(18):
# OUT|             for j in T.vectorized(8):
# OUT|                 x_2 = x[i_3 // 3, j]
# OUT|                 w_1 = w[i_3, j]
# OUT|                 v = x_2 * w_1
# OUT|                 out1[i_3, j] = v
# OUT|         for i_4 in T.parallel(6):
# OUT|             acc = T.alloc_tensor(tensor_type=Tensor[(), "f32", "rmem"])
# OUT|             acc[()] = Constant(float("-inf"), "f32", "rmem")
# OUT|             for j in T.vectorized(8):
# OUT|                 x_3 = x[i_4, j]
# OUT|                 acc_1 = acc[()]
# OUT|                 v = T.scalar_max(acc_1, x_3)
# OUT|                 acc[()] = v
# OUT|             acc_2 = acc[()]
# OUT|             acc_3 = T.alloc_tensor(tensor_type=Tensor[(), "i64", "rmem"])
# OUT|             acc_3[()] = Constant(8, "i64", "rmem")
# OUT|             for j in T.vectorized(8):
# OUT|                 x_4 = x[i_4, j]
# OUT|                 v = x_4 == acc_2
# OUT|                 v_4 = x_4 != x_4
# OUT|                 v_5 = v or v_4
# OUT|                 v_6 = T.select(v_5, T.scalar_cast(DimValue(j), dtype="i64"), Constant(8, "i64", "rmem"))
# OUT|                 acc_4 = acc_3[()]
# OUT|                 v_7 = T.scalar_min(acc_4, v_6)
# OUT|                 acc_3[()] = v_7
# OUT|             acc_5 = acc_3[()]
# OUT|             out2[i_4] = acc_5
# OUT|         for i_5 in T.vectorized(16):
# OUT|             t_4_2 = t_4_1[i_5]
# OUT|             out3_1[i_5] = t_4_2
