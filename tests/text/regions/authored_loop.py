# RUN: tilefoundry print %s --stage tir
# A serial loop over blocks of keys with three carries: heads and rows are cut around it, so every
# block runs the whole loop on scores and carries of its own.
from tilefoundry import module, prim_func
from tilefoundry.dsl import T, Tensor
from tilefoundry.ir.core import Constant
from tilefoundry.target import CpuTarget

Heads = Tensor[(4, 256, 64), "f32"]


@module(entry="flash", target=CpuTarget(features="avx2,fma,f16c", threads=2))
class program:
    @prim_func(outputs=1)
    def flash(q: Heads, kt: Tensor[(4, 64, 256), "f32"], v: Heads, out: Heads):
        m = T.alloc_tensor(tensor_type=Tensor[(4, 256, 1), "f32"])
        l = T.alloc_tensor(tensor_type=Tensor[(4, 256, 1), "f32"])
        o = T.alloc_tensor(tensor_type=Tensor[(4, 256, 64), "f32"])
        for h in range(4):
            for i in range(256):
                m[h, i, 0] = float("-inf")
        for h in range(4):
            for i in range(256):
                l[h, i, 0] = 0.0
        for h in range(4):
            for i in range(256):
                for d in range(64):
                    o[h, i, d] = 0.0
        for j in range(0, 256, 64):
            keys = T.tensor_view(kt, 0, 0, j, layout=None, shape=(4, 64, 64))
            values = T.tensor_view(v, 0, j, 0, layout=None, shape=(4, 64, 64))
            s = T.alloc_tensor(tensor_type=Tensor[(4, 256, 64), "f32"])
            T.matmul(q, keys, s, accumulate=False)
            top = T.alloc_tensor(tensor_type=Tensor[(4, 256, 1), "f32"])
            for h in range(4):
                for i in range(256):
                    acc = T.alloc_tensor(tensor_type=Tensor[(), "f32", "rmem"])
                    acc[()] = m[h, i, 0]
                    for c in range(64):
                        acc[()] = T.scalar_max(acc[()], s[h, i, c])
                    top[h, i, 0] = acc[()]
            p = T.alloc_tensor(tensor_type=Tensor[(4, 256, 64), "f32"])
            for h in range(4):
                for i in range(256):
                    for c in range(64):
                        p[h, i, c] = T.scalar_exp(s[h, i, c] - top[h, i, 0])
            for h in range(4):
                for i in range(256):
                    acc = T.alloc_tensor(tensor_type=Tensor[(), "f32", "rmem"])
                    acc[()] = l[h, i, 0] * T.scalar_exp(m[h, i, 0] - top[h, i, 0])
                    for c in range(64):
                        acc[()] = acc[()] + p[h, i, c]
                    l[h, i, 0] = acc[()]
            pv = T.alloc_tensor(tensor_type=Tensor[(4, 256, 64), "f32"])
            T.matmul(p, values, pv, accumulate=False)
            for h in range(4):
                for i in range(256):
                    for d in range(64):
                        o[h, i, d] = o[h, i, d] * T.scalar_exp(m[h, i, 0] - top[h, i, 0]) + pv[h, i, d]
            for h in range(4):
                for i in range(256):
                    m[h, i, 0] = top[h, i, 0]
        for h in range(4):
            for i in range(256):
                for d in range(64):
                    out[h, i, d] = o[h, i, d] / l[h, i, 0]
# ==== EXPECTED ====
# ---- tilefoundry print %s --stage tir
# OUT| # flash: blocks out_axis0 = 1 of 4, out_axis1 = 256 of 256: m, l, o, loop j, out
# OUT| from tilefoundry import module, prim_func
# OUT| from tilefoundry.dsl import T, Tensor
# OUT| from tilefoundry.target import CpuTarget
# OUT|
# OUT|
# OUT| @module(entry="flash", target=CpuTarget(features="avx2,fma,f16c", threads=2))
# OUT| class program:
# OUT|     @prim_func(outputs=1)
# OUT|     def flash(q: Tensor[(4, 256, 64), "f32"], kt: Tensor[(4, 64, 256), "f32"], v: Tensor[(4, 256, 64), "f32"], out: Tensor[(4, 256, 64), "f32"]):
# OUT|         for out_axis0 in T.parallel(4):
# OUT|             m = T.alloc_tensor(tensor_type=Tensor[(1, 256, 1), "f32"])
# OUT|             l = T.alloc_tensor(tensor_type=Tensor[(1, 256, 1), "f32"])
# OUT|             o = T.alloc_tensor(tensor_type=Tensor[(1, 256, 64), "f32"])
# OUT|             for i in T.vectorized(256):
# OUT|                 m[0, i, 0] = float("-inf")
# OUT|             for i in T.vectorized(256):
# OUT|                 l[0, i, 0] = 0.0
# OUT|             for i in range(256):
# OUT|                 for d in T.vectorized(64):
# OUT|                     o[0, i, d] = 0.0
# OUT|             for j in range(0, 256, 64):
# OUT|                 keys = T.tensor_view(kt, 0, 0, j, layout=None, shape=(4, 64, 64))
# OUT|                 values = T.tensor_view(v, 0, j, 0, layout=None, shape=(4, 64, 64))
# OUT|                 s = T.alloc_tensor(tensor_type=Tensor[(1, 256, 64), "f32"])
# OUT|                 q_1 = T.tensor_view(q, out_axis0, 0, 0, layout=None, shape=(1, 256, 64))
# OUT|                 keys_1 = T.tensor_view(keys, out_axis0, 0, 0, layout=None, shape=(1, 64, 64))
# OUT|                 top = T.alloc_tensor(tensor_type=Tensor[(1, 256, 1), "f32"])
# OUT|                 p = T.alloc_tensor(tensor_type=Tensor[(1, 256, 64), "f32"])
# OUT|                 pv = T.alloc_tensor(tensor_type=Tensor[(1, 256, 64), "f32"])
# OUT|                 values_1 = T.tensor_view(values, out_axis0, 0, 0, layout=None, shape=(1, 64, 64))
# OUT|                 T.matmul(q_1, keys_1, s, accumulate=False)
# OUT|                 for i in range(256):
# OUT|                     acc = T.alloc_tensor(tensor_type=Tensor[(), "f32", "rmem"])
# OUT|                     acc_1 = T.alloc_tensor(tensor_type=Tensor[(), "f32", "rmem"])
# OUT|                     acc[()] = m[0, i, 0]
# OUT|                     for c in range(64):
# OUT|                         acc[()] = T.scalar_max(acc[()], s[0, i, c])
# OUT|                     top[0, i, 0] = acc[()]
# OUT|                     acc_1[()] = l[0, i, 0] * T.scalar_exp(m[0, i, 0] - top[0, i, 0])
# OUT|                     for c in range(64):
# OUT|                         p[0, i, c] = T.scalar_exp(s[0, i, c] - top[0, i, 0])
# OUT|                         acc_1[()] = acc_1[()] + p[0, i, c]
# OUT|                     l[0, i, 0] = acc_1[()]
# OUT|                 T.matmul(p, values_1, pv, accumulate=False)
# OUT|                 for i in range(256):
# OUT|                     for d in T.vectorized(64):
# OUT|                         o[0, i, d] = o[0, i, d] * T.scalar_exp(m[0, i, 0] - top[0, i, 0]) + pv[0, i, d]
# OUT|                 for i in T.vectorized(256):
# OUT|                     m[0, i, 0] = top[0, i, 0]
# OUT|             for i in range(256):
# OUT|                 for d in T.vectorized(64):
# OUT|                     out[out_axis0, i, d] = o[0, i, d] / l[0, i, 0]
