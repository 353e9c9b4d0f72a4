# RUN: tilefoundry check %s
# RUN: tilefoundry lower %s --passes hir_to_tir
# PROVES: P34
# TIR as `lower` prints it loads; a prim function passes through hir_to_tir as it is.
from tilefoundry import module, prim_func
from tilefoundry.dsl import T, Tensor
from tilefoundry.ir.core import Constant
from tilefoundry.target import CpuTarget


@module(entry="scaled", target=CpuTarget())
class scaled:
    @prim_func(outputs=1)
    def scaled(x: Tensor[(4, 8), "f32"], out: Tensor[(4, 8), "f32"]):
        for i in T.parallel(4):
            for j in T.vectorized(8):
                x_1 = x[i, j]
                out[i, j] = x_1 * Constant(2.0, "f32", "rmem")
# ==== EXPECTED ====
# ---- tilefoundry check %s
# OUT| %s: ok: Module scaled (1 module, 1 function, 0 calls)
# ---- tilefoundry lower %s --passes hir_to_tir
# OUT| from tilefoundry import module, prim_func
# OUT| from tilefoundry.dsl import T, Tensor
# OUT| from tilefoundry.ir.core import Constant
# OUT| from tilefoundry.target import CpuTarget
# OUT|
# OUT|
# OUT| @module(entry="scaled", target=CpuTarget())
# OUT| class scaled:
# OUT|     @prim_func(outputs=1)
# OUT|     def scaled(x: Tensor[(4, 8), "f32"], out: Tensor[(4, 8), "f32"]):
# OUT|         for i in T.parallel(4):
# OUT|             for j in T.vectorized(8):
# OUT|                 x_1 = x[i, j]
# OUT|                 out[i, j] = x_1 * Constant(2.0, "f32", "rmem")
