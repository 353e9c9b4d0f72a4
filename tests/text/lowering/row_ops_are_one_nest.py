# RUN: tilefoundry print %s --stage tir
# RUN: tilefoundry run %s --inputs random --dim rows=67 --verify
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
