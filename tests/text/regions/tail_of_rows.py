# RUN: tilefoundry print %s --stage tir
# RUN: tilefoundry print %s --stage tir --block out_axis1=50
# Rows that the block does not divide, and rows known at run time: the last block is shorter.
from tilefoundry import func, module
from tilefoundry.dsl import DimVar, Tensor
from tilefoundry.dsl.tf import silu
from tilefoundry.target import CpuTarget

n = DimVar("n", 1, 4097)


@module(entry="project", target=CpuTarget(features="avx2,fma,f16c", threads=2))
class program:
    @func
    def project(x: Tensor[(n, 64), "f32"], w: Tensor[(64, 96), "f32"]):
        return silu(x @ w)
# ==== EXPECTED ====
# ---- tilefoundry print %s --stage tir
# OUT| # project: blocks out_axis0 = 64 of n, out_axis1 = 96 of 96: t, out
# OUT| from tilefoundry import module, prim_func
# OUT| from tilefoundry.dsl import DimVar, T, Tensor
# OUT| from tilefoundry.target import CpuTarget
# OUT|
# OUT| n = DimVar("n", 1, 4097)
# OUT|
# OUT|
# OUT| @module(entry="project", target=CpuTarget(features="avx2,fma,f16c", threads=2))
# OUT| class program:
# OUT|     @prim_func(outputs=1)
# OUT|     def project(x: Tensor[(n, 64), "f32"], w: Tensor[(64, 96), "f32"], out: Tensor[(n, 96), "f32"]):
# OUT|         for out_axis0 in T.parallel(0, n, 64):
# OUT|             t = T.alloc_tensor(tensor_type=Tensor[(64, 96), "f32"])
# OUT|             x_1 = T.tensor_view(x, out_axis0, 0, layout=None, shape=(min(n - out_axis0, 64), 64))
# OUT|             t_1 = T.tensor_view(t, 0, 0, layout=None, shape=(min(n - out_axis0, 64), 96))
# OUT|             T.matmul(x_1, w, t_1, accumulate=False)
# OUT|             for i in range(min(n - out_axis0, 64)):
# OUT|                 for j in T.vectorized(96):
# OUT|                     t_2 = t[i, j]
# OUT|                     v = T.scalar_sigmoid(t_2)
# OUT|                     v_1 = t_2 * v
# OUT|                     out[out_axis0 + i, j] = v_1
# ---- tilefoundry print %s --stage tir --block out_axis1=50
# OUT| # project: blocks out_axis0 = 64 of n, out_axis1 = 50 of 96: t, out
# OUT| from tilefoundry import module, prim_func
# OUT| from tilefoundry.dsl import DimVar, T, Tensor
# OUT| from tilefoundry.target import CpuTarget
# OUT|
# OUT| n = DimVar("n", 1, 4097)
# OUT|
# OUT|
# OUT| @module(entry="project", target=CpuTarget(features="avx2,fma,f16c", threads=2))
# OUT| class program:
# OUT|     @prim_func(outputs=1)
# OUT|     def project(x: Tensor[(n, 64), "f32"], w: Tensor[(64, 96), "f32"], out: Tensor[(n, 96), "f32"]):
# OUT|         for out_axis0 in T.parallel(0, n, 64):
# OUT|             for out_axis1 in T.parallel(0, 96, 50):
# OUT|                 t = T.alloc_tensor(tensor_type=Tensor[(64, 50), "f32"])
# OUT|                 x_1 = T.tensor_view(x, out_axis0, 0, layout=None, shape=(min(n - out_axis0, 64), 64))
# OUT|                 w_1 = T.tensor_view(w, 0, out_axis1, layout=None, shape=(64, min(96 - out_axis1, 50)))
# OUT|                 t_1 = T.tensor_view(t, 0, 0, layout=None, shape=(min(n - out_axis0, 64), min(96 - out_axis1, 50)))
# OUT|                 T.matmul(x_1, w_1, t_1, accumulate=False)
# OUT|                 for i in range(min(n - out_axis0, 64)):
# OUT|                     for j in T.vectorized(min(96 - out_axis1, 50)):
# OUT|                         t_2 = t[i, j]
# OUT|                         v = T.scalar_sigmoid(t_2)
# OUT|                         v_1 = t_2 * v
# OUT|                         out[out_axis0 + i, out_axis1 + j] = v_1
