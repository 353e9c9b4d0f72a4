# RUN: tilefoundry check %s
# EXIT: 1
from tilefoundry import func, module
from tilefoundry.dsl import Tensor


@module(entry="g")
class WrongEntry:  # ERROR: TF3051
    @func
    def f(x: Tensor[(4,), "f32"]):
        return x


@module(target="cpu")  # ERROR: TF2082
class TextTarget:
    pass


@module("f")  # ERROR: TF2081
class Positional:
    pass


@module()
class Members:
    n = 4  # ERROR: TF2085

    class Plain:  # ERROR: TF2085
        pass

    def __call__(self):  # ERROR: TF2086
        pass


@module()
class Derived(Members):  # ERROR: TF2087
    pass


@module()  # ERROR: TF2084
def function():
    pass


@func  # ERROR: TF2084
class Class:
    pass


@staticmethod  # ERROR: TF2001
def decorated():
    pass


@func
@func  # ERROR: TF2083
def twice(x: Tensor[(4,), "f32"]):
    return x


@module()
class Other:
    @func
    def forward(x: Tensor[(4,), "f32"]):
        return x


@module()
class Caller:
    @func
    def forward(x: Tensor[(4,), "f32"]):
        return Other(x)  # ERROR: TF2074
