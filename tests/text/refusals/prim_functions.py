# RUN: tilefoundry check %s
# EXIT: 1
from tilefoundry import func, prim_func
from tilefoundry.dsl import T, Tensor
from tilefoundry.dsl.tf import add


@func
def value(x: Tensor[(4,), "f32"]):
    return x


@prim_func(outputs=1)
def kernel(x: Tensor[(4,), "f32"], y: Tensor[(4,), "f32"]):
    a = x[0:2]  # ERROR: TF2142
    b = T.copy(x, y)  # ERROR: TF2140
    T.copy(x)  # ERROR: TF2060
    c = add(x, y)  # ERROR: TF2004
    value(x)  # ERROR: TF2004
    x[0]  # ERROR: TF2133
    d = 0 < x[0] < 1  # ERROR: TF2141
    for i in (1, 2):  # ERROR: TF2145
        pass
    T.abort(4)  # ERROR: TF2143
    y[0] += 1.0  # ERROR: TF2132
    kernel2(x)  # ERROR: TF2001
    break  # ERROR: TF2134
    return x  # ERROR: TF2144
# ==== EXPECTED ====
# ---- tilefoundry check %s
# ERR| %s:15:11: error[TF2142]: a subscript of TIR names one element
# ERR|  15 |     a = x[0:2]  # ERROR: TF2142
# ERR|     |           ^~~
# ERR| hint: write T.tensor_view(memory, starts..., shape=...) for a window
# ERR| %s:16:9: error[TF2140]: 'copy' writes its operands and has no value
# ERR|  16 |     b = T.copy(x, y)  # ERROR: TF2140
# ERR|     |         ^~~~~~~~~~~~
# ERR| hint: write it as a statement
# ERR| %s:17:5: error[TF2060]: 'copy' lacks its operand 'dst'
# ERR|  17 |     T.copy(x)  # ERROR: TF2060
# ERR|     |     ^~~~~~~~~
# ERR| hint: it is copy(src, dst)
# ERR| %s:18:9: error[TF2004]: 'add' is an op of @func, unknown in @prim_func
# ERR|  18 |     c = add(x, y)  # ERROR: TF2004
# ERR|     |         ^~~
# ERR| hint: the ops of @prim_func are those of the namespace T
# ERR| %s:19:5: error[TF2004]: the function 'value' cannot be called from a @prim_func
# ERR|  19 |     value(x)  # ERROR: TF2004
# ERR|     |     ^~~~~~~~
# ERR| hint: a @prim_func calls other @prim_funcs
# ERR| %s:20:5: error[TF2133]: the value of this statement is not used
# ERR|  20 |     x[0]  # ERROR: TF2133
# ERR|     |     ^~~~
# ERR| hint: name it: x = ...
# ERR| %s:21:9: error[TF2141]: comparisons of scalars do not chain
# ERR|  21 |     d = 0 < x[0] < 1  # ERROR: TF2141
# ERR|     |         ^~~~~~~~~~~~
# ERR| hint: write 'a < b and b < c'
# ERR| %s:22:5: error[TF2145]: a loop of TIR runs over a range
# ERR|  22 |     for i in (1, 2):  # ERROR: TF2145
# ERR|     |     ^~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~
# ERR| hint: for i in range(stop), range(start, stop, step), T.parallel(...), T.vectorized(...) or T.unrolled(...)
# ERR| %s:24:5: error[TF2143]: 'T.abort' is used in another way
# ERR|  24 |     T.abort(4)  # ERROR: TF2143
# ERR|     |     ^~~~~~~~~~
# ERR| hint: T.abort("text") and T.call("symbol", ...) are statements; T.symbol("name") and T.shape_of(tensor, axis) are values; T.dispatch, T.case and T.fallback stand behind 'with'; T.parallel, T.vectorized and T.unrolled stand behind 'for i in'
# ERR| %s:25:5: error[TF2132]: '+=' cannot stand in @prim_func
# ERR|  25 |     y[0] += 1.0  # ERROR: TF2132
# ERR|     |     ^~~~~~~~~~~
# ERR| hint: write 'y[0] = y[0] + ...'
# ERR| %s:26:5: error[TF2001]: the name 'kernel2' is not defined here
# ERR|  26 |     kernel2(x)  # ERROR: TF2001
# ERR|     |     ^~~~~~~
# ERR| %s:27:5: error[TF2134]: 'break' cannot stand in @prim_func
# ERR|  27 |     break  # ERROR: TF2134
# ERR|     |     ^~~~~
# ERR| %s:28:12: error[TF2144]: a @prim_func returns nothing
# ERR|  28 |     return x  # ERROR: TF2144
# ERR|     |            ^
# ERR| hint: write the result to an output: y[i] = value
