# RUN: tilefoundry lower %s --block out_axis=32
# EXIT: 1
# RUN: tilefoundry lower %s --block rows=32 --disable-pass tile_regions
# RUN: tilefoundry lower %s --block out_axis0=0
# EXIT: 2
# RUN: tilefoundry lower %s --block 32
# EXIT: 2
# A block loop that the program does not have, and sizes that are none.
from tilefoundry import func, module
from tilefoundry.dsl import Tensor
from tilefoundry.dsl.tf import silu
from tilefoundry.target import CpuTarget


@module(entry="project", target=CpuTarget(features="avx2,fma,f16c", threads=2))
class program:
    @func
    def project(x: Tensor[(1024, 64), "f32"], w: Tensor[(64, 96), "f32"]):
        return silu(x @ w)
