"""The gated feed-forward block of a Llama-style model.

Each projection is a child Module with its own weight. The owner calls a child by its name and
leaves the weight out: it travels with the Module as `gate.weight`, `up.weight`, `down.weight`.
"""

from tilefoundry import func, module
from tilefoundry.dsl import ConstTensor, DimVar, Tensor
from tilefoundry.dsl.tf import silu

tokens = DimVar("tokens", 1, 4097)
hidden = 512
inner = 1408


@module(entry="forward")
class Widen:
    @func
    def forward(
        x: Tensor[(tokens, hidden), "f32"], weight: ConstTensor[(hidden, inner), "f32"]
    ) -> Tensor[(tokens, inner), "f32"]:
        return x @ weight


@module(entry="forward")
class Narrow:
    @func
    def forward(
        x: Tensor[(tokens, inner), "f32"], weight: ConstTensor[(inner, hidden), "f32"]
    ) -> Tensor[(tokens, hidden), "f32"]:
        return x @ weight


@module(entry="forward")
class SwigluMlp:
    gate = Widen
    up = Widen
    down = Narrow

    @func
    def forward(x: Tensor[(tokens, hidden), "f32"]) -> Tensor[(tokens, hidden), "f32"]:
        gated = silu(gate(x)) * up(x)
        return down(gated)
