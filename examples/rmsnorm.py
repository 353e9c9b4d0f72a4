"""Root-mean-square normalization of a residual stream, then a gain: three ops, one loop nest."""

from tilefoundry import func
from tilefoundry.dsl import ConstTensor, Tensor
from tilefoundry.dsl.tf import rms_norm

rows = 512
hidden = 4096


@func
def add_rms_norm(
    x: Tensor[(rows, hidden), "f32"],
    residual: Tensor[(rows, hidden), "f32"],
    weight: ConstTensor[(hidden,), "f32"],
    gain: Tensor[(rows, hidden), "f32"],
) -> Tensor[(rows, hidden), "f32"]:
    y = x + residual
    normed = rms_norm(y, weight, eps=1e-5)
    return normed * gain
