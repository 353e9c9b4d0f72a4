# RUN: tilefoundry check %s
# EXIT: 1
from tilefoundry import prim_func
from tilefoundry.dsl import T, Tensor


@prim_func(outputs=1)
def f(x: Tensor[(4,), "f32"], y: Tensor[(4,), "f32"]):
    T.profile_mark(site=0, sites=1)
    T.copy(x, y)
    T.profile_mark(site=1, sites=1, end=True)  # ERROR: TF3100
# ==== EXPECTED ====
# ---- tilefoundry check %s
# ERR| %s:11:5: error[TF3100]: Evaluate[ProfileMark]: has the site 1 of 1
# ERR|  11 |     T.profile_mark(site=1, sites=1, end=True)  # ERROR: TF3100
# ERR|     |     ^~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~
# ERR| hint: sites count from 0 and are at most 1048576
