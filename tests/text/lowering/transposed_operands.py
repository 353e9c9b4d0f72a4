# RUN: tilefoundry print --stage tir %s
# Products take transposed operands as views; a value that another op reads too is copied.
from tilefoundry import func
from tilefoundry.dsl import Tensor
from tilefoundry.dsl.tf import transpose


@func
def products(x: Tensor[(5, 64), "f32"], w: Tensor[(32, 64), "f32"], q: Tensor[(8, 2, 16), "f32"],
             k: Tensor[(8, 2, 16), "f32"], y: Tensor[(16, 5, 64), "f32"]):
    both = transpose(w, perm=(1, 0))
    turned_twice = transpose(transpose(w, perm=(1, 0)), perm=(1, 0))
    far = transpose(y, perm=(2, 0, 1))
    return (x @ transpose(w, perm=(1, 0)), transpose(q, perm=(1, 0, 2)) @ transpose(k, perm=(1, 2, 0)),
            x @ both, both + 1.0, turned_twice @ transpose(x, perm=(1, 0)), far @ transpose(x, perm=(1, 0))[:5])
# ==== EXPECTED ====
# ---- tilefoundry print --stage tir %s
# OUT| # products: out2 is not joined with both: no blocks of both are faster
# OUT| # products: out5 is not joined with t_10: no blocks of both are faster
# OUT| # products: out5 is not joined with far: no blocks of both are faster
# OUT| from tilefoundry import module, prim_func
# OUT| from tilefoundry.dsl import T, Tensor
# OUT| from tilefoundry.ir.core import Constant
# OUT| from tilefoundry.ir.types.shard import Layout
# OUT| from tilefoundry.target import CpuTarget
# OUT|
# OUT|
# OUT| @module(entry="products", target=CpuTarget())
# OUT| class products:
# OUT|     @prim_func(outputs=6)
# OUT|     def products(x: Tensor[(5, 64), "f32"], w: Tensor[(32, 64), "f32"], q: Tensor[(8, 2, 16), "f32"], k: Tensor[(8, 2, 16), "f32"], y: Tensor[(16, 5, 64), "f32"], out0: Tensor[(5, 32), "f32"], out1: Tensor[(2, 8, 8), "f32"], out2: Tensor[(5, 32), "f32"], out3: Tensor[(64, 32), "f32"], out4: Tensor[(32, 5), "f32"], out5: Tensor[(64, 16, 5), "f32"]):
# OUT|         t = T.tensor_view(w, layout=Layout(shape=(64, 32), strides=(1, 64)), shape=(64, 32))
# OUT|         T.matmul(x, t, out0, accumulate=False)
# OUT|         t_2 = T.tensor_view(q, layout=Layout(shape=(2, 8, 16), strides=(16, 32, 1)), shape=(2, 8, 16))
# OUT|         t_3 = T.tensor_view(k, layout=Layout(shape=(2, 16, 8), strides=(16, 1, 32)), shape=(2, 16, 8))
# OUT|         T.matmul(t_2, t_3, out1, accumulate=False)
# OUT|         both = T.alloc_tensor(tensor_type=Tensor[(64, 32), "f32"])
# OUT|         w_tile = T.alloc_tensor(tensor_type=Tensor[(64, 32), "f32", "rmem"])
# OUT|         for i in T.parallel(64):
# OUT|             for j in T.vectorized(32):
# OUT|                 w_1 = w[j, i]
# OUT|                 w_tile[i, j] = w_1
# OUT|         for i in T.parallel(64):
# OUT|             for j in T.vectorized(32):
# OUT|                 w_2 = w_tile[i, j]
# OUT|                 both[i, j] = w_2
# OUT|         T.matmul(x, both, out2, accumulate=False)
# OUT|         for i in T.parallel(64):
# OUT|             for j in T.vectorized(32):
# OUT|                 both_1 = both[i, j]
# OUT|                 v = both_1 + Constant(1.0, "f32", "rmem")
# OUT|                 out3[i, j] = v
# OUT|         t_7 = T.tensor_view(w, layout=Layout(shape=(64, 32), strides=(1, 64)), shape=(64, 32))
# OUT|         turned_twice = T.tensor_view(t_7, layout=Layout(shape=(32, 64), strides=(64, 1)), shape=(32, 64))
# OUT|         t_8 = T.tensor_view(x, layout=Layout(shape=(64, 5), strides=(1, 64)), shape=(64, 5))
# OUT|         T.matmul(turned_twice, t_8, out4, accumulate=False)
# OUT|         far = T.alloc_tensor(tensor_type=Tensor[(64, 16, 5), "f32"])
# OUT|         for i in T.parallel(64):
# OUT|             for j in range(16):
# OUT|                 for k_1 in T.vectorized(5):
# OUT|                     y_1 = y[j, k_1, i]
# OUT|                     far[i, j, k_1] = y_1
# OUT|         t_10 = T.alloc_tensor(tensor_type=Tensor[(64, 5), "f32"])
# OUT|         for i in T.parallel(64):
# OUT|             for j in T.vectorized(5):
# OUT|                 x_1 = x[j, i]
# OUT|                 t_10[i, j] = x_1
# OUT|         t_11 = T.tensor_view(t_10, 0, 0, layout=None, shape=(5, 5))
# OUT|         T.matmul(far, t_11, out5, accumulate=False)
