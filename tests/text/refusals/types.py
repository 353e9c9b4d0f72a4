# RUN: tilefoundry check %s
# EXIT: 1
from tilefoundry import func
from tilefoundry.dsl import DimVar, Layout, Mesh, Tensor, Topology

gpu = Mesh((Topology("cta", 4),), Layout((4,), (1,)), ("x",))
S = DimVar("S", 4, 4)  # ERROR: TF3004
N = DimVar("N", 1)  # ERROR: TF2041
M = DimVar(8, 1, 4)  # ERROR: TF2042


@func
def signature(
    a: Tensor[(4,), "float32"],  # ERROR: TF2051
    b: Tensor[4, "f32"],  # ERROR: TF2050
    c: Tensor[("a",), "f32"],  # ERROR: TF2050
    d: Tensor[(4,), "f32", "shared"],  # ERROR: TF2052
    e: Tensor[(4,)],  # ERROR: TF2053
    f: int,  # ERROR: TF2054
    g: "Tensor[(4,), 'f32']",  # ERROR: TF2054
    h,  # ERROR: TF2056
    i: Tensor[(4,), "f32"] = 4,  # ERROR: TF2055
    j: Tensor[(4 @ gpu.x,), "f32"] = 4,  # ERROR: TF2055
    *k,  # ERROR: TF2055
):
    return a


@func
def sugar(x: Tensor[(4 @ gpu.x,), "f32"]):  # ERROR: TF2102
    return x


@func
def result(x: Tensor[(4,), "f32"]) -> Tensor[(5,), "f32"]:
    return x  # ERROR: TF2057


@func
def nothing(x: Tensor[(4,), "f32"]):  # ERROR: TF2123
    y = x
# ==== EXPECTED ====
# ---- tilefoundry check %s
# ERR| %s:7:1: error[TF3004]: DimVar "S" has the empty range [4, 4)
# ERR|  7 | S = DimVar("S", 4, 4)  # ERROR: TF3004
# ERR|    | ^~~~~~~~~~~~~~~~~~~~~
# ERR| hint: the range is half-open: lo must be less than hi
# ERR| %s:8:5: error[TF2041]: 'DimVar' lacks its argument 'hi'
# ERR|  8 | N = DimVar("N", 1)  # ERROR: TF2041
# ERR|    |     ^~~~~~~~~~~~~~
# ERR| hint: it is DimVar(name, lo, hi)
# ERR| %s:9:12: error[TF2042]: wanted a string, got the int 8
# ERR|  9 | M = DimVar(8, 1, 4)  # ERROR: TF2042
# ERR|    |            ^
# ERR| %s:14:21: error[TF2051]: there is no dtype 'float32'
# ERR|  14 |     a: Tensor[(4,), "float32"],  # ERROR: TF2051
# ERR|     |                     ^~~~~~~~~
# ERR| hint: the dtypes are f32, f16, bf16, fp8e4m3, f8e8m0, f4e2m1, i32, i64, bool, i8, u8, i4, u4
# ERR| %s:15:15: error[TF2050]: the shape of a tensor is a tuple
# ERR|  15 |     b: Tensor[4, "f32"],  # ERROR: TF2050
# ERR|     |               ^
# ERR| hint: write '(n,)' for one axis, '()' for a scalar
# ERR| %s:16:15: error[TF2050]: the string "a" is no extent
# ERR|  16 |     c: Tensor[("a",), "f32"],  # ERROR: TF2050
# ERR|     |               ^~~~~~
# ERR| hint: an extent is an int, a DimVar or arithmetic over those
# ERR| %s:17:28: error[TF2052]: there is no storage 'shared'
# ERR|  17 |     d: Tensor[(4,), "f32", "shared"],  # ERROR: TF2052
# ERR|     |                            ^~~~~~~~
# ERR| hint: the storages are host, gmem, smem, rmem, tmem, umat
# ERR| %s:18:8: error[TF2053]: 'Tensor' takes a shape, a dtype, and perhaps a layout and a storage
# ERR|  18 |     e: Tensor[(4,)],  # ERROR: TF2053
# ERR|     |        ^~~~~~~~~~~~
# ERR| hint: for example Tensor[(4, 64), "f32"]
# ERR| %s:19:8: error[TF2054]: an annotation is a type, not 'int'
# ERR|  19 |     f: int,  # ERROR: TF2054
# ERR|     |        ^~~
# ERR| hint: for example Tensor[(4, 64), "f32"]
# ERR| %s:20:8: error[TF2054]: an annotation in quotes is not read
# ERR|  20 |     g: "Tensor[(4,), 'f32']",  # ERROR: TF2054
# ERR|     |        ^~~~~~~~~~~~~~~~~~~~~
# ERR| hint: write the type without quotes
# ERR| %s:21:5: error[TF2056]: the parameter 'h' has no type
# ERR|  21 |     h,  # ERROR: TF2056
# ERR|     |     ^
# ERR| hint: h: Tensor[(4, 64), "f32"]
# ERR| %s:22:30: error[TF2055]: a parameter has no default
# ERR|  22 |     i: Tensor[(4,), "f32"] = 4,  # ERROR: TF2055
# ERR|     |                              ^
# ERR| hint: pass the value in every call, or name it above the function
# ERR| %s:23:38: error[TF2055]: a parameter has no default
# ERR|  23 |     j: Tensor[(4 @ gpu.x,), "f32"] = 4,  # ERROR: TF2055
# ERR|     |                                      ^
# ERR| hint: pass the value in every call, or name it above the function
# ERR| %s:24:5: error[TF2055]: '*k' takes any number of arguments
# ERR|  24 |     *k,  # ERROR: TF2055
# ERR|     |     ^~
# ERR| hint: name every parameter
# ERR| %s:30:22: error[TF2102]: layout sugar is not supported yet: 'extent @ mesh.axis'
# ERR|  30 | def sugar(x: Tensor[(4 @ gpu.x,), "f32"]):  # ERROR: TF2102
# ERR|     |                      ^~~~~~~~~
# ERR| hint: write ShardLayout(layout=Layout(shape, strides), attrs=(...), mesh=...)
# ERR| %s:36:12: error[TF2057]: the result is declared as Tensor[(5,), "f32"], but the body gives Tensor[(4,), "f32"]
# ERR|  36 |     return x  # ERROR: TF2057
# ERR|     |            ^
# ERR| hint: change the annotation, or leave it out
# ERR| %s:40:5: error[TF2123]: 'nothing' returns nothing
# ERR|  40 | def nothing(x: Tensor[(4,), "f32"]):  # ERROR: TF2123
# ERR|     |     ^~~~~~~
# ERR| hint: end it with 'return value'
