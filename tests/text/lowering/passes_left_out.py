# RUN: tilefoundry lower %s --disable-pass fuse_loops
# RUN: tilefoundry lower %s --disable-pass contract_buffers
# RUN: tilefoundry lower %s --disable-pass mark_loops
# RUN: tilefoundry lower %s --disable-pass forward_outputs
# RUN: tilefoundry lower %s --disable-pass fuse_loops --disable-pass contract_buffers --disable-pass mark_loops --disable-pass forward_outputs --disable-pass bufferize
# The same program with one optimizing pass left out, and with all of them.
from tilefoundry import func
from tilefoundry.dsl import Tensor
from tilefoundry.dsl.tf import exp


@func
def scaled(x: Tensor[(4, 8), "f32"]):
    return exp(x) * 2.0
# ==== EXPECTED ====
# ---- tilefoundry lower %s --disable-pass fuse_loops
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
# OUT|         t = T.alloc_tensor(tensor_type=Tensor[(4, 8), "f32"])
# OUT|         for i in T.parallel(4):
# OUT|             for j in T.vectorized(8):
# OUT|                 x_1 = x[i, j]
# OUT|                 v = T.scalar_exp(x_1)
# OUT|                 t[i, j] = v
# OUT|         for i in T.parallel(4):
# OUT|             for j in T.vectorized(8):
# OUT|                 t_1 = t[i, j]
# OUT|                 v = t_1 * Constant(2.0, "f32", "rmem")
# OUT|                 out[i, j] = v
# ---- tilefoundry lower %s --disable-pass contract_buffers
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
# OUT|         t = T.alloc_tensor(tensor_type=Tensor[(4, 8), "f32"])
# OUT|         for i in T.parallel(4):
# OUT|             for j in T.vectorized(8):
# OUT|                 x_1 = x[i, j]
# OUT|                 v = T.scalar_exp(x_1)
# OUT|                 t[i, j] = v
# OUT|                 t_1 = t[i, j]
# OUT|                 v_1 = t_1 * Constant(2.0, "f32", "rmem")
# OUT|                 out[i, j] = v_1
# ---- tilefoundry lower %s --disable-pass mark_loops
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
# OUT|         for i in range(4):
# OUT|             for j in range(8):
# OUT|                 x_1 = x[i, j]
# OUT|                 v = T.scalar_exp(x_1)
# OUT|                 v_1 = v * Constant(2.0, "f32", "rmem")
# OUT|                 out[i, j] = v_1
# ---- tilefoundry lower %s --disable-pass forward_outputs
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
# OUT|         t_1 = T.alloc_tensor(tensor_type=Tensor[(4, 8), "f32"])
# OUT|         t_1_1 = T.tensor_view(t_1, layout=None, shape=(32,))
# OUT|         out_1 = T.tensor_view(out, layout=None, shape=(32,))
# OUT|         for i in T.parallel(4):
# OUT|             for j in T.vectorized(8):
# OUT|                 x_1 = x[i, j]
# OUT|                 v = T.scalar_exp(x_1)
# OUT|                 v_1 = v * Constant(2.0, "f32", "rmem")
# OUT|                 t_1[i, j] = v_1
# OUT|         for i in T.vectorized(32):
# OUT|             t_1_2 = t_1_1[i]
# OUT|             out_1[i] = t_1_2
# ---- tilefoundry lower %s --disable-pass fuse_loops --disable-pass contract_buffers --disable-pass mark_loops --disable-pass forward_outputs --disable-pass bufferize
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
# OUT|         t = T.alloc_tensor(tensor_type=Tensor[(4, 8), "f32"])
# OUT|         for i in range(4):
# OUT|             for j in range(8):
# OUT|                 x_1 = x[i, j]
# OUT|                 v = T.scalar_exp(x_1)
# OUT|                 t[i, j] = v
# OUT|         t_1 = T.alloc_tensor(tensor_type=Tensor[(4, 8), "f32"])
# OUT|         for i in range(4):
# OUT|             for j in range(8):
# OUT|                 t_2 = t[i, j]
# OUT|                 v = t_2 * Constant(2.0, "f32", "rmem")
# OUT|                 t_1[i, j] = v
# OUT|         t_1_1 = T.tensor_view(t_1, layout=None, shape=(32,))
# OUT|         out_1 = T.tensor_view(out, layout=None, shape=(32,))
# OUT|         for i in range(32):
# OUT|             t_1_2 = t_1_1[i]
# OUT|             out_1[i] = t_1_2
