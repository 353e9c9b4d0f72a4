# RUN: tilefoundry lower %s --block out_axis=32
# EXIT: 1
# RUN: tilefoundry lower %s --block rows=32 --disable-pass tile_regions
# EXIT: 1
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
# ==== EXPECTED ====
# ---- tilefoundry lower %s --block out_axis=32
# ERR| error[TF4470]: there is no block loop "out_axis"
# ERR| hint: did you mean "out_axis0"? the block loops are out_axis0, out_axis1
# ---- tilefoundry lower %s --block rows=32 --disable-pass tile_regions
# ERR| error[TF4470]: there is no block loop "rows"
# ERR| hint: block loops are made by the pass tile_regions, which this pipeline leaves out
# ---- tilefoundry lower %s --block out_axis0=0
# ERR| error[TF7001]: --block: expected NAME=SIZE, got "out_axis0=0"
# ERR| hint: `tilefoundry --help` lists the verbs, `tilefoundry VERB --help` their options
# ---- tilefoundry lower %s --block 32
# ERR| error[TF7001]: --block: expected NAME=SIZE, got "32"
# ERR| hint: `tilefoundry --help` lists the verbs, `tilefoundry VERB --help` their options
