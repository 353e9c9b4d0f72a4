# RUN: tilefoundry lower %s
# PROVES: P44
# A window is addressed by absolute coordinates, checked first; a buffer that nobody reads any more is
# changed in place, and the caller's array is copied.
from tilefoundry import func
from tilefoundry.dsl import Tensor, Tuple
from tilefoundry.dsl.tf import cache_update, insert_slice


@func
def f(
    x: Tensor[(16, 8), "f32"],
    tile: Tensor[(4, 8), "f32"],
    cache: Tensor[(1, 32, 2, 4), "f32"],
    new: Tensor[(1, 2, 2, 4), "f32"],
    pos: Tensor[(), "i32"],
    s: Tensor[(), "i32"],
):
    y = insert_slice(x * 2.0, tile, (8, 0))
    z = insert_slice(y, tile, (pos + 1, 0)) + 1.0
    return z, cache_update(cache, pos, s, new)
# ==== EXPECTED ====
# ---- tilefoundry lower %s
# OUT| from tilefoundry import module, prim_func
# OUT| from tilefoundry.dsl import T, Tensor
# OUT| from tilefoundry.ir.core import Constant, DimValue
# OUT| from tilefoundry.target import CpuTarget
# OUT|
# OUT|
# OUT| @module(entry="f", target=CpuTarget())
# OUT| class f:
# OUT|     @prim_func(outputs=2)
# OUT|     def f(x: Tensor[(16, 8), "f32"], tile: Tensor[(4, 8), "f32"], cache: Tensor[(1, 32, 2, 4), "f32"], new: Tensor[(1, 2, 2, 4), "f32"], pos: Tensor[(), "i32"], s: Tensor[(), "i32"], out0: Tensor[(16, 8), "f32"], out1: Tensor[(1, 32, 2, 4), "f32"]):
# OUT|         T.require(DimValue(0) <= DimValue(pos + 1) and DimValue(pos + 1) <= DimValue(12), pos + 1, 4, 16, message="the window of update from {} of size {} lies outside axis 0 of extent {}")
# OUT|         T.require(DimValue(0) <= DimValue(s) and DimValue(s) <= DimValue(2), s, 2, message="s is {}, and new has {} rows")
# OUT|         T.require(DimValue(0) <= DimValue(pos) and DimValue(pos) <= DimValue(32 - s), pos, s, 32, message="the window of new from {} of size {} lies outside axis 1 of extent {}")
# OUT|         t = T.alloc_tensor(tensor_type=Tensor[(16, 8), "f32"])
# OUT|         for i in T.parallel(16):
# OUT|             for j in T.vectorized(8):
# OUT|                 x_1 = x[i, j]
# OUT|                 v = x_1 * Constant(2.0, "f32", "rmem")
# OUT|                 t[i, j] = v
# OUT|         y_window = T.tensor_view(t, 8, 0, layout=None, shape=(4, 8))
# OUT|         for i in T.parallel(4):
# OUT|             for j in T.vectorized(8):
# OUT|                 tile_1 = tile[i, j]
# OUT|                 y_window[i, j] = tile_1
# OUT|         t_1_window = T.tensor_view(t, pos + 1, 0, layout=None, shape=(4, 8))
# OUT|         for i in T.parallel(4):
# OUT|             for j in T.vectorized(8):
# OUT|                 tile_2 = tile[i, j]
# OUT|                 t_1_window[i, j] = tile_2
# OUT|         for i in T.parallel(16):
# OUT|             for j in T.vectorized(8):
# OUT|                 t_1 = t[i, j]
# OUT|                 v = t_1 + Constant(1.0, "f32", "rmem")
# OUT|                 out0[i, j] = v
# OUT|         cache_1 = T.tensor_view(cache, layout=None, shape=(256,))
# OUT|         out1_1 = T.tensor_view(out1, layout=None, shape=(256,))
# OUT|         for i in T.vectorized(256):
# OUT|             cache_2 = cache_1[i]
# OUT|             out1_1[i] = cache_2
# OUT|         t_2_window = T.tensor_view(out1, 0, pos, 0, 0, layout=None, shape=(1, s, 2, 4))
# OUT|         for j in T.parallel(s):
# OUT|             for k in range(2):
# OUT|                 for l in T.vectorized(4):
# OUT|                     new_1 = new[0, j, k, l]
# OUT|                     t_2_window[0, j, k, l] = new_1
