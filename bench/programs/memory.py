"""Kernels that only move memory: 256 MiB each way."""

from tilefoundry import func
from tilefoundry.dsl import Tensor
from tilefoundry.dsl.tf import reduce, transpose

n = 8192


@func
def column_sum(x: Tensor[(n, n), "f32"]) -> Tensor[(n,), "f32"]:
    return reduce(x, axes=(0,), keepdim=False, kind="sum")


@func
def transposed(x: Tensor[(n, n), "f32"]) -> Tensor[(n, n), "f32"]:
    return transpose(x, perm=(1, 0))
