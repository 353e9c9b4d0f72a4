# RUN: tilefoundry print %s --stage tir
# Online softmax written as a loop over blocks of keys, with three carries: heads and rows are cut
# around the loop, and no score or carry leaves its block.
from tilefoundry import func, module
from tilefoundry.dsl import Tensor, tile
from tilefoundry.dsl.tf import exp, full_like, maximum, reduce, transpose
from tilefoundry.target import CpuTarget

heads = 4
rows = 512
width = 64
Heads = Tensor[(heads, rows, width), "f32"]


@module(entry="flash", target=CpuTarget(features="avx2,fma,f16c", threads=2))
class program:
    @func
    def flash(q: Heads, k: Heads, v: Heads) -> Heads:
        m = full_like(q[:, :, 0:1], -1e30)
        l = full_like(m, 0.0)
        o = full_like(q, 0.0)
        for j in tile(rows, 128):
            s = (q @ transpose(k[:, j], perm=(0, 2, 1))) * 0.125
            top = maximum(m, reduce(s, axes=(2,), kind="max", keepdim=True))
            p = exp(s - top)
            scale = exp(m - top)
            l = l * scale + reduce(p, axes=(2,), kind="sum", keepdim=True)
            o = o * scale + p @ v[:, j]
            m = top
        return o / l
# ==== EXPECTED ====
# ---- tilefoundry print %s --stage tir
# OUT| # flash: blocks out_axis0 = 1 of 4, out_axis1 = 256 of 512: m, l, o, loop j, out
# OUT| from tilefoundry import module, prim_func
# OUT| from tilefoundry.dsl import T, Tensor
# OUT| from tilefoundry.ir.core import Constant
# OUT| from tilefoundry.ir.types.shard import Layout
# OUT| from tilefoundry.target import CpuTarget
# OUT|
# OUT|
# OUT| @module(entry="flash", target=CpuTarget(features="avx2,fma,f16c", threads=2))
# OUT| class program:
# OUT|     @prim_func(outputs=1)
# OUT|     def flash(q: Tensor[(4, 512, 64), "f32"], k: Tensor[(4, 512, 64), "f32"], v: Tensor[(4, 512, 64), "f32"], out: Tensor[(4, 512, 64), "f32"]):
# OUT|         t = T.tensor_view(q, 0, 0, 0, layout=Layout(shape=(4, 512, 1), strides=(32768, 64, 1)), shape=(4, 512, 1))
# OUT|         for out_axis0 in T.parallel(4):
# OUT|             for out_axis1 in T.parallel(0, 512, 256):
# OUT|                 m = T.alloc_tensor(tensor_type=Tensor[(1, 256, 1), "f32"])
# OUT|                 l = T.alloc_tensor(tensor_type=Tensor[(1, 256, 1), "f32"])
# OUT|                 o = T.alloc_tensor(tensor_type=Tensor[(1, 256, 64), "f32"])
# OUT|                 for j in T.vectorized(256):
# OUT|                     m[0, j, 0] = Constant(-1e+30, "f32", "rmem")
# OUT|                 for j in T.vectorized(256):
# OUT|                     l[0, j, 0] = Constant(0.0, "f32", "rmem")
# OUT|                 for j in range(256):
# OUT|                     for k_1 in T.vectorized(64):
# OUT|                         o[0, j, k_1] = Constant(0.0, "f32", "rmem")
# OUT|                 for j in range(0, 512, 128):
# OUT|                     t_1 = T.tensor_view(k, 0, j, 0, layout=Layout(shape=(4, 128, 64), strides=(32768, 64, 1)), shape=(4, 128, 64))
# OUT|                     t_2 = T.tensor_view(t_1, layout=Layout(shape=(4, 64, 128), strides=(32768, 1, 64)), shape=(4, 64, 128))
# OUT|                     t_3 = T.alloc_tensor(tensor_type=Tensor[(1, 256, 128), "f32"])
# OUT|                     q_1 = T.tensor_view(q, out_axis0, out_axis1, 0, layout=None, shape=(1, 256, 64))
# OUT|                     t_2_1 = T.tensor_view(t_2, out_axis0, 0, 0, layout=None, shape=(1, 64, 128))
# OUT|                     p = T.alloc_tensor(tensor_type=Tensor[(1, 256, 128), "f32"])
# OUT|                     t_9 = T.alloc_tensor(tensor_type=Tensor[(1, 256, 64), "f32"])
# OUT|                     t_10 = T.tensor_view(v, 0, j, 0, layout=Layout(shape=(4, 128, 64), strides=(32768, 64, 1)), shape=(4, 128, 64))
# OUT|                     t_11 = T.alloc_tensor(tensor_type=Tensor[(1, 256, 64), "f32"])
# OUT|                     t_10_1 = T.tensor_view(t_10, out_axis0, 0, 0, layout=None, shape=(1, 128, 64))
# OUT|                     T.matmul(q_1, t_2_1, t_3, accumulate=False)
# OUT|                     for j_1 in range(256):
# OUT|                         s = T.alloc_tensor(tensor_type=Tensor[(128,), "f32", "rmem"])
# OUT|                         acc = T.alloc_tensor(tensor_type=Tensor[(), "f32", "rmem"])
# OUT|                         acc_1 = T.alloc_tensor(tensor_type=Tensor[(), "f32", "rmem"])
# OUT|                         acc[()] = Constant(float("-inf"), "f32", "rmem")
# OUT|                         for k_2 in T.vectorized(128):
# OUT|                             t_3_1 = t_3[0, j_1, k_2]
# OUT|                             v_1 = t_3_1 * Constant(0.125, "f32", "rmem")
# OUT|                             s[k_2] = v_1
# OUT|                             s_1 = s[k_2]
# OUT|                             acc_2 = acc[()]
# OUT|                             v_2 = T.scalar_max(acc_2, s_1)
# OUT|                             acc[()] = v_2
# OUT|                         acc_3 = acc[()]
# OUT|                         m_1 = m[0, j_1, 0]
# OUT|                         v_3 = T.scalar_max(m_1, acc_3)
# OUT|                         m_1_1 = m[0, j_1, 0]
# OUT|                         v_4 = m_1_1 - v_3
# OUT|                         v_5 = T.scalar_exp(v_4)
# OUT|                         l_1 = l[0, j_1, 0]
# OUT|                         v_6 = l_1 * v_5
# OUT|                         acc_1[()] = Constant(0.0, "f32", "rmem")
# OUT|                         for k_3 in T.vectorized(128):
# OUT|                             s_2 = s[k_3]
# OUT|                             v_7 = s_2 - v_3
# OUT|                             v_8 = T.scalar_exp(v_7)
# OUT|                             p[0, j_1, k_3] = v_8
# OUT|                             p_1 = p[0, j_1, k_3]
# OUT|                             acc_4 = acc_1[()]
# OUT|                             v_9 = acc_4 + p_1
# OUT|                             acc_1[()] = v_9
# OUT|                         acc_5 = acc_1[()]
# OUT|                         v_10 = v_6 + acc_5
# OUT|                         for k_4 in T.vectorized(64):
# OUT|                             o_1 = o[0, j_1, k_4]
# OUT|                             v_11 = o_1 * v_5
# OUT|                             t_9[0, j_1, k_4] = v_11
# OUT|                         l[0, j_1, 0] = v_10
# OUT|                         m[0, j_1, 0] = v_3
# OUT|                     T.matmul(p, t_10_1, t_11, accumulate=False)
# OUT|                     for j_2 in range(256):
# OUT|                         for k_5 in T.vectorized(64):
# OUT|                             t_9_1 = t_9[0, j_2, k_5]
# OUT|                             t_11_1 = t_11[0, j_2, k_5]
# OUT|                             v_12 = t_9_1 + t_11_1
# OUT|                             o[0, j_2, k_5] = v_12
# OUT|                 for j in range(256):
# OUT|                     for k_6 in T.vectorized(64):
# OUT|                         o_1 = o[0, j, k_6]
# OUT|                         l_1 = l[0, j, 0]
# OUT|                         v_13 = o_1 / l_1
# OUT|                         out[out_axis0, out_axis1 + j, k_6] = v_13
