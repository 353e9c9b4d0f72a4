# RUN: tilefoundry check %s
# EXIT: 1
from tilefoundry import func
from tilefoundry.dsl import Layout, Mesh, Tensor, Topology, tile
from tilefoundry.dsl.tf import add, full_like, reduce, zeros

cta = Mesh((Topology("cta", 4),), Layout((4,), (1,)), names=("x",))


@func
def heads(x: Tensor[(4, 8), "f32"], n: Tensor[(), "f32"]):
    y = x
    for i, j in ((0, 1), (2, 3)):  # ERROR: TF2400
        y = y + x
    for i in (0, 1):  # ERROR: TF2400
        y = y + x
    for i in range():  # ERROR: TF2400
        y = y + x
    for i in range(stop=4):  # ERROR: TF2400
        y = y + x
    for i in tile(8):  # ERROR: TF2400
        y = y + x
    for i in range(4):  # ERROR: TF2400
        y = y + x
    else:
        y = x
    for i in range(n):  # ERROR: TF2401
        y = y + x
    for i in range(0, 4, 0):  # ERROR: TF2401
        y = y + x
    for i in range(4, 0, -1):  # ERROR: TF2401
        y = y + x
    for i in tile(8, 0):  # ERROR: TF2401
        y = y + x
    for x in range(4):  # ERROR: TF2409
        pass
    for i in range(4):  # ERROR: TF2409
        i = x
    return x


@func
def names(x: Tensor[(4, 8), "f32"]):
    total = 0.0
    for i in range(4):  # ERROR: TF2402
        total = total + 1.0
    y = x
    for i in range(4):  # ERROR: TF2402
        y = 0.0
    mesh = cta
    for i in range(4):  # ERROR: TF2403
        mesh = x
    acc = x
    for i in range(4):
        part = acc + x
        acc = part + x
    z = part  # ERROR: TF2404
    w = acc + i  # ERROR: TF2404
    for i in range(4):  # ERROR: TF2405
        unused = x + x
    return x
# ==== EXPECTED ====
# ---- tilefoundry check %s
# ERR| %s:13:9: error[TF2400]: a loop binds one name
# ERR|  13 |     for i, j in ((0, 1), (2, 3)):  # ERROR: TF2400
# ERR|     |         ^~~~
# ERR| hint: for i in range(stop), range(start, stop), range(start, stop, step) or tile(extent, step)
# ERR| %s:15:14: error[TF2400]: a loop runs over a range or over tiles
# ERR|  15 |     for i in (0, 1):  # ERROR: TF2400
# ERR|     |              ^~~~~~
# ERR| hint: for i in range(stop), range(start, stop), range(start, stop, step) or tile(extent, step)
# ERR| %s:17:14: error[TF2400]: range takes one to three bounds
# ERR|  17 |     for i in range():  # ERROR: TF2400
# ERR|     |              ^~~~~~~
# ERR| hint: for i in range(stop), range(start, stop), range(start, stop, step) or tile(extent, step)
# ERR| %s:19:25: error[TF2400]: the bounds of a loop are given by position
# ERR|  19 |     for i in range(stop=4):  # ERROR: TF2400
# ERR|     |                         ^
# ERR| hint: for i in range(stop), range(start, stop), range(start, stop, step) or tile(extent, step)
# ERR| %s:21:14: error[TF2400]: tile takes an extent and a step
# ERR|  21 |     for i in tile(8):  # ERROR: TF2400
# ERR|     |              ^~~~~~~
# ERR| hint: for i in range(stop), range(start, stop), range(start, stop, step) or tile(extent, step)
# ERR| %s:23:5: error[TF2400]: a loop has no 'else'
# ERR|  23 |     for i in range(4):  # ERROR: TF2400
# ERR|     |     ^~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~
# ERR| hint: write these statements behind the loop
# ERR| %s:27:20: error[TF2401]: a bound of a loop is an int, a dimension or an integer scalar, not a value of type Tensor[(), "f32"]
# ERR|  27 |     for i in range(n):  # ERROR: TF2401
# ERR|     |                    ^
# ERR| hint: bounds are arithmetic over numbers, dimensions, parameters of rank 0 and the variables of outer loops
# ERR| %s:29:26: error[TF2401]: the step of a loop is at least 1, not 0
# ERR|  29 |     for i in range(0, 4, 0):  # ERROR: TF2401
# ERR|     |                          ^
# ERR| hint: count upwards, and compute the falling number from the variable
# ERR| %s:31:26: error[TF2401]: the step of a loop is at least 1, not -1
# ERR|  31 |     for i in range(4, 0, -1):  # ERROR: TF2401
# ERR|     |                          ^~
# ERR| hint: count upwards, and compute the falling number from the variable
# ERR| %s:33:22: error[TF2401]: the step of a loop is at least 1, not 0
# ERR|  33 |     for i in tile(8, 0):  # ERROR: TF2401
# ERR|     |                      ^
# ERR| hint: a tile has at least one element
# ERR| %s:35:9: error[TF2409]: the variable of this loop hides a value of type Tensor[(4, 8), "f32"], which 'x' names before it
# ERR|  35 |     for x in range(4):  # ERROR: TF2409
# ERR|     |         ^
# ERR| hint: give the variable a name of its own
# ERR| %s:37:9: error[TF2409]: the body of this loop assigns to its variable 'i'
# ERR|  37 |     for i in range(4):  # ERROR: TF2409
# ERR|     |         ^
# ERR| hint: give the value a name of its own
# ERR| %s:45:5: error[TF2402]: the loop gives 'total' a new value, but before the loop it is the float 0.0
# ERR|  45 |     for i in range(4):  # ERROR: TF2402
# ERR|     |     ^~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~
# ERR| hint: a loop carries tensors: start from total = zeros(type=Tensor[(), "f32"]) or total = full_like(x, value=...)
# ERR| %s:48:5: error[TF2402]: the loop gives 'y' the float 0.0, but carries it as Tensor[(4, 8), "f32"]
# ERR|  48 |     for i in range(4):  # ERROR: TF2402
# ERR|     |     ^~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~
# ERR| hint: give it a tensor of that type: full_like(x, value=...)
# ERR| %s:51:5: error[TF2403]: the loop gives 'mesh' a new value, but before the loop it is a Mesh
# ERR|  51 |     for i in range(4):  # ERROR: TF2403
# ERR|     |     ^~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~
# ERR| hint: use another name inside of the loop
# ERR| %s:57:9: error[TF2404]: 'part' is defined inside of a loop only
# ERR|  57 |     z = part  # ERROR: TF2404
# ERR|     |         ^~~~
# ERR| %s:54:5: note: the loop that defines it
# ERR|  54 |     for i in range(4):
# ERR|     |     ^~~~~~~~~~~~~~~~~~
# ERR| hint: give the name a value before the loop, so that the loop carries it
# ERR| %s:58:15: error[TF2404]: 'i' is defined inside of a loop only
# ERR|  58 |     w = acc + i  # ERROR: TF2404
# ERR|     |               ^
# ERR| %s:54:5: note: the loop that defines it
# ERR|  54 |     for i in range(4):
# ERR|     |     ^~~~~~~~~~~~~~~~~~
# ERR| hint: give the name a value before the loop, so that the loop carries it
# ERR| %s:59:5: error[TF2405]: this loop has no effect: it gives no name of before the loop a value
# ERR|  59 |     for i in range(4):  # ERROR: TF2405
# ERR|     |     ^~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~
# ERR| hint: name the result before the loop, so that the loop carries it: acc = zeros(...)
