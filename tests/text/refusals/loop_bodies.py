# PROVES: V27
# RUN: tilefoundry check %s
# EXIT: 1
from tilefoundry import func
from tilefoundry.dsl import Layout, Mesh, Tensor, Topology, tile
from tilefoundry.dsl.tf import add, reduce, zeros

cta = Mesh((Topology("cta", 4),), Layout((4,), (1,)), names=("x",))


@func
def bodies(x: Tensor[(4, 8), "f32"]):
    y = x
    for i in range(4):
        return y  # ERROR: TF2406
    for i in range(4):
        with cta as m:  # ERROR: TF2406
            y = y + x
    return x


@func
def augmented(x: Tensor[(4, 8), "f32"]):
    y = x
    for i in range(4):
        y += x  # ERROR: TF2132
    return y


@func
def left_early(x: Tensor[(4, 8), "f32"]):
    y = x
    for i in range(4):
        y = y + x
        break  # ERROR: TF2134
    return y


@func
def windows(x: Tensor[(4, 40), "f32"]):
    y = x[:, 0:8]
    for i in tile(40, 8):
        y = y + x[:, 40 - i]  # ERROR: TF2407
    z = x[:, 0:8]
    for i in tile(40, 8):
        z = z + x[:, 2 * i]  # ERROR: TF2407
    u = x[:, 0:8]
    for i in tile(40, 8):
        j = i + 4
        u = u + x[:, j + 4]  # ERROR: TF2408
    v = x[:, 0:8]
    for i in tile(40, 8):
        v = v + x[:, i - 1]  # ERROR: TF2408
    return x


@func
def carries_change(x: Tensor[(4, 8), "f32"]):
    y = x
    for i in range(4):
        y = reduce(y, axes=(1,), kind="sum", keepdim=False)  # ERROR: TF3100
    z = x
    for i in range(4):
        z = z > x  # ERROR: TF3100
    return x
# ==== EXPECTED ====
# ---- tilefoundry check %s
# ERR| %s:15:9: error[TF2406]: 'return' cannot stand in a loop
# ERR|  15 |         return y  # ERROR: TF2406
# ERR|     |         ^~~~~~~~
# ERR| hint: return the carried value after the loop
# ERR| %s:17:9: error[TF2406]: 'with' cannot stand in a loop
# ERR|  17 |         with cta as m:  # ERROR: TF2406
# ERR|     |         ^~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~
# ERR| hint: open the Mesh around the loop
# ERR| %s:26:9: error[TF2132]: '+=' cannot stand in @func: values do not change
# ERR|  26 |         y += x  # ERROR: TF2132
# ERR|     |         ^~~~~~
# ERR| hint: write 'y = y + ...'
# ERR| %s:35:9: error[TF2134]: 'break' cannot stand in @func
# ERR|  35 |         break  # ERROR: TF2134
# ERR|     |         ^~~~~
# ERR| %s:43:22: error[TF2407]: '40 - i' is no window of the loop over 'i'
# ERR|  43 |         y = y + x[:, 40 - i]  # ERROR: TF2407
# ERR|     |                      ^~~~~~
# ERR| hint: a window moves by a compile-time number: i, or i + 4
# ERR| %s:46:22: error[TF2407]: 'i * 2' is no window of the loop over 'i'
# ERR|  46 |         z = z + x[:, 2 * i]  # ERROR: TF2407
# ERR|     |                      ^~~~~
# ERR| hint: a window moves by a compile-time number: i, or i + 4
# ERR| %s:50:22: error[TF2408]: the windows of 8 elements at 'i + 8' leave axis 1, which has 40
# ERR|  50 |         u = u + x[:, j + 4]  # ERROR: TF2408
# ERR|     |                      ^~~~~
# ERR| hint: the loop runs over 40
# ERR| %s:53:22: error[TF2408]: the windows of 8 elements at 'i - 1' leave axis 1, which has 40
# ERR|  53 |         v = v + x[:, i - 1]  # ERROR: TF2408
# ERR|     |                      ^~~~~
# ERR| hint: the loop runs over 40
# ERR| %s:61:13: error[TF3100]: Call[Reduce] 'y': the next value of the carried value 'y' has the type Tensor[(4,), "f32"], which is carried as Tensor[(4, 8), "f32"]
# ERR|  61 |         y = reduce(y, axes=(1,), kind="sum", keepdim=False)  # ERROR: TF3100
# ERR|     |             ^~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~
# ERR| hint: a carried value keeps its type from trip to trip: give it the same shape and dtype before the loop and in it
# ERR| %s:64:13: error[TF3100]: Call[Binary] 'z': the next value of the carried value 'z' has the type Tensor[(4, 8), "bool"], which is carried as Tensor[(4, 8), "f32"]
# ERR|  64 |         z = z > x  # ERROR: TF3100
# ERR|     |             ^~~~~
# ERR| hint: a carried value keeps its type from trip to trip: give it the same shape and dtype before the loop and in it
