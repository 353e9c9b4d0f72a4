# PROVES: P48
# RUN: tilefoundry check %s
# RUN: tilefoundry lower %s
# EXIT: 1
# A moved window is the loop's window too, though this one stays within x.
from tilefoundry import func
from tilefoundry.dsl import Tensor, tile
from tilefoundry.dsl.tf import zeros


@func
def moved(x: Tensor[(16,), "f32"]):
    acc = zeros(type=Tensor[(4,), "f32"])
    for i in tile(10, 4):
        acc = acc + x[i + 4]  # ERROR: TF4400
    return acc
# ==== EXPECTED ====
# ---- tilefoundry check %s
# OUT| %s: ok: Module moved (1 module, 1 function, 3 calls)
# ---- tilefoundry lower %s
# ERR| %s:15:21: error[TF4400]: the tiles of 4 do not provably divide 10, and the last one would leave a rest for which this window has no lowering
# ERR|  15 |         acc = acc + x[i + 4]  # ERROR: TF4400
# ERR|     |                     ^~~~~~~~
# ERR| %s:14:5: note: the loop
# ERR|  14 |     for i in tile(10, 4):
# ERR|     |     ^~~~~~~~~~~~~~~~~~~~~
# ERR| hint: choose a step that divides the extent, or lower the rest by hand
