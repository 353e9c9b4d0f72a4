# RUN: tilefoundry check %s
# EXIT: 1
# PROVES: P62
from tilefoundry import func, module
from tilefoundry.dsl import DimVar, DimVarRangePat, Tensor

S = DimVar("S", 1, 16)


@func
def whole(x: Tensor[(S,), "f32"]) -> Tensor[(S,), "f32"]:
    return x


@whole.specialize(DimVarRangePat("S", 1, 4))  # ERROR: TF2420
def of_a_function(x: Tensor[(S,), "f32"]):
    return x


@func
def f(x: Tensor[(S,), "f32"]) -> Tensor[(S,), "f32"]:
    pass


@f.specialize(DimVarRangePat("S", 4, 4))  # ERROR: TF3421
def empty(x: Tensor[(S,), "f32"]):
    return x


@f.specialize(DimVarRangePat("N", 1, 4))  # ERROR: TF3422
def unknown(x: Tensor[(S,), "f32"]):
    return x


@f.specialize(DimVarRangePat("S", 0, 4))  # ERROR: TF3423
def below(x: Tensor[(S,), "f32"]):
    return x


@f.specialize(DimVarRangePat("S", 8, 17))  # ERROR: TF3423
def above(x: Tensor[(S,), "f32"]):
    return x


@f.specialize(DimVarRangePat("S", 1, 4))
def first(x: Tensor[(S,), "f32"]):
    return x


@f.specialize(DimVarRangePat("S", 3, 8))  # ERROR: TF3424
def overlaps(x: Tensor[(S,), "f32"]):
    return x


@f.specialize(DimVarRangePat("S", 1, 4))  # ERROR: TF3424
def twice(x: Tensor[(S,), "f32"]):
    return x


@f.specialize(DimVarRangePat("S", 4, 6))  # ERROR: TF3425
def other_parameters(x: Tensor[(S,), "f32"], y: Tensor[(S,), "f32"]):
    return x + y


@f.specialize(DimVarRangePat("S", 4, 6))
def other_result(x: Tensor[(S,), "f32"]):  # ERROR: TF2057
    return x[0:1]


@f.specialize(DimVarRangePat("S", 4, 6))
def no_body(x: Tensor[(S,), "f32"]) -> Tensor[(S,), "f32"]:  # ERROR: TF2422
    pass


@f.specialize(DimVarRangePat("S", 4, 6))  # ERROR: TF3426
def calls_its_base(x: Tensor[(S,), "f32"]):
    return f(x)


@f.specialize("S")  # ERROR: TF2421
def no_pattern(x: Tensor[(S,), "f32"]):
    return x


@f.specialize  # ERROR: TF2421
def no_arguments(x: Tensor[(S,), "f32"]):
    return x


@first.specialize(DimVarRangePat("S", 4, 6))  # ERROR: TF2420
def of_a_variant(x: Tensor[(S,), "f32"]):
    return x


@func
def calls_a_variant(x: Tensor[(S,), "f32"]):
    return first(x)  # ERROR: TF3100
# ==== EXPECTED ====
# ---- tilefoundry check %s
# ERR| %s:15:2: error[TF2420]: the function 'whole' takes no variants: it is no @func whose body is 'pass'
# ERR|  15 | @whole.specialize(DimVarRangePat("S", 1, 4))  # ERROR: TF2420
# ERR|     |  ^~~~~~~~~~~~~~~~
# ERR| hint: write '@func', the signature and the body 'pass' above the variants
# ERR| %s:25:2: error[TF3421]: the range [4, 4) of a variant is empty
# ERR|  25 | @f.specialize(DimVarRangePat("S", 4, 4))  # ERROR: TF3421
# ERR|     |  ^~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~
# ERR| hint: a range is half-open: DimVarRangePat(name, lo, hi) with lo < hi
# ERR| %s:30:2: error[TF3422]: no parameter of f has the dimension "N" as an extent
# ERR|  30 | @f.specialize(DimVarRangePat("N", 1, 4))  # ERROR: TF3422
# ERR|     |  ^~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~
# ERR| hint: the dimensions of its parameters are S
# ERR| %s:35:2: error[TF3423]: the range [0, 4) of a variant of f leaves the range [1, 16) of S
# ERR|  35 | @f.specialize(DimVarRangePat("S", 0, 4))  # ERROR: TF3423
# ERR|     |  ^~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~
# ERR| hint: stay inside [1, 16)
# ERR| %s:40:2: error[TF3423]: the range [8, 17) of a variant of f leaves the range [1, 16) of S
# ERR|  40 | @f.specialize(DimVarRangePat("S", 8, 17))  # ERROR: TF3423
# ERR|     |  ^~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~
# ERR| hint: stay inside [1, 16)
# ERR| %s:50:2: error[TF3424]: the range [3, 8) of a variant of f overlaps [1, 4)
# ERR|  50 | @f.specialize(DimVarRangePat("S", 3, 8))  # ERROR: TF3424
# ERR|     |  ^~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~
# ERR| %s:46:5: note: the earlier variant is here
# ERR|  46 | def first(x: Tensor[(S,), "f32"]):
# ERR|     |     ^~~~~
# ERR| hint: the ranges so far are [1, 4)
# ERR| %s:55:2: error[TF3424]: f has two variants for S in [1, 4)
# ERR|  55 | @f.specialize(DimVarRangePat("S", 1, 4))  # ERROR: TF3424
# ERR|     |  ^~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~
# ERR| %s:46:5: note: the earlier variant is here
# ERR|  46 | def first(x: Tensor[(S,), "f32"]):
# ERR|     |     ^~~~~
# ERR| hint: the ranges so far are [1, 4)
# ERR| %s:60:2: error[TF3425]: a variant of f has 2 parameters, the base has 1
# ERR|  60 | @f.specialize(DimVarRangePat("S", 4, 6))  # ERROR: TF3425
# ERR|     |  ^~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~
# ERR| %s:21:5: note: the base is here
# ERR|  21 | def f(x: Tensor[(S,), "f32"]) -> Tensor[(S,), "f32"]:
# ERR|     |     ^
# ERR| hint: a variant has exactly the base's parameters; its range is in the pattern alone
# ERR| %s:66:5: error[TF2057]: the result is declared as Tensor[(S,), "f32"], but the body gives Tensor[(1,), "f32"]
# ERR|  66 | def other_result(x: Tensor[(S,), "f32"]):  # ERROR: TF2057
# ERR|     |     ^~~~~~~~~~~~
# ERR| hint: change the annotation, or leave it out
# ERR| %s:71:5: error[TF2422]: the variant 'no_body' has no body
# ERR|  71 | def no_body(x: Tensor[(S,), "f32"]) -> Tensor[(S,), "f32"]:  # ERROR: TF2422
# ERR|     |     ^~~~~~~
# ERR| hint: write what 'f' does for DimVarRangePat("S", 4, 6)
# ERR| %s:75:2: error[TF3426]: a variant of f calls f
# ERR|  75 | @f.specialize(DimVarRangePat("S", 4, 6))  # ERROR: TF3426
# ERR|     |  ^~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~
# ERR| hint: recursion is refused; call another function
# ERR| %s:80:15: error[TF2421]: '.specialize' takes the pattern of one variant
# ERR|  80 | @f.specialize("S")  # ERROR: TF2421
# ERR|     |               ^~~
# ERR| hint: write @base.specialize(DimVarRangePat("S", lo, hi))
# ERR| %s:85:2: error[TF2421]: '.specialize' takes the pattern of one variant
# ERR|  85 | @f.specialize  # ERROR: TF2421
# ERR|     |  ^~~~~~~~~~~~
# ERR| hint: write @base.specialize(DimVarRangePat("S", lo, hi))
# ERR| %s:90:2: error[TF2420]: the function 'f' takes no variants: it is a variant itself
# ERR|  90 | @first.specialize(DimVarRangePat("S", 4, 6))  # ERROR: TF2420
# ERR|     |  ^~~~~~~~~~~~~~~~
# ERR| hint: write '@func', the signature and the body 'pass' above the variants
# ERR| %s:97:12: error[TF3100]: Call[f]: first is a variant of f
# ERR|  97 |     return first(x)  # ERROR: TF3100
# ERR|     |            ^~~~~~~~
# ERR| hint: call f, which picks the variant
