# RUN: tilefoundry check %s
# PROVES: P4
from tilefoundry import func
from tilefoundry.dsl import Tensor
from tilefoundry.ir.core import Module
from tilefoundry.ir.hir import Function
from tilefoundry.ir.tir import PrimFunction


@func
def f(x: Tensor[(4,), "f32"]) -> Tensor[(4,), "f32"]:
    return x
# ==== EXPECTED ====
# ---- tilefoundry check %s
# OUT| %s: ok: Module f (1 module, 1 function, 0 calls)
