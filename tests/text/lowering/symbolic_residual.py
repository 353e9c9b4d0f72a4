# PROVES: P47
# RUN: tilefoundry lower %s
# EXIT: 1
# S * 8 is divided by 8 whatever S is; that S itself is, nobody knows.
from tilefoundry import func
from tilefoundry.dsl import DimVar, Tensor, tile
from tilefoundry.dsl.tf import zeros

S = DimVar("S", 8, 64)


@func
def symbolic(x: Tensor[(S * 8,), "f32"], y: Tensor[(S,), "f32"]):
    acc = zeros(type=Tensor[(8,), "f32"])
    for i in tile(S * 8, 8):
        acc = acc + x[i]
    for i in tile(S, 8):
        acc = acc + y[i]  # ERROR: TF4400
    return acc
# ==== EXPECTED ====
# ---- tilefoundry lower %s
# ERR| %s:18:21: error[TF4400]: the tiles of 8 do not provably divide S, and the last one would leave a rest for which this window has no lowering
# ERR|  18 |         acc = acc + y[i]  # ERROR: TF4400
# ERR|     |                     ^~~~
# ERR| %s:17:5: note: the loop
# ERR|  17 |     for i in tile(S, 8):
# ERR|     |     ^~~~~~~~~~~~~~~~~~~~
# ERR| hint: choose a step that divides the extent, or lower the rest by hand
