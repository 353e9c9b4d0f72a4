# PROVES: P46
# RUN: tilefoundry check %s
# RUN: tilefoundry lower %s
# EXIT: 1
from tilefoundry import func
from tilefoundry.dsl import Tensor
from tilefoundry.dsl.tf import argmax


@func
def at_the_largest(x: Tensor[(16, 8), "f32"], y: Tensor[(16,), "f32"]):
    at = argmax(y)
    acc = x[0:4]
    for i in range(2):
        acc = acc + x[at : at + 4]  # ERROR: TF4110
    return acc
# ==== EXPECTED ====
# ---- tilefoundry check %s
# OUT| %s: ok: Module at_the_largest (1 module, 1 function, 4 calls)
# ---- tilefoundry lower %s
# ERR| %s:15:21: error[TF4110]: Call[Slice]: a start of this window is computed by an op, which gives a buffer and not an address
# ERR|  15 |         acc = acc + x[at : at + 4]  # ERROR: TF4110
# ERR|     |                     ^~~~~~~~~~~~~~
# ERR| hint: use dimension arithmetic over literals and scalar variables for the start
