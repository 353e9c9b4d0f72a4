# RUN: tilefoundry check %s
# EXIT: 1
from math import sqrt  # ERROR: TF2005
from .local import name  # ERROR: TF2005
from tilefoundry import func
from tilefoundry.dsl import Tensor


def helper(n):
    return n * 2


print("text")  # ERROR: TF2100
n = helper(4)  # ERROR: TF2044
for i in range(4):  # ERROR: TF2100
    pass
if n > 4:  # ERROR: TF2100
    pass
m = sqrt(4)  # nothing more about sqrt
n += 1  # ERROR: TF2100


@func
def f(x: Tensor[(4,), "f32"]):
    return x


y = f(n)  # nothing more about n
z = f(4)  # ERROR: TF2046

if __name__ == "__main__":
    print("skipped")
# ==== EXPECTED ====
# ---- tilefoundry check %s
# ERR| %s:3:6: error[TF2005]: the module 'math' cannot be imported without Python
# ERR|  3 | from math import sqrt  # ERROR: TF2005
# ERR|    |      ^~~~
# ERR| hint: the Python door loads such files: import it from Python
# ERR| %s:4:1: error[TF2005]: relative imports need Python
# ERR|  4 | from .local import name  # ERROR: TF2005
# ERR|    | ^~~~~~~~~~~~~~~~~~~~~~~
# ERR| hint: the Python door loads such files: import it from Python
# ERR| %s:13:1: error[TF2100]: an expression cannot stand in a file that is loaded without Python
# ERR|  13 | print("text")  # ERROR: TF2100
# ERR|     | ^~~~~~~~~~~~~
# ERR| hint: the Python door loads such files: import it from Python
# ERR| %s:14:5: error[TF2044]: the undecorated function 'helper' cannot be called
# ERR|  14 | n = helper(4)  # ERROR: TF2044
# ERR|     |     ^~~~~~~~~
# ERR| hint: nothing captured is called while a program is read; decorate it with @func, or compute its result before
# ERR| %s:15:1: error[TF2100]: 'for' cannot stand in a file that is loaded without Python
# ERR|  15 | for i in range(4):  # ERROR: TF2100
# ERR|     | ^~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~
# ERR| hint: the Python door loads such files: import it from Python
# ERR| %s:17:1: error[TF2100]: 'if' cannot stand in a file that is loaded without Python
# ERR|  17 | if n > 4:  # ERROR: TF2100
# ERR|     | ^~~~~~~~~~~~~~~~~~~~~~~~~~
# ERR| hint: the Python door loads such files: import it from Python
# ERR| %s:20:1: error[TF2100]: an augmented assignment cannot stand in a file that is loaded without Python
# ERR|  20 | n += 1  # ERROR: TF2100
# ERR|     | ^~~~~~
# ERR| hint: the Python door loads such files: import it from Python
# ERR| %s:29:5: error[TF2046]: the function 'f' can be called in a body only
# ERR|  29 | z = f(4)  # ERROR: TF2046
# ERR|     |     ^~~~
# ERR| hint: call it inside of a decorated function
