# RUN: tilefoundry print %s --stage tir
# Attention written as products and a softmax runs block by block: no score leaves its block.
from tilefoundry import module, func
from tilefoundry.dsl import Tensor
from tilefoundry.dsl.tf import exp, reduce, transpose
from tilefoundry.target import CpuTarget

heads = 4
rows = 256
width = 32
Heads = Tensor[(heads, rows, width), "f32"]


@module(entry="attention", target=CpuTarget(features="avx2,fma,f16c", threads=2))
class program:
    @func
    def attention(q: Heads, k: Heads, v: Heads) -> Heads:
        s = (q @ transpose(k, perm=(0, 2, 1))) * 0.125
        m = reduce(s, axes=(2,), kind="max", keepdim=True)
        p = exp(s - m)
        l = reduce(p, axes=(2,), kind="sum", keepdim=True)
        return (p / l) @ v
# ==== EXPECTED ====
# ---- tilefoundry print %s --stage tir
# OUT| # attention: blocks out_axis0 = 1 of 4, out_axis1 = 256 of 256: t_1, s, m, t_2, p, l, t_3, out
# OUT| from tilefoundry import module, prim_func
# OUT| from tilefoundry.dsl import T, Tensor
# OUT| from tilefoundry.ir.core import Constant
# OUT| from tilefoundry.ir.types.shard import Layout
# OUT| from tilefoundry.target import CpuTarget
# OUT|
# OUT|
# OUT| @module(entry="attention", target=CpuTarget(features="avx2,fma,f16c", threads=2))
# OUT| class program:
# OUT|     @prim_func(outputs=1)
# OUT|     def attention(q: Tensor[(4, 256, 32), "f32"], k: Tensor[(4, 256, 32), "f32"], v: Tensor[(4, 256, 32), "f32"], out: Tensor[(4, 256, 32), "f32"]):
# OUT|         t = T.tensor_view(k, layout=Layout(shape=(4, 32, 256), strides=(8192, 1, 32)), shape=(4, 32, 256))
# OUT|         for out_axis0 in T.parallel(4):
# OUT|             t_1 = T.alloc_tensor(tensor_type=Tensor[(1, 256, 256), "f32"])
# OUT|             t_3 = T.alloc_tensor(tensor_type=Tensor[(1, 256, 256), "f32"])
# OUT|             q_1 = T.tensor_view(q, out_axis0, 0, 0, layout=None, shape=(1, 256, 32))
# OUT|             t_2 = T.tensor_view(t, out_axis0, 0, 0, layout=None, shape=(1, 32, 256))
# OUT|             v_1 = T.tensor_view(v, out_axis0, 0, 0, layout=None, shape=(1, 256, 32))
# OUT|             out_1 = T.tensor_view(out, out_axis0, 0, 0, layout=None, shape=(1, 256, 32))
# OUT|             T.matmul(q_1, t_2, t_1, accumulate=False)
# OUT|             for j in range(256):
# OUT|                 s = T.alloc_tensor(tensor_type=Tensor[(256,), "f32", "rmem"])
# OUT|                 p = T.alloc_tensor(tensor_type=Tensor[(256,), "f32", "rmem"])
# OUT|                 acc = T.alloc_tensor(tensor_type=Tensor[(), "f32", "rmem"])
# OUT|                 acc_1 = T.alloc_tensor(tensor_type=Tensor[(), "f32", "rmem"])
# OUT|                 acc[()] = Constant(float("-inf"), "f32", "rmem")
# OUT|                 for k_1 in T.vectorized(256):
# OUT|                     t_1_1 = t_1[0, j, k_1]
# OUT|                     v_2 = t_1_1 * Constant(0.125, "f32", "rmem")
# OUT|                     s[k_1] = v_2
# OUT|                     s_1 = s[k_1]
# OUT|                     acc_2 = acc[()]
# OUT|                     v_3 = T.scalar_max(acc_2, s_1)
# OUT|                     acc[()] = v_3
# OUT|                 acc_3 = acc[()]
# OUT|                 acc_1[()] = Constant(0.0, "f32", "rmem")
# OUT|                 for k_2 in T.vectorized(256):
# OUT|                     s_2 = s[k_2]
# OUT|                     v_4 = s_2 - acc_3
# OUT|                     v_5 = T.scalar_exp(v_4)
# OUT|                     p[k_2] = v_5
# OUT|                     p_1 = p[k_2]
# OUT|                     acc_4 = acc_1[()]
# OUT|                     v_6 = acc_4 + p_1
# OUT|                     acc_1[()] = v_6
# OUT|                 acc_5 = acc_1[()]
# OUT|                 for k_3 in T.vectorized(256):
# OUT|                     p_2 = p[k_3]
# OUT|                     v_7 = p_2 / acc_5
# OUT|                     t_3[0, j, k_3] = v_7
# OUT|             T.matmul(t_3, v_1, out_1, accumulate=False)
