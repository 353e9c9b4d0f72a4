# RUN: tilefoundry lower %s
# EXIT: 1
# PROVES: P46
from tilefoundry import func
from tilefoundry.dsl import Tensor
from tilefoundry.dsl.tf import argmax


@func
def f(x: Tensor[(16, 8), "f32"], scores: Tensor[(12,), "f32"]):
    best = argmax(scores)
    return x[best : best + 4]  # ERROR: TF4110
# ==== EXPECTED ====
# ---- tilefoundry lower %s
# ERR| %s:12:12: error[TF4110]: Call[Slice]: a start of this window is computed by an op, which gives a buffer and not an address
# ERR|  12 |     return x[best : best + 4]  # ERROR: TF4110
# ERR|     |            ^~~~~~~~~~~~~~~~~~
# ERR| hint: use dimension arithmetic over literals and scalar variables for the start
