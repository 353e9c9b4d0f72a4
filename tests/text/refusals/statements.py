# RUN: tilefoundry check %s
# EXIT: 1
from tilefoundry import func
from tilefoundry.dsl import Tensor
from tilefoundry.dsl.tf import add


@func
def body(x: Tensor[(4, 8), "f32"]):
    x += x  # ERROR: TF2132
    if x:  # ERROR: TF2104
        y = x
    while x:  # ERROR: TF2131
        y = x
    for i in (0, 1):  # ERROR: TF2400
        y = x
    try:  # ERROR: TF2134
        y = x
    except ValueError:
        y = x
    assert x  # ERROR: TF2134
    import os  # ERROR: TF2134
    del x  # ERROR: TF2134
    async def inner():  # ERROR: TF2134
        pass
    add(x, x)  # ERROR: TF2133
    yield x  # ERROR: TF2103
    x[0] = x  # ERROR: TF2106
    z: Tensor[(4, 8), "f32"] = x  # ERROR: TF2110
    w: where(storage="smem") = x  # ERROR: TF2109
    with open("f") as f:  # ERROR: TF2001
        pass
    return  # ERROR: TF2121
    y = x  # ERROR: TF2120
# ==== EXPECTED ====
# ---- tilefoundry check %s
# ERR| %s:10:5: error[TF2132]: '+=' cannot stand in @func: values do not change
# ERR|  10 |     x += x  # ERROR: TF2132
# ERR|     |     ^~~~~~
# ERR| hint: write 'x = x + ...'
# ERR| %s:11:5: error[TF2104]: 'if' cannot stand in @func
# ERR|  11 |     if x:  # ERROR: TF2104
# ERR|     |     ^~~~~~~~~~~~~~~~~~~~~~
# ERR| hint: choose element by element with 'where(condition, a, b)'
# ERR| %s:13:5: error[TF2131]: 'while' cannot stand in @func
# ERR|  13 |     while x:  # ERROR: TF2131
# ERR|     |     ^~~~~~~~~~~~~~~~~~~~~~~~~
# ERR| hint: the number of steps is known before a loop runs: 'for i in range(n)'
# ERR| %s:15:14: error[TF2400]: a loop runs over a range or over tiles
# ERR|  15 |     for i in (0, 1):  # ERROR: TF2400
# ERR|     |              ^~~~~~
# ERR| hint: for i in range(stop), range(start, stop), range(start, stop, step) or tile(extent, step)
# ERR| %s:17:5: error[TF2134]: 'try' cannot stand in @func
# ERR|  17 |     try:  # ERROR: TF2134
# ERR|     |     ^~~~~~~~~~~~~~~~~~~~~
# ERR| hint: nothing here raises: write the steps alone
# ERR| %s:21:5: error[TF2134]: 'assert' cannot stand in @func
# ERR|  21 |     assert x  # ERROR: TF2134
# ERR|     |     ^~~~~~~~
# ERR| hint: shapes and dtypes are checked by the signature
# ERR| %s:22:5: error[TF2134]: 'import' cannot stand in @func
# ERR|  22 |     import os  # ERROR: TF2134
# ERR|     |     ^~~~~~~~~
# ERR| hint: import at the top of the file
# ERR| %s:23:5: error[TF2134]: 'del' cannot stand in @func
# ERR|  23 |     del x  # ERROR: TF2134
# ERR|     |     ^~~~~
# ERR| hint: leave it out: values need no release
# ERR| %s:24:5: error[TF2134]: the function 'inner' cannot stand in @func
# ERR|  24 |     async def inner():  # ERROR: TF2134
# ERR|     |     ^~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~
# ERR| hint: define it outside, above, with @func, and call it
# ERR| %s:26:5: error[TF2133]: the value of this statement is not used
# ERR|  26 |     add(x, x)  # ERROR: TF2133
# ERR|     |     ^~~~~~~~~
# ERR| hint: name it: x = ..., or return it
# ERR| %s:27:5: error[TF2103]: 'yield' cannot stand here
# ERR|  27 |     yield x  # ERROR: TF2103
# ERR|     |     ^~~~~~~
# ERR| hint: use 'return'
# ERR| %s:28:5: error[TF2106]: only names can be assigned: values do not change
# ERR|  28 |     x[0] = x  # ERROR: TF2106
# ERR|     |     ^~~~
# ERR| hint: make a new value that differs in this part, and name it
# ERR| %s:29:8: error[TF2110]: a value inside of a body has no annotation
# ERR|  29 |     z: Tensor[(4, 8), "f32"] = x  # ERROR: TF2110
# ERR|     |        ^~~~~~~~~~~~~~~~~~~~~
# ERR| hint: leave it out: types are inferred
# ERR| %s:30:8: error[TF2109]: scheduling constraints are not supported yet: 'x: where(...)'
# ERR|  30 |     w: where(storage="smem") = x  # ERROR: TF2109
# ERR|     |        ^~~~~~~~~~~~~~~~~~~~~
# ERR| hint: leave the annotation out
# ERR| %s:31:10: error[TF2001]: the name 'open' is not defined here
# ERR|  31 |     with open("f") as f:  # ERROR: TF2001
# ERR|     |          ^~~~
# ERR| %s:33:5: error[TF2121]: 'return' gives no value
# ERR|  33 |     return  # ERROR: TF2121
# ERR|     |     ^~~~~~
# ERR| hint: return the result: return x
# ERR| %s:34:5: error[TF2120]: nothing runs after 'return'
# ERR|  34 |     y = x  # ERROR: TF2120
# ERR|     |     ^~~~~
# ERR| hint: a function returns once, at its end
