# RUN: tilefoundry print %s --stage tir
# A norm over rows runs in the blocks of the product that reads it.
from tilefoundry import func, module
from tilefoundry.dsl import Tensor
from tilefoundry.dsl.tf import reduce, rsqrt
from tilefoundry.target import CpuTarget


@module(entry="head", target=CpuTarget(features="avx2,fma,f16c", threads=2))
class program:
    @func
    def head(x: Tensor[(2048, 64), "f32"], w: Tensor[(64, 64), "f32"]):
        centred = x - reduce(x, axes=(1,), kind="mean", keepdim=True)
        var = reduce(centred * centred, axes=(1,), kind="mean", keepdim=True)
        return (centred * rsqrt(var + 0.00001)) @ w
# ==== EXPECTED ====
# ---- tilefoundry print %s --stage tir
# OUT| # head: blocks out_axis0 = 512 of 2048: t, centred, t_1, var, t_2, t_3, t_4, out
# OUT| from tilefoundry import module, prim_func
# OUT| from tilefoundry.dsl import T, Tensor
# OUT| from tilefoundry.ir.core import Constant
# OUT| from tilefoundry.target import CpuTarget
# OUT|
# OUT|
# OUT| @module(entry="head", target=CpuTarget(features="avx2,fma,f16c", threads=2))
# OUT| class program:
# OUT|     @prim_func(outputs=1)
# OUT|     def head(x: Tensor[(2048, 64), "f32"], w: Tensor[(64, 64), "f32"], out: Tensor[(2048, 64), "f32"]):
# OUT|         for out_axis0 in T.parallel(0, 2048, 512):
# OUT|             t_4 = T.alloc_tensor(tensor_type=Tensor[(512, 64), "f32"])
# OUT|             out_1 = T.tensor_view(out, out_axis0, 0, layout=None, shape=(512, 64))
# OUT|             for i in range(512):
# OUT|                 centred = T.alloc_tensor(tensor_type=Tensor[(64,), "f32", "rmem"])
# OUT|                 acc = T.alloc_tensor(tensor_type=Tensor[(), "f32", "rmem"])
# OUT|                 acc_1 = T.alloc_tensor(tensor_type=Tensor[(), "f32", "rmem"])
# OUT|                 acc[()] = Constant(0.0, "f32", "rmem")
# OUT|                 for j in T.vectorized(64):
# OUT|                     x_1 = x[out_axis0 + i, j]
# OUT|                     acc_2 = acc[()]
# OUT|                     v = acc_2 + x_1
# OUT|                     acc[()] = v
# OUT|                 acc_3 = acc[()]
# OUT|                 v = acc_3 / Constant(64.0, "f32", "rmem")
# OUT|                 acc_1[()] = Constant(0.0, "f32", "rmem")
# OUT|                 for j in T.vectorized(64):
# OUT|                     x_2 = x[out_axis0 + i, j]
# OUT|                     v_1 = x_2 - v
# OUT|                     centred[j] = v_1
# OUT|                     centred_1 = centred[j]
# OUT|                     centred_2 = centred[j]
# OUT|                     v_2 = centred_1 * centred_2
# OUT|                     acc_4 = acc_1[()]
# OUT|                     v_3 = acc_4 + v_2
# OUT|                     acc_1[()] = v_3
# OUT|                 acc_5 = acc_1[()]
# OUT|                 v_4 = acc_5 / Constant(64.0, "f32", "rmem")
# OUT|                 v_5 = v_4 + Constant(1e-05, "f32", "rmem")
# OUT|                 v_6 = T.scalar_rsqrt(v_5)
# OUT|                 for j in T.vectorized(64):
# OUT|                     centred_3 = centred[j]
# OUT|                     v_7 = centred_3 * v_6
# OUT|                     t_4[i, j] = v_7
# OUT|             T.matmul(t_4, w, out_1, accumulate=False)
