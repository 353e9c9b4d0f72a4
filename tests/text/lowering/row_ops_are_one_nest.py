# RUN: tilefoundry print %s --stage tir
# softmax of scaled rows, layer_norm of a sum, and a scale-bias-gelu chain: each is one parallel nest
# whose temporaries are of one row. softmax computes each exponential once and keeps it.
from tilefoundry import func, module
from tilefoundry.dsl import ConstTensor, DimVar, Tensor
from tilefoundry.dsl.tf import gelu, layer_norm, softmax

rows = DimVar("rows", 1, 4097)


@module(entry="attention_weights")
class Rows:
    @func
    def attention_weights(x: Tensor[(rows, 300), "f32"], mask: Tensor[(rows, 300), "f32"]):
        return softmax(x * 0.125 + mask, axis=-1)

    @func
    def normed(
        x: Tensor[(rows, 300), "bf16"],
        residual: Tensor[(rows, 300), "bf16"],
        weight: ConstTensor[(300,), "f32"],
        bias: ConstTensor[(300,), "f32"],
    ):
        return layer_norm(x + residual, weight, bias, axis=1, eps=1e-5)

    @func
    def activated(
        x: Tensor[(rows, 300), "f32"], scale: Tensor[(300,), "f32"], bias: Tensor[(300,), "f32"]
    ):
        return gelu(x * scale + bias)
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
# OUT| @module(entry="attention_weights", target=CpuTarget())
# OUT| class Rows:
# OUT|     @prim_func(outputs=1)
# OUT|     def attention_weights(x: Tensor[(rows, 300), "f32"], mask: Tensor[(rows, 300), "f32"], out: Tensor[(rows, 300), "f32"]):
# OUT|         for i in T.parallel(rows):
# OUT|             t_1 = T.alloc_tensor(tensor_type=Tensor[(300,), "f32", "rmem"])
# OUT|             acc = T.alloc_tensor(tensor_type=Tensor[(), "f32", "rmem"])
# OUT|             weights = T.alloc_tensor(tensor_type=Tensor[(300,), "f32", "rmem"])
# OUT|             acc_1 = T.alloc_tensor(tensor_type=Tensor[(), "f32", "rmem"])
# OUT|             acc[()] = Constant(float("-inf"), "f32", "rmem")
# OUT|             for j in T.vectorized(300):
# OUT|                 x_1 = x[i, j]
# OUT|                 v = x_1 * Constant(0.125, "f32", "rmem")
# OUT|                 mask_1 = mask[i, j]
# OUT|                 v_1 = v + mask_1
# OUT|                 t_1[j] = v_1
# OUT|                 t_1_1 = t_1[j]
# OUT|                 acc_2 = acc[()]
# OUT|                 v_2 = T.scalar_max(acc_2, t_1_1)
# OUT|                 acc[()] = v_2
# OUT|             acc_3 = acc[()]
# OUT|             acc_1[()] = Constant(0.0, "f32", "rmem")
# OUT|             for j in T.vectorized(300):
# OUT|                 t_1_2 = t_1[j]
# OUT|                 v = t_1_2 - acc_3
# OUT|                 v_3 = T.scalar_exp(v)
# OUT|                 weights[j] = v_3
# OUT|                 acc_4 = acc_1[()]
# OUT|                 v_4 = acc_4 + v_3
# OUT|                 acc_1[()] = v_4
# OUT|             acc_5 = acc_1[()]
# OUT|             v = Constant(1.0, "f32", "rmem") / acc_5
# OUT|             for j in T.vectorized(300):
# OUT|                 weights_1 = weights[j]
# OUT|                 v_5 = weights_1 * v
# OUT|                 out[i, j] = v_5
# OUT|
# OUT|     @prim_func(outputs=1)
# OUT|     def normed(x: Tensor[(rows, 300), "bf16"], residual: Tensor[(rows, 300), "bf16"], weight: ConstTensor[(300,), "f32"], bias: ConstTensor[(300,), "f32"], out: Tensor[(rows, 300), "bf16"]):
# OUT|         for i in T.parallel(rows):
# OUT|             t = T.alloc_tensor(tensor_type=Tensor[(300,), "bf16", "rmem"])
# OUT|             acc = T.alloc_tensor(tensor_type=Tensor[(), "f32", "rmem"])
# OUT|             acc_1 = T.alloc_tensor(tensor_type=Tensor[(), "f32", "rmem"])
# OUT|             acc_2 = T.alloc_tensor(tensor_type=Tensor[(), "f32", "rmem"])
# OUT|             acc[()] = Constant(0.0, "f32", "rmem")
# OUT|             for j in T.vectorized(300):
# OUT|                 x_1 = x[i, j]
# OUT|                 residual_1 = residual[i, j]
# OUT|                 v = x_1 + residual_1
# OUT|                 t[j] = v
# OUT|                 t_1 = t[j]
# OUT|                 v_1 = T.scalar_cast(t_1, dtype="f32")
# OUT|                 acc_3 = acc[()]
# OUT|                 v_2 = acc_3 + v_1
# OUT|                 acc[()] = v_2
# OUT|             acc_4 = acc[()]
# OUT|             v = acc_4 / Constant(300.0, "f32", "rmem")
# OUT|             acc_1[()] = Constant(0.0, "f32", "rmem")
# OUT|             for j in T.vectorized(300):
# OUT|                 t_2 = t[j]
# OUT|                 v_3 = T.scalar_cast(t_2, dtype="f32")
# OUT|                 v_4 = v_3 - v
# OUT|                 acc_5 = acc_1[()]
# OUT|                 v_5 = acc_5 + v_4
# OUT|                 acc_1[()] = v_5
# OUT|             acc_6 = acc_1[()]
# OUT|             v_6 = acc_6 / Constant(300.0, "f32", "rmem")
# OUT|             acc_2[()] = Constant(0.0, "f32", "rmem")
# OUT|             for j in T.vectorized(300):
# OUT|                 t_3 = t[j]
# OUT|                 v_7 = T.scalar_cast(t_3, dtype="f32")
# OUT|                 v_8 = v_7 - v
# OUT|                 v_9 = v_8 - v_6
# OUT|                 v_10 = v_9 * v_9
# OUT|                 acc_7 = acc_2[()]
# OUT|                 v_11 = acc_7 + v_10
# OUT|                 acc_2[()] = v_11
# OUT|             acc_8 = acc_2[()]
# OUT|             v_12 = acc_8 / Constant(300.0, "f32", "rmem")
# OUT|             v_13 = v_12 + Constant(1e-05, "f32", "rmem")
# OUT|             v_14 = T.scalar_rsqrt(v_13)
# OUT|             for j in T.vectorized(300):
# OUT|                 t_4 = t[j]
# OUT|                 v_15 = T.scalar_cast(t_4, dtype="f32")
# OUT|                 v_16 = v_15 - v
# OUT|                 v_17 = v_16 - v_6
# OUT|                 v_18 = v_17 * v_14
# OUT|                 weight_1 = weight[j]
# OUT|                 v_19 = v_18 * weight_1
# OUT|                 bias_1 = bias[j]
# OUT|                 v_20 = v_19 + bias_1
# OUT|                 v_21 = T.scalar_cast(v_20, dtype="bf16")
# OUT|                 out[i, j] = v_21
# OUT|
# OUT|     @prim_func(outputs=1)
# OUT|     def activated(x: Tensor[(rows, 300), "f32"], scale: Tensor[(300,), "f32"], bias: Tensor[(300,), "f32"], out: Tensor[(rows, 300), "f32"]):
# OUT|         for i in T.parallel(rows):
# OUT|             for j in T.vectorized(300):
# OUT|                 x_1 = x[i, j]
# OUT|                 scale_1 = scale[j]
# OUT|                 v = x_1 * scale_1
# OUT|                 bias_1 = bias[j]
# OUT|                 v_1 = v + bias_1
# OUT|                 v_2 = v_1 * v_1
# OUT|                 v_3 = v_2 * Constant(0.071354814, "f32", "rmem")
# OUT|                 v_4 = v_3 + Constant(1.5957692, "f32", "rmem")
# OUT|                 v_5 = v_1 * v_4
# OUT|                 v_6 = T.scalar_sigmoid(v_5)
# OUT|                 v_7 = v_1 * v_6
# OUT|                 out[i, j] = v_7
