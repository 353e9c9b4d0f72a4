# RUN: tilefoundry check %s
# EXIT: 1
from tilefoundry import func, intrinsic
from tilefoundry.dsl import DimVar, Tensor

S = DimVar("S", 1, 64)


@intrinsic  # ERROR: TF2113
def statement(x):
    pass


@func
def base(x: Tensor[(S,), "f32"]) -> Tensor[(S,), "f32"]:
    pass


@base.converter("weight")  # ERROR: TF2114
def convert(x):
    return x
# ==== EXPECTED ====
# ---- tilefoundry check %s
# ERR| %s:9:2: error[TF2113]: '@intrinsic' is not supported yet
# ERR|  9 | @intrinsic  # ERROR: TF2113
# ERR|    |  ^~~~~~~~~
# ERR| %s:19:2: error[TF2114]: '.converter' is not supported yet
# ERR|  19 | @base.converter("weight")  # ERROR: TF2114
# ERR|     |  ^~~~~~~~~~~~~~
