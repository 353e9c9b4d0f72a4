# PROVES: P47
# RUN: tilefoundry check %s
# RUN: tilefoundry lower %s
# EXIT: 1
# 4 does not divide 10: the last window would leave a rest.
from tilefoundry import func
from tilefoundry.dsl import Tensor, tile
from tilefoundry.dsl.tf import zeros


@func
def rest(x: Tensor[(10,), "f32"], y: Tensor[(12,), "f32"]):
    acc = zeros(type=Tensor[(4,), "f32"])
    for i in tile(12, 4):
        acc = acc + y[i]
    for i in tile(10, 4):
        acc = acc * 0.5
    for i in tile(10, 4):
        acc = acc + x[i]  # ERROR: TF4400
    return acc
# ==== EXPECTED ====
# ---- tilefoundry check %s
# OUT| %s: ok: Module rest (1 module, 1 function, 6 calls)
# ---- tilefoundry lower %s
# ERR| %s:19:21: error[TF4400]: the tiles of 4 do not provably divide 10, and the last one would leave a rest for which this window has no lowering
# ERR|  19 |         acc = acc + x[i]  # ERROR: TF4400
# ERR|     |                     ^~~~
# ERR| %s:18:5: note: the loop
# ERR|  18 |     for i in tile(10, 4):
# ERR|     |     ^~~~~~~~~~~~~~~~~~~~~
# ERR| hint: choose a step that divides the extent, or lower the rest by hand
