"""Kernels over rows: one pass of memory each, when they are joined well."""

from tilefoundry import func
from tilefoundry.dsl import ConstTensor, Tensor
from tilefoundry.dsl.tf import gelu, layer_norm, rms_norm, softmax

rows = 4096
hidden = 4096
tokens = 2048
width = 1024


@func
def rmsnorm(
    x: Tensor[(rows, hidden), "f32"], weight: ConstTensor[(hidden,), "f32"]
) -> Tensor[(rows, hidden), "f32"]:
    return rms_norm(x, weight, eps=1e-5)


@func
def row_softmax(x: Tensor[(rows, hidden), "f32"]) -> Tensor[(rows, hidden), "f32"]:
    return softmax(x, axis=1)


@func
def layernorm_residual(
    x: Tensor[(tokens, width), "f32"],
    residual: Tensor[(tokens, width), "f32"],
    weight: ConstTensor[(width,), "f32"],
    bias: ConstTensor[(width,), "f32"],
) -> Tensor[(tokens, width), "f32"]:
    return layer_norm(x + residual, weight, bias, axis=1, eps=1e-5)


@func
def gelu_chain(
    x: Tensor[(rows, hidden), "f32"],
    scale: ConstTensor[(hidden,), "f32"],
    bias: ConstTensor[(hidden,), "f32"],
) -> Tensor[(rows, hidden), "f32"]:
    return gelu(x * scale + bias, approximate="tanh")
