# RUN: tilefoundry check %s
# EXIT: 1
from tilefoundry import func
from tilefoundry.dsl import T, Tensor, Tensr, tf  # ERROR: TF2002
from tilefoundry.dsl.tf import add, copy  # ERROR: TF2002
from tilefoundry.dls import Mesh  # ERROR: TF2005
import numpy  # ERROR: TF2005


@func
def unknown(x: Tensor[(4, 8), "f32"]):
    a = ad(x, x)  # ERROR: TF2001
    b = a + 1  # nothing more about a
    c = tf.matmull(x, x)  # ERROR: TF2002
    d = dot(x, x)  # ERROR: TF2001
    e = later(x)  # ERROR: TF2003
    f = T.copy(x, x)  # ERROR: TF2004
    g = T.parallel(4)  # ERROR: TF2004
    return x.shape  # ERROR: TF2045


@func
def later(x: Tensor[(4, 8), "f32"]):
    return x.exp()  # ERROR: TF2045
# ==== EXPECTED ====
# ---- tilefoundry check %s
# ERR| %s:4:40: error[TF2002]: 'tilefoundry.dsl' has no name 'Tensr'
# ERR|  4 | from tilefoundry.dsl import T, Tensor, Tensr, tf  # ERROR: TF2002
# ERR|    |                                        ^~~~~
# ERR| hint: did you mean 'Tensor'?
# ERR| %s:5:37: error[TF2002]: 'tilefoundry.dsl.tf' has no name 'copy'
# ERR|  5 | from tilefoundry.dsl.tf import add, copy  # ERROR: TF2002
# ERR|    |                                     ^~~~
# ERR| hint: did you mean 'cos'?
# ERR| %s:6:6: error[TF2005]: there is no module 'tilefoundry.dls'
# ERR|  6 | from tilefoundry.dls import Mesh  # ERROR: TF2005
# ERR|    |      ^~~~~~~~~~~~~~~
# ERR| hint: did you mean 'tilefoundry.dsl'?
# ERR| %s:7:8: error[TF2005]: the module 'numpy' cannot be imported without Python
# ERR|  7 | import numpy  # ERROR: TF2005
# ERR|    |        ^~~~~
# ERR| hint: the Python door loads such files: import it from Python
# ERR| %s:12:9: error[TF2001]: the name 'ad' is not defined here
# ERR|  12 |     a = ad(x, x)  # ERROR: TF2001
# ERR|     |         ^~
# ERR| hint: did you mean 'add'?
# ERR| %s:14:12: error[TF2002]: 'tilefoundry.dsl.tf' has no name 'matmull'
# ERR|  14 |     c = tf.matmull(x, x)  # ERROR: TF2002
# ERR|     |            ^~~~~~~
# ERR| hint: did you mean 'matmul'?
# ERR| %s:15:9: error[TF2001]: the name 'dot' is not defined here
# ERR|  15 |     d = dot(x, x)  # ERROR: TF2001
# ERR|     |         ^~~
# ERR| hint: the language calls it 'matmul'
# ERR| %s:16:9: error[TF2003]: 'later' is defined further down
# ERR|  16 |     e = later(x)  # ERROR: TF2003
# ERR|     |         ^~~~~
# ERR| %s:23:5: note: it is defined here
# ERR|  23 | def later(x: Tensor[(4, 8), "f32"]):
# ERR|     |     ^~~~~
# ERR| hint: definitions see only what stands above them: move this one below
# ERR| %s:17:9: error[TF2004]: 'T.copy' belongs to @prim_func and is unknown in @func
# ERR|  17 |     f = T.copy(x, x)  # ERROR: TF2004
# ERR|     |         ^~~~~~
# ERR| hint: the ops of @func are those of the namespace tf
# ERR| %s:18:9: error[TF2004]: 'T.parallel' belongs to @prim_func
# ERR|  18 |     g = T.parallel(4)  # ERROR: TF2004
# ERR|     |         ^~~~~~~~~~~~~
# ERR| %s:19:14: error[TF2045]: a value of type Tensor[(4, 8), "f32"] has no attribute 'shape'
# ERR|  19 |     return x.shape  # ERROR: TF2045
# ERR|     |              ^~~~~
# ERR| hint: write the dimensions and the dtype of the signature by name
# ERR| %s:24:14: error[TF2045]: a value of type Tensor[(4, 8), "f32"] has no attribute 'exp'
# ERR|  24 |     return x.exp()  # ERROR: TF2045
# ERR|     |              ^~~
# ERR| hint: ops are functions: exp(value)
