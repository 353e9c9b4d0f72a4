# RUN: tilefoundry print %s --stage tir
# An element-wise chain of 16-bit values is one nest; each op keeps its own rounding.
from tilefoundry import func
from tilefoundry.dsl import Tensor
from tilefoundry.dsl.tf import exp


@func
def chain(x: Tensor[(4, 33), "bf16"], y: Tensor[(33,), "bf16"]):
    return exp(x * y + x) / 3.0
# ==== EXPECTED ====
# ---- tilefoundry print %s --stage tir
# OUT| from tilefoundry import module, prim_func
# OUT| from tilefoundry.dsl import T, Tensor
# OUT| from tilefoundry.ir.core import Constant
# OUT| from tilefoundry.target import CpuTarget
# OUT|
# OUT|
# OUT| @module(entry="chain", target=CpuTarget())
# OUT| class chain:
# OUT|     @prim_func(outputs=1)
# OUT|     def chain(x: Tensor[(4, 33), "bf16"], y: Tensor[(33,), "bf16"], out: Tensor[(4, 33), "bf16"]):
# OUT|         for i in T.parallel(4):
# OUT|             for j in T.vectorized(33):
# OUT|                 x_1 = x[i, j]
# OUT|                 y_1 = y[j]
# OUT|                 v = x_1 * y_1
# OUT|                 x_2 = x[i, j]
# OUT|                 v_1 = v + x_2
# OUT|                 v_2 = T.scalar_exp(v_1)
# OUT|                 v_3 = v_2 / Constant(3.0, "bf16", "rmem")
# OUT|                 out[i, j] = v_3
