# PROVES: I45 I46
# RUN: tilefoundry print %s
# RUN: tilefoundry print %s > %t/again.py && tilefoundry print %t/again.py
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
