"""Products of matrices: square, a few rows, one row; and the gated feed-forward block."""

from tilefoundry import func
from tilefoundry.dsl import ConstTensor, Tensor
from tilefoundry.dsl.tf import silu

n = 1024
wide = 4096
hidden = 576
inner = 1536


@func
def square(
    a: Tensor[(n, n), "f32"], b: ConstTensor[(n, n), "f32"]
) -> Tensor[(n, n), "f32"]:
    return a @ b


@func
def rows_8(
    a: Tensor[(8, wide), "f32"], b: ConstTensor[(wide, wide), "f32"]
) -> Tensor[(8, wide), "f32"]:
    return a @ b


@func
def rows_1(
    a: Tensor[(1, wide), "f32"], b: ConstTensor[(wide, wide), "f32"]
) -> Tensor[(1, wide), "f32"]:
    return a @ b


@func
def swiglu_128(
    x: Tensor[(128, hidden), "f32"],
    gate: ConstTensor[(hidden, inner), "f32"],
    up: ConstTensor[(hidden, inner), "f32"],
    down: ConstTensor[(inner, hidden), "f32"],
) -> Tensor[(128, hidden), "f32"]:
    return (silu(x @ gate) * (x @ up)) @ down


@func
def swiglu_1(
    x: Tensor[(1, hidden), "f32"],
    gate: ConstTensor[(hidden, inner), "f32"],
    up: ConstTensor[(hidden, inner), "f32"],
    down: ConstTensor[(inner, hidden), "f32"],
) -> Tensor[(1, hidden), "f32"]:
    return (silu(x @ gate) * (x @ up)) @ down
