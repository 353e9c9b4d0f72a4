# PROVES: I45 I46
# RUN: tilefoundry print %s
from tilefoundry import func, module
from tilefoundry.dsl import DimVar, Tensor, tile
from tilefoundry.dsl.tf import add, exp, maximum, reduce, split, zeros

S = DimVar("S", 1, 64)


@module(entry="forms")
class Loops:
    @func
    def forms(x: Tensor[(6, 40), "f32"], n: Tensor[(), "i64"]):
        acc = zeros(type=Tensor[(6, 8), "f32"])
        for i in tile(32, 8):
            acc = acc + x[:, i] * x[:, i + 8]
        for i in range(3):
            acc = acc * 0.5
        for i in range(1, n):
            acc = acc + x[:, 0:8]
        for i in range(0, 6, n + 1):
            for j in range(i, 6, 2):
                acc = acc + x[:, i + j : i + j + 8]
        return acc

    @func
    def swap(a: Tensor[(4, 8), "f32"], b: Tensor[(4, 8), "f32"]):
        for i in range(2, 12, 3):
            a, b = b, a
        return a, b

    @func
    def same_yields(x: Tensor[(4, 8), "f32"], y: Tensor[(4, 8), "f32"], z: Tensor[(4, 8), "f32"]):
        keep = z
        for i in range(3):
            t = x + y
            x = t
            y = t
            keep = keep
        return x, y, keep

    @func
    def nested(x: Tensor[(6, 8), "f32"], w: Tensor[(8,), "f32"]):
        scale = exp(w)
        acc = x[0]
        last = x[5]
        for i in range(1, 6, 2):
            row = x[i] * scale
            for j in range(i, 6):
                acc = acc * 0.5 + x[j]
                row = row + acc
            last = maximum(last, row)
        return acc, last

    @func
    def numbers(x: Tensor[(12, 4), "f32"]):
        at = zeros(type=Tensor[(), "i64"])
        acc = x[0:2]
        for i in range(3):
            acc = acc + x[at : at + 2]
            at = at + i
        return acc

    @func
    def symbolic(x: Tensor[(S, 4), "f32"]):
        acc = x[0]
        for i in range(S // 2, S, 3):
            acc = acc + x[i]
        return acc
# ==== EXPECTED ====
# ---- tilefoundry print %s
# OUT| from tilefoundry import func, module
# OUT| from tilefoundry.dsl import DimVar, Tensor, Tuple, tf, tile
# OUT| from tilefoundry.dsl.tf import add, exp, mul, reshape, slice, zeros
# OUT| from tilefoundry.ir.core import DimValue
# OUT|
# OUT| S = DimVar("S", 1, 64)
# OUT|
# OUT|
# OUT| @module(entry="forms")
# OUT| class Loops:
# OUT|     @func
# OUT|     def forms(x: Tensor[(6, 40), "f32"], n: Tensor[(), "i64"]) -> Tensor[(6, 8), "f32"]:
# OUT|         acc = zeros(type=Tensor[(6, 8), "f32"])
# OUT|         for i in tile(32, 8):
# OUT|             v0 = slice(x, (0, DimValue(i)), sizes=(6, 8), strides=(1, 1))
# OUT|             v1 = slice(x, (0, DimValue(i + 8)), sizes=(6, 8), strides=(1, 1))
# OUT|             v2 = mul(v0, v1)
# OUT|             acc_1 = add(acc, v2)
# OUT|             acc = acc_1
# OUT|         acc_2 = acc
# OUT|         for i in range(3):
# OUT|             acc_3 = mul(acc_2, 0.5)
# OUT|             acc_2 = acc_3
# OUT|         v3 = slice(x, (0, 0), sizes=(6, 8), strides=(1, 1))
# OUT|         acc_4 = acc_2
# OUT|         for i in range(1, n):
# OUT|             acc_5 = add(acc_4, v3)
# OUT|             acc_4 = acc_5
# OUT|         acc_6 = acc_4
# OUT|         for i in range(0, 6, n + 1):
# OUT|             acc_7 = acc_6
# OUT|             for j in range(i, 6, 2):
# OUT|                 v4 = slice(x, (0, DimValue(i + j)), sizes=(6, 8), strides=(1, 1))
# OUT|                 acc_8 = add(acc_7, v4)
# OUT|                 acc_7 = acc_8
# OUT|             acc_6 = acc_7
# OUT|         return acc_6
# OUT|
# OUT|     @func
# OUT|     def swap(a: Tensor[(4, 8), "f32"], b: Tensor[(4, 8), "f32"]) -> Tuple[Tensor[(4, 8), "f32"], Tensor[(4, 8), "f32"]]:
# OUT|         a_1 = a
# OUT|         b_1 = b
# OUT|         for i in range(2, 12, 3):
# OUT|             a_1_next = b_1
# OUT|             b_1_next = a_1
# OUT|             a_1 = a_1_next
# OUT|             b_1 = b_1_next
# OUT|         return a_1, b_1
# OUT|
# OUT|     @func
# OUT|     def same_yields(x: Tensor[(4, 8), "f32"], y: Tensor[(4, 8), "f32"], z: Tensor[(4, 8), "f32"]) -> Tuple[Tensor[(4, 8), "f32"], Tensor[(4, 8), "f32"], Tensor[(4, 8), "f32"]]:
# OUT|         x_1 = x
# OUT|         y_1 = y
# OUT|         keep = z
# OUT|         for i in range(3):
# OUT|             t = add(x_1, y_1)
# OUT|             y_1_next = t
# OUT|             keep_next = keep
# OUT|             x_1 = t
# OUT|             y_1 = y_1_next
# OUT|             keep = keep_next
# OUT|         return x_1, y_1, keep
# OUT|
# OUT|     @func
# OUT|     def nested(x: Tensor[(6, 8), "f32"], w: Tensor[(8,), "f32"]) -> Tuple[Tensor[(8,), "f32"], Tensor[(8,), "f32"]]:
# OUT|         v0 = slice(x, (0, 0), sizes=(1, 8), strides=(1, 1))
# OUT|         acc = reshape(v0, new_shape=(8,))
# OUT|         v1 = slice(x, (5, 0), sizes=(1, 8), strides=(1, 1))
# OUT|         last = reshape(v1, new_shape=(8,))
# OUT|         scale = exp(w)
# OUT|         for i in range(1, 6, 2):
# OUT|             v2 = slice(x, (DimValue(i), 0), sizes=(1, 8), strides=(1, 1))
# OUT|             v3 = reshape(v2, new_shape=(8,))
# OUT|             row = mul(v3, scale)
# OUT|             acc_1 = acc
# OUT|             for j in range(i, 6):
# OUT|                 v4 = mul(acc_1, 0.5)
# OUT|                 v5 = slice(x, (DimValue(j), 0), sizes=(1, 8), strides=(1, 1))
# OUT|                 v6 = reshape(v5, new_shape=(8,))
# OUT|                 acc_2 = add(v4, v6)
# OUT|                 row_1 = add(row, acc_2)
# OUT|                 acc_1 = acc_2
# OUT|                 row = row_1
# OUT|             last_1 = tf.max(last, row)
# OUT|             acc = acc_1
# OUT|             last = last_1
# OUT|         return acc, last
# OUT|
# OUT|     @func
# OUT|     def numbers(x: Tensor[(12, 4), "f32"]) -> Tensor[(2, 4), "f32"]:
# OUT|         acc = slice(x, (0, 0), sizes=(2, 4), strides=(1, 1))
# OUT|         at = zeros(type=Tensor[(), "i64"])
# OUT|         for i in range(3):
# OUT|             v0 = slice(x, (DimValue(at), 0), sizes=(2, 4), strides=(1, 1))
# OUT|             acc_1 = add(acc, v0)
# OUT|             at_1 = add(at, DimValue(i))
# OUT|             acc = acc_1
# OUT|             at = at_1
# OUT|         return acc
# OUT|
# OUT|     @func
# OUT|     def symbolic(x: Tensor[(S, 4), "f32"]) -> Tensor[(4,), "f32"]:
# OUT|         v0 = slice(x, (0, 0), sizes=(1, 4), strides=(1, 1))
# OUT|         acc = reshape(v0, new_shape=(4,))
# OUT|         for i in range(S // 2, S, 3):
# OUT|             v1 = slice(x, (DimValue(i), 0), sizes=(1, 4), strides=(1, 1))
# OUT|             v2 = reshape(v1, new_shape=(4,))
# OUT|             acc_1 = add(acc, v2)
# OUT|             acc = acc_1
# OUT|         return acc
