# RUN: tilefoundry lower %s:outer --passes hir_to_tir,bufferize,expand_tiles,mark_profile
# Each outermost loop or op stands between two marks; calls are left to the callee.
from tilefoundry import func
from tilefoundry.dsl import Tensor
from tilefoundry.dsl.tf import exp


@func
def inner(x: Tensor[(4, 8), "f32"]):
    return exp(x)


@func
def outer(x: Tensor[(4, 8), "f32"], w: Tensor[(8, 4), "f32"]):
    return inner(x) @ w
# ==== EXPECTED ====
# ---- tilefoundry lower %s:outer --passes hir_to_tir,bufferize,expand_tiles,mark_profile
# OUT| from tilefoundry import module, prim_func
# OUT| from tilefoundry.dsl import T, Tensor
# OUT| from tilefoundry.target import CpuTarget
# OUT|
# OUT|
# OUT| @module(entry="outer", target=CpuTarget())
# OUT| class outer:
# OUT|     @prim_func(outputs=1)
# OUT|     def inner(x: Tensor[(4, 8), "f32"], out: Tensor[(4, 8), "f32"]):
# OUT|         t = T.alloc_tensor(tensor_type=Tensor[(4, 8), "f32"])
# OUT|         T.profile_mark(site=0, sites=4, end=False)
# OUT|         for i in range(4):
# OUT|             for j in range(8):
# OUT|                 x_1 = x[i, j]
# OUT|                 v = T.scalar_exp(x_1)
# OUT|                 t[i, j] = v
# OUT|         T.profile_mark(site=0, sites=4, end=True)
# OUT|         t_1 = T.tensor_view(t, layout=None, shape=(32,))
# OUT|         out_1 = T.tensor_view(out, layout=None, shape=(32,))
# OUT|         T.profile_mark(site=1, sites=4, end=False)
# OUT|         for i in range(32):
# OUT|             t_2 = t_1[i]
# OUT|             out_1[i] = t_2
# OUT|         T.profile_mark(site=1, sites=4, end=True)
# OUT|
# OUT|     @prim_func(outputs=1)
# OUT|     def outer(x: Tensor[(4, 8), "f32"], w: Tensor[(8, 4), "f32"], out: Tensor[(4, 4), "f32"]):
# OUT|         t = T.alloc_tensor(tensor_type=Tensor[(4, 8), "f32"])
# OUT|         inner(x, t)
# OUT|         t_1 = T.alloc_tensor(tensor_type=Tensor[(4, 4), "f32"])
# OUT|         T.profile_mark(site=2, sites=4, end=False)
# OUT|         T.matmul(t, w, t_1, accumulate=False)
# OUT|         T.profile_mark(site=2, sites=4, end=True)
# OUT|         t_1_1 = T.tensor_view(t_1, layout=None, shape=(16,))
# OUT|         out_1 = T.tensor_view(out, layout=None, shape=(16,))
# OUT|         T.profile_mark(site=3, sites=4, end=False)
# OUT|         for i in range(16):
# OUT|             t_1_2 = t_1_1[i]
# OUT|             out_1[i] = t_1_2
# OUT|         T.profile_mark(site=3, sites=4, end=True)
