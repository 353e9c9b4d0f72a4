# RUN: tilefoundry print %s --stage tir
# add + rms_norm + mul is one loop nest: `y` and `acc` are of one row and live in registers, no
# tensor-sized buffer is left.
from tilefoundry import func
from tilefoundry.dsl import ConstTensor, DimVar, Tensor
from tilefoundry.dsl.tf import rms_norm

rows = DimVar("rows", 1, 4097)


@func
def add_rms_norm(
    x: Tensor[(rows, 512), "f32"],
    residual: Tensor[(rows, 512), "f32"],
    weight: ConstTensor[(512,), "f32"],
    gain: Tensor[(rows, 512), "f32"],
) -> Tensor[(rows, 512), "f32"]:
    y = x + residual
    return rms_norm(y, weight, eps=1e-5) * gain
# ==== EXPECTED ====
# ---- tilefoundry print %s --stage tir
# OUT| from tilefoundry import module, prim_func
# OUT| from tilefoundry.dsl import ConstTensor, DimVar, T, Tensor
# OUT| from tilefoundry.ir.core import Constant
# OUT| from tilefoundry.target import CpuTarget
# OUT|
# OUT| rows = DimVar("rows", 1, 4097)
# OUT|
# OUT|
# OUT| @module(entry="add_rms_norm", target=CpuTarget())
# OUT| class add_rms_norm:
# OUT|     @prim_func(outputs=1)
# OUT|     def add_rms_norm(x: Tensor[(rows, 512), "f32"], residual: Tensor[(rows, 512), "f32"], weight: ConstTensor[(512,), "f32"], gain: Tensor[(rows, 512), "f32"], out: Tensor[(rows, 512), "f32"]):
# OUT|         for i in T.parallel(rows):
# OUT|             y = T.alloc_tensor(tensor_type=Tensor[(512,), "f32", "rmem"])
# OUT|             acc = T.alloc_tensor(tensor_type=Tensor[(), "f32", "rmem"])
# OUT|             acc[()] = Constant(0.0, "f32", "rmem")
# OUT|             for j in T.vectorized(512):
# OUT|                 x_1 = x[i, j]
# OUT|                 residual_1 = residual[i, j]
# OUT|                 v = x_1 + residual_1
# OUT|                 y[j] = v
# OUT|                 y_1 = y[j]
# OUT|                 v_1 = y_1 * y_1
# OUT|                 acc_1 = acc[()]
# OUT|                 v_2 = acc_1 + v_1
# OUT|                 acc[()] = v_2
# OUT|             acc_2 = acc[()]
# OUT|             v = acc_2 / Constant(512.0, "f32", "rmem")
# OUT|             v_3 = v + Constant(1e-05, "f32", "rmem")
# OUT|             v_4 = T.scalar_rsqrt(v_3)
# OUT|             for j in T.vectorized(512):
# OUT|                 y_2 = y[j]
# OUT|                 v_5 = y_2 * v_4
# OUT|                 weight_1 = weight[j]
# OUT|                 v_6 = v_5 * weight_1
# OUT|                 gain_1 = gain[i, j]
# OUT|                 v_7 = v_6 * gain_1
# OUT|                 out[i, j] = v_7
