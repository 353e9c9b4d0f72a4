# RUN: tilefoundry check %s
# EXIT: 1
from tilefoundry import func
from tilefoundry.dsl import DimVar, Tensor
from tilefoundry.dsl.tf import add

S = DimVar("S", 1, 64)


@func
def body(x: Tensor[(4, 8), "f32"], m: Tensor[(4, 8), "bool"]):
    a = lambda v: v  # ERROR: TF2103
    b = [v for v in range(4) if v]  # ERROR: TF2105
    c = [v + w for v in range(4) for w in range(4)]  # ERROR: TF2105
    d = [v for v in x]  # ERROR: TF2105
    e = f"text"  # ERROR: TF2103
    f = {1, 2}  # ERROR: TF2103
    g = x if m else x  # ERROR: TF2104
    h = add(*x)  # ERROR: TF2108
    i = (j := x)  # ERROR: TF2103
    k = x & x  # ERROR: TF2071
    l = x << 1  # ERROR: TF2072
    n = x is x  # ERROR: TF2072
    o = 2 // 0  # ERROR: TF2031
    p = 2 ** 64  # ERROR: TF2032
    q = S / 2  # ERROR: TF2030
    r = S > 2  # ERROR: TF2033
    s = "a" - 1  # ERROR: TF2030
    t = 4(x)  # ERROR: TF2044
    return x, "text"  # ERROR: TF2073
# ==== EXPECTED ====
# ---- tilefoundry check %s
# ERR| %s:12:9: error[TF2103]: a lambda cannot stand here
# ERR|  12 |     a = lambda v: v  # ERROR: TF2103
# ERR|     |         ^~~~~~~~~~~
# ERR| hint: write the computation as a decorated function and call it
# ERR| %s:13:33: error[TF2105]: a comprehension has no 'if'
# ERR|  13 |     b = [v for v in range(4) if v]  # ERROR: TF2105
# ERR|     |                                 ^
# ERR| hint: choose the items in the sequence that it runs over
# ERR| %s:14:9: error[TF2105]: a comprehension has one plain 'for'
# ERR|  14 |     c = [v + w for v in range(4) for w in range(4)]  # ERROR: TF2105
# ERR|     |         ^~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~
# ERR| hint: nest the list in a second comprehension, or write the items out
# ERR| %s:15:21: error[TF2105]: a comprehension runs over range(...) or a compile-time sequence, not a value of type Tensor[(4, 8), "f32"]
# ERR|  15 |     d = [v for v in x]  # ERROR: TF2105
# ERR|     |                     ^
# ERR| %s:16:9: error[TF2103]: an f-string cannot stand here
# ERR|  16 |     e = f"text"  # ERROR: TF2103
# ERR|     |         ^~~~~~~
# ERR| hint: write the text as a plain string
# ERR| %s:17:9: error[TF2103]: a set cannot stand here
# ERR|  17 |     f = {1, 2}  # ERROR: TF2103
# ERR|     |         ^~~~~~
# ERR| hint: layout sugar is not supported yet; write ShardLayout(...)
# ERR| %s:18:9: error[TF2104]: a condition is known at run time only
# ERR|  18 |     g = x if m else x  # ERROR: TF2104
# ERR|     |         ^~~~~~~~~~~~~
# ERR| hint: choose element by element with 'where(condition, a, b)'
# ERR| %s:19:13: error[TF2108]: arguments cannot be unpacked into a call
# ERR|  19 |     h = add(*x)  # ERROR: TF2108
# ERR|     |             ^~
# ERR| hint: name each argument: f(a, b) instead of f(*values)
# ERR| %s:20:10: error[TF2103]: ':=' cannot stand here
# ERR|  20 |     i = (j := x)  # ERROR: TF2103
# ERR|     |          ^~~~~~
# ERR| hint: assign on a line of its own
# ERR| %s:21:9: error[TF2071]: '&' is defined on bool only, not on a value of type Tensor[(4, 8), "f32"]
# ERR|  21 |     k = x & x  # ERROR: TF2071
# ERR|     |         ^~~~~
# ERR| hint: compare first: (a > 0) & (b > 0)
# ERR| %s:22:9: error[TF2072]: '<<' is not defined on tensors
# ERR|  22 |     l = x << 1  # ERROR: TF2072
# ERR|     |         ^~~~~~
# ERR| %s:23:11: error[TF2072]: 'is' is not defined on tensors
# ERR|  23 |     n = x is x  # ERROR: TF2072
# ERR|     |           ^~
# ERR| hint: write '=='
# ERR| %s:24:9: error[TF2031]: '//' divides by zero
# ERR|  24 |     o = 2 // 0  # ERROR: TF2031
# ERR|     |         ^~~~~~
# ERR| %s:25:9: error[TF2032]: the result of '**' needs more than 64 bits
# ERR|  25 |     p = 2 ** 64  # ERROR: TF2032
# ERR|     |         ^~~~~~~
# ERR| %s:26:9: error[TF2030]: dimensions have no true division
# ERR|  26 |     q = S / 2  # ERROR: TF2030
# ERR|     |         ^~~~~
# ERR| hint: write '//' or ceildiv(a, b)
# ERR| %s:27:9: error[TF2033]: the order of symbolic dimensions is not known at compile time
# ERR|  27 |     r = S > 2  # ERROR: TF2033
# ERR|     |         ^~~~~
# ERR| %s:28:9: error[TF2030]: '-' does not take the string "a" and the int 1
# ERR|  28 |     s = "a" - 1  # ERROR: TF2030
# ERR|     |         ^~~~~~~
# ERR| %s:29:9: error[TF2044]: the int 4 cannot be called
# ERR|  29 |     t = 4(x)  # ERROR: TF2044
# ERR|     |         ^~~~
# ERR| %s:30:12: error[TF2073]: the string "text" is no value of a tensor program
# ERR|  30 |     return x, "text"  # ERROR: TF2073
# ERR|     |            ^~~~~~~~~
# ERR| hint: compile-time numbers become values beside a tensor
