# RUN: tilefoundry lower %s --passes hir_to_tir,bufferize
# RUN: tilefoundry lower %s --passes hir_to_tir
# PROVES: P35 P69
# Two inputs and a pair result give four parameters in that order. Each value has a buffer of its own,
# also `a`, which is dead before `d` is made; bufferize changes nothing.
from tilefoundry import func
from tilefoundry.dsl import Tensor
from tilefoundry.dsl.tf import exp, reduce


@func
def several(x: Tensor[(4, 8), "f32"], y: Tensor[(8,), "i32"]):
    a = exp(x)
    b = reduce(a, axes=(1,), kind="max")
    c = y * y
    d = b + 1.0
    e = exp(d)
    return e, c + 1
# ==== EXPECTED ====
# ---- tilefoundry lower %s --passes hir_to_tir,bufferize
# OUT| from tilefoundry import module, prim_func
# OUT| from tilefoundry.dsl import T, Tensor
# OUT| from tilefoundry.ir.core import Constant
# OUT| from tilefoundry.target import CpuTarget
# OUT|
# OUT|
# OUT| @module(entry="several", target=CpuTarget())
# OUT| class several:
# OUT|     @prim_func(outputs=2)
# OUT|     def several(x: Tensor[(4, 8), "f32"], y: Tensor[(8,), "i32"], out0: Tensor[(4, 1), "f32"], out1: Tensor[(8,), "i32"]):
# OUT|         a = T.alloc_tensor(tensor_type=Tensor[(4, 8), "f32"])
# OUT|         for i in range(4):
# OUT|             for j in range(8):
# OUT|                 x_1 = x[i, j]
# OUT|                 v = T.scalar_exp(x_1)
# OUT|                 a[i, j] = v
# OUT|         b = T.alloc_tensor(tensor_type=Tensor[(4, 1), "f32"])
# OUT|         T.reduce(a, b, axes=(1,), kind="max")
# OUT|         d = T.alloc_tensor(tensor_type=Tensor[(4, 1), "f32"])
# OUT|         for i in range(4):
# OUT|             b_1 = b[i, 0]
# OUT|             v = b_1 + Constant(1.0, "f32", "rmem")
# OUT|             d[i, 0] = v
# OUT|         e = T.alloc_tensor(tensor_type=Tensor[(4, 1), "f32"])
# OUT|         for i in range(4):
# OUT|             d_1 = d[i, 0]
# OUT|             v = T.scalar_exp(d_1)
# OUT|             e[i, 0] = v
# OUT|         c = T.alloc_tensor(tensor_type=Tensor[(8,), "i32"])
# OUT|         for i in range(8):
# OUT|             y_1 = y[i]
# OUT|             y_2 = y[i]
# OUT|             v = y_1 * y_2
# OUT|             c[i] = v
# OUT|         t = T.alloc_tensor(tensor_type=Tensor[(8,), "i32"])
# OUT|         for i in range(8):
# OUT|             c_1 = c[i]
# OUT|             v = c_1 + Constant(1, "i32", "rmem")
# OUT|             t[i] = v
# OUT|         T.copy(e, out0)
# OUT|         T.copy(t, out1)
# ---- tilefoundry lower %s --passes hir_to_tir
# OUT| from tilefoundry import module, prim_func
# OUT| from tilefoundry.dsl import T, Tensor
# OUT| from tilefoundry.ir.core import Constant
# OUT| from tilefoundry.target import CpuTarget
# OUT|
# OUT|
# OUT| @module(entry="several", target=CpuTarget())
# OUT| class several:
# OUT|     @prim_func(outputs=2)
# OUT|     def several(x: Tensor[(4, 8), "f32"], y: Tensor[(8,), "i32"], out0: Tensor[(4, 1), "f32"], out1: Tensor[(8,), "i32"]):
# OUT|         a = T.alloc_tensor(tensor_type=Tensor[(4, 8), "f32"])
# OUT|         for i in range(4):
# OUT|             for j in range(8):
# OUT|                 x_1 = x[i, j]
# OUT|                 v = T.scalar_exp(x_1)
# OUT|                 a[i, j] = v
# OUT|         b = T.alloc_tensor(tensor_type=Tensor[(4, 1), "f32"])
# OUT|         T.reduce(a, b, axes=(1,), kind="max")
# OUT|         d = T.alloc_tensor(tensor_type=Tensor[(4, 1), "f32"])
# OUT|         for i in range(4):
# OUT|             b_1 = b[i, 0]
# OUT|             v = b_1 + Constant(1.0, "f32", "rmem")
# OUT|             d[i, 0] = v
# OUT|         e = T.alloc_tensor(tensor_type=Tensor[(4, 1), "f32"])
# OUT|         for i in range(4):
# OUT|             d_1 = d[i, 0]
# OUT|             v = T.scalar_exp(d_1)
# OUT|             e[i, 0] = v
# OUT|         c = T.alloc_tensor(tensor_type=Tensor[(8,), "i32"])
# OUT|         for i in range(8):
# OUT|             y_1 = y[i]
# OUT|             y_2 = y[i]
# OUT|             v = y_1 * y_2
# OUT|             c[i] = v
# OUT|         t = T.alloc_tensor(tensor_type=Tensor[(8,), "i32"])
# OUT|         for i in range(8):
# OUT|             c_1 = c[i]
# OUT|             v = c_1 + Constant(1, "i32", "rmem")
# OUT|             t[i] = v
# OUT|         T.copy(e, out0)
# OUT|         T.copy(t, out1)
