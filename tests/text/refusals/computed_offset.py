# RUN: tilefoundry lower %s
# EXIT: 1
# PROVES: P46
from tilefoundry import func
from tilefoundry.dsl import Tensor
from tilefoundry.dsl.tf import insert_slice, reduce


@func
def f(x: Tensor[(16, 8), "f32"], t: Tensor[(4, 8), "f32"], i: Tensor[(4,), "i32"]):
    return insert_slice(x, t, (reduce(i, axes=(0,), keepdim=False, kind="max"), 0))  # ERROR: TF4450
# ==== EXPECTED ====
# ---- tilefoundry lower %s
# ERR| %s:11:12: error[TF4450]: Call[InsertSlice]: an offset of this window is computed by an op, which gives a buffer and not an address
# ERR|  11 |     return insert_slice(x, t, (reduce(i, axes=(0,), keepdim=False, kind="max"), 0))  # ERROR: TF4450
# ERR|     |            ^~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~
# ERR| hint: use dimension arithmetic over literals and scalar variables for the offset
