# RUN: tilefoundry print %s --stage tir
# Two products and what follows them share blocks of columns; the third product needs whole rows of
# its operand, and joining it would order its weights once for each block.
from tilefoundry import func, module
from tilefoundry.dsl import Tensor
from tilefoundry.dsl.tf import silu
from tilefoundry.target import CpuTarget


@module(entry="mlp", target=CpuTarget(features="avx2,fma,f16c", threads=2))
class program:
    @func
    def mlp(
        x: Tensor[(128, 576), "f32"],
        gate: Tensor[(576, 1536), "f32"],
        up: Tensor[(576, 1536), "f32"],
        down: Tensor[(1536, 576), "f32"],
    ):
        return (silu(x @ gate) * (x @ up)) @ down
# ==== EXPECTED ====
# ---- tilefoundry print %s --stage tir
# OUT| # mlp: blocks t_3_axis0 = 128 of 128, t_3_axis1 = 256 of 1536: t, t_1, t_2, t_3
# OUT| # mlp: out is not joined with t_3: no blocks of both are faster
# OUT| from tilefoundry import module, prim_func
# OUT| from tilefoundry.dsl import T, Tensor
# OUT| from tilefoundry.target import CpuTarget
# OUT|
# OUT|
# OUT| @module(entry="mlp", target=CpuTarget(features="avx2,fma,f16c", threads=2))
# OUT| class program:
# OUT|     @prim_func(outputs=1)
# OUT|     def mlp(x: Tensor[(128, 576), "f32"], gate: Tensor[(576, 1536), "f32"], up: Tensor[(576, 1536), "f32"], down: Tensor[(1536, 576), "f32"], out: Tensor[(128, 576), "f32"]):
# OUT|         t_3 = T.alloc_tensor(tensor_type=Tensor[(128, 1536), "f32"])
# OUT|         for t_3_axis1 in T.parallel(0, 1536, 256):
# OUT|             t = T.alloc_tensor(tensor_type=Tensor[(128, 256), "f32"])
# OUT|             t_2 = T.alloc_tensor(tensor_type=Tensor[(128, 256), "f32"])
# OUT|             gate_1 = T.tensor_view(gate, 0, t_3_axis1, layout=None, shape=(576, 256))
# OUT|             up_1 = T.tensor_view(up, 0, t_3_axis1, layout=None, shape=(576, 256))
# OUT|             T.matmul(x, gate_1, t, accumulate=False)
# OUT|             T.matmul(x, up_1, t_2, accumulate=False)
# OUT|             for i in range(128):
# OUT|                 for j in T.vectorized(256):
# OUT|                     t_1 = t[i, j]
# OUT|                     v = T.scalar_sigmoid(t_1)
# OUT|                     v_1 = t_1 * v
# OUT|                     t_2_1 = t_2[i, j]
# OUT|                     v_2 = v_1 * t_2_1
# OUT|                     t_3[i, t_3_axis1 + j] = v_2
# OUT|         T.matmul(t_3, down, out, accumulate=False)
