# Loops run along contiguous memory; long reductions are cut into parts; RUN: lines below.
# RUN: tilefoundry lower %s
from tilefoundry import func, module
from tilefoundry.dsl import Tensor
from tilefoundry.dsl.tf import reduce, transpose


@module(entry="rows")
class orders:
    @func
    def columns(x: Tensor[(1000, 300), "f32"]):
        return reduce(x, axes=(0,), keepdim=False, kind="sum")

    @func
    def turned(x: Tensor[(100, 3, 70), "f32"], y: Tensor[(70, 3, 100), "f32"]):
        return transpose(x, perm=(2, 1, 0)) + y

    @func
    def rows(x: Tensor[(1000, 300), "f32"]):
        return reduce(x, axes=(0, 1), keepdim=False, kind="max")
# ==== EXPECTED ====
# ---- tilefoundry lower %s
# OUT| from tilefoundry import module, prim_func
# OUT| from tilefoundry.dsl import T, Tensor
# OUT| from tilefoundry.ir.core import Constant
# OUT| from tilefoundry.target import CpuTarget
# OUT|
# OUT|
# OUT| @module(entry="rows", target=CpuTarget())
# OUT| class orders:
# OUT|     @prim_func(outputs=1)
# OUT|     def columns(x: Tensor[(1000, 300), "f32"], out: Tensor[(300,), "f32"]):
# OUT|         acc = T.alloc_tensor(tensor_type=Tensor[(300,), "f32", "rmem"])
# OUT|         for i in T.vectorized(300):
# OUT|             acc[i] = Constant(0.0, "f32", "rmem")
# OUT|         acc_parts = T.alloc_tensor(tensor_type=Tensor[(16, 300), "f32", "rmem"])
# OUT|         for j_part in T.parallel(16):
# OUT|             acc_1 = T.alloc_tensor(tensor_type=Tensor[(300,), "f32", "rmem"])
# OUT|             for j in T.vectorized(300):
# OUT|                 acc_1[j] = Constant(-0.0, "f32", "rmem")
# OUT|             for j in range(j_part * 63, min(j_part * 63 + 63, 1000)):
# OUT|                 for i in T.vectorized(300):
# OUT|                     x_1 = x[j, i]
# OUT|                     acc_2 = acc_1[i]
# OUT|                     v = acc_2 + x_1
# OUT|                     acc_1[i] = v
# OUT|             for j in T.vectorized(300):
# OUT|                 acc_3 = acc_1[j]
# OUT|                 acc_parts[j_part, j] = acc_3
# OUT|         for part in range(16):
# OUT|             for j in T.vectorized(300):
# OUT|                 acc_4 = acc[j]
# OUT|                 acc_parts_1 = acc_parts[part, j]
# OUT|                 v = acc_4 + acc_parts_1
# OUT|                 acc[j] = v
# OUT|         for i in T.vectorized(300):
# OUT|             acc_5 = acc[i]
# OUT|             out[i] = acc_5
# OUT|
# OUT|     @prim_func(outputs=1)
# OUT|     def turned(x: Tensor[(100, 3, 70), "f32"], y: Tensor[(70, 3, 100), "f32"], out: Tensor[(70, 3, 100), "f32"]):
# OUT|         for j in T.parallel(3):
# OUT|             for i_block in range(2):
# OUT|                 for k_block in range(2):
# OUT|                     x_tile = T.alloc_tensor(tensor_type=Tensor[(64, 64), "f32", "rmem"])
# OUT|                     for i in range(i_block * 64, min(i_block * 64 + 64, 70)):
# OUT|                         for k in T.vectorized(k_block * 64, min(k_block * 64 + 64, 100)):
# OUT|                             x_1 = x[k, j, i]
# OUT|                             x_tile[i - i_block * 64, k - k_block * 64] = x_1
# OUT|                     for i in range(i_block * 64, min(i_block * 64 + 64, 70)):
# OUT|                         for k in T.vectorized(k_block * 64, min(k_block * 64 + 64, 100)):
# OUT|                             x_2 = x_tile[i - i_block * 64, k - k_block * 64]
# OUT|                             y_1 = y[i, j, k]
# OUT|                             v = x_2 + y_1
# OUT|                             out[i, j, k] = v
# OUT|
# OUT|     @prim_func(outputs=1)
# OUT|     def rows(x: Tensor[(1000, 300), "f32"], out: Tensor[(), "f32"]):
# OUT|         acc = T.alloc_tensor(tensor_type=Tensor[(), "f32", "rmem"])
# OUT|         acc[()] = Constant(float("-inf"), "f32", "rmem")
# OUT|         acc_parts = T.alloc_tensor(tensor_type=Tensor[(16,), "f32", "rmem"])
# OUT|         for i_part in T.parallel(16):
# OUT|             acc_1 = T.alloc_tensor(tensor_type=Tensor[(), "f32", "rmem"])
# OUT|             acc_1[()] = Constant(float("-inf"), "f32", "rmem")
# OUT|             for i in range(i_part * 63, min(i_part * 63 + 63, 1000)):
# OUT|                 for j in T.vectorized(300):
# OUT|                     x_1 = x[i, j]
# OUT|                     acc_2 = acc_1[()]
# OUT|                     v = T.scalar_max(acc_2, x_1)
# OUT|                     acc_1[()] = v
# OUT|             acc_3 = acc_1[()]
# OUT|             acc_parts[i_part] = acc_3
# OUT|         for part in T.vectorized(16):
# OUT|             acc_4 = acc[()]
# OUT|             acc_parts_1 = acc_parts[part]
# OUT|             v = T.scalar_max(acc_4, acc_parts_1)
# OUT|             acc[()] = v
# OUT|         acc_5 = acc[()]
# OUT|         out[()] = acc_5
