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
# ==== EXPECTED ====
# ---- tilefoundry check %s
# ERR| %s:8:7: error[TF3051]: Module WrongEntry declares the entry "g" but has no such function
# ERR|  8 | class WrongEntry:  # ERROR: TF3051
# ERR|    |       ^~~~~~~~~~
# ERR| hint: its functions are f
# ERR| %s:14:16: error[TF2082]: a target is a value, not the string "cpu"
# ERR|  14 | @module(target="cpu")  # ERROR: TF2082
# ERR|     |                ^~~~~
# ERR| hint: write CpuTarget() or CudaTarget(), imported from tilefoundry.target
# ERR| %s:19:9: error[TF2081]: '@module' takes its arguments by name
# ERR|  19 | @module("f")  # ERROR: TF2081
# ERR|     |         ^~~
# ERR| hint: its arguments are entry, target, topologies, name
# ERR| %s:26:5: error[TF2085]: an attribute of a Module holds a Module, not the int 4
# ERR|  26 |     n = 4  # ERROR: TF2085
# ERR|     |     ^~~~~
# ERR| hint: constants go above the class
# ERR| %s:28:11: error[TF2085]: the class 'Plain' is no Module
# ERR|  28 |     class Plain:  # ERROR: TF2085
# ERR|     |           ^~~~~
# ERR| hint: decorate it with @module()
# ERR| %s:31:9: error[TF2086]: a Module has no '__call__' of its own
# ERR|  31 |     def __call__(self):  # ERROR: TF2086
# ERR|     |         ^~~~~~~~
# ERR| hint: calling a Module calls its entry
# ERR| %s:36:15: error[TF2087]: a Module has no base classes
# ERR|  36 | class Derived(Members):  # ERROR: TF2087
# ERR|     |               ^~~~~~~
# ERR| hint: write 'class Derived:'
# ERR| %s:40:2: error[TF2084]: '@module' decorates a class, not a function
# ERR|  40 | @module()  # ERROR: TF2084
# ERR|     |  ^~~~~~~~
# ERR| hint: write '@func', or 'class' instead of 'def'
# ERR| %s:45:2: error[TF2084]: this decorator is for functions
# ERR|  45 | @func  # ERROR: TF2084
# ERR|     |  ^~~~
# ERR| hint: write '@module()' above a class
# ERR| %s:50:2: error[TF2001]: the name 'staticmethod' is not defined here
# ERR|  50 | @staticmethod  # ERROR: TF2001
# ERR|     |  ^~~~~~~~~~~~
# ERR| %s:56:2: error[TF2083]: a definition has one decorator
# ERR|  56 | @func  # ERROR: TF2083
# ERR|     |  ^~~~
# ERR| %s:72:16: error[TF2074]: the Module 'Other' is no child of this one
# ERR|  72 |         return Other(x)  # ERROR: TF2074
# ERR|     |                ^~~~~~~~
# ERR| hint: bind it in the class body above: child = Other
