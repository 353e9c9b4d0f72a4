"""One binary for every batch from 1 to 511 rows: few rows and many rows take different paths.

`project` is a prototype: its body is `pass`, and each variant below it holds for a range of `S`.
Both compute the same; they round differently only in the order of their sums."""

from tilefoundry import func, module
from tilefoundry.dsl import ConstTensor, DimVar, DimVarRangePat, Tensor
from tilefoundry.dsl.tf import matmul, relu, rms_norm, transpose

S = DimVar("S", 1, 512)
hidden = 192
outer = 320


@module(entry="block")
class DynamicRows:
    @func
    def project(
        x: Tensor[(S, hidden), "f32"], weight: ConstTensor[(hidden, outer), "f32"]
    ) -> Tensor[(S, outer), "f32"]:
        pass

    @project.specialize(DimVarRangePat("S", 1, 8))
    def few_rows(
        x: Tensor[(S, hidden), "f32"], weight: ConstTensor[(hidden, outer), "f32"]
    ) -> Tensor[(S, outer), "f32"]:
        # The product transposed: the weight's columns are the long side.
        return transpose(matmul(transpose(weight, perm=(1, 0)), transpose(x, perm=(1, 0))), perm=(1, 0))

    @project.specialize(DimVarRangePat("S", 8, 512))
    def many_rows(
        x: Tensor[(S, hidden), "f32"], weight: ConstTensor[(hidden, outer), "f32"]
    ) -> Tensor[(S, outer), "f32"]:
        return matmul(x, weight)

    @func
    def block(
        x: Tensor[(S, hidden), "f32"],
        gain: ConstTensor[(hidden,), "f32"],
        weight: ConstTensor[(hidden, outer), "f32"],
        bias: Tensor[(outer,), "f32"],
    ) -> Tensor[(S, outer), "f32"]:
        normed = rms_norm(x, gain, eps=1e-6)
        return relu(project(normed, weight) + bias)
