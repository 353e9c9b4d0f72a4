# RUN: tilefoundry print %s --stage tir --disable-pass tile_regions
# A product stays one op of a whole tile; the element-wise op after it has its own nest.
from tilefoundry import func
from tilefoundry.dsl import DimVar, Tensor
from tilefoundry.dsl.tf import silu

n = DimVar("n", 1, 129)


@func
def project(x: Tensor[(n, 64), "f32"], w: Tensor[(64, 96), "f32"]):
    return silu(x @ w)
# ==== EXPECTED ====
# ---- tilefoundry print %s --stage tir --disable-pass tile_regions
# OUT| from tilefoundry import module, prim_func
# OUT| from tilefoundry.dsl import DimVar, T, Tensor
# OUT| from tilefoundry.target import CpuTarget
# OUT|
# OUT| n = DimVar("n", 1, 129)
# OUT|
# OUT|
# OUT| @module(entry="project", target=CpuTarget())
# OUT| class project:
# OUT|     @prim_func(outputs=1)
# OUT|     def project(x: Tensor[(n, 64), "f32"], w: Tensor[(64, 96), "f32"], out: Tensor[(n, 96), "f32"]):
# OUT|         t = T.alloc_tensor(tensor_type=Tensor[(n, 96), "f32"])
# OUT|         T.matmul(x, w, t, accumulate=False)
# OUT|         for i in T.parallel(n):
# OUT|             for j in T.vectorized(96):
# OUT|                 t_1 = t[i, j]
# OUT|                 v = T.scalar_sigmoid(t_1)
# OUT|                 v_1 = t_1 * v
# OUT|                 out[i, j] = v_1
