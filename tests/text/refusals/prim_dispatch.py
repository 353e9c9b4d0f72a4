# RUN: tilefoundry check %s
# EXIT: 1
# PROVES: P55 P56 P57
from tilefoundry import module, prim_func
from tilefoundry.dsl import DimVar, DimVarRangePat, T, Tensor

S = DimVar("S", 1, 8)


@module(entry="f")
class Forms:
    @prim_func(outputs=1)
    def g(x: Tensor[(S,), "f32"], y: Tensor[(S,), "f32"]):
        T.copy(x, y)

    @prim_func(outputs=1)
    def f(x: Tensor[(S,), "f32"], y: Tensor[(S,), "f32"]):
        with T.dispatch(T.shape_of(x, 0)):  # ERROR: TF2424
            with T.fallback():
                T.abort("none")
        with T.dispatch("g", T.shape_of(x, 1)):  # ERROR: TF2143
            with T.fallback():
                T.abort("none")
        with T.dispatch("g", T.shape_of(x, 0)):
            with T.case("S"):  # ERROR: TF2424
                g(x, y)
            with T.fallback():
                T.abort("none")
        with T.dispatch("g", T.shape_of(x, 0)):
            with T.case(DimVarRangePat("S", 1, 8)):  # ERROR: TF2424
                T.copy(x, y)
            with T.fallback():
                T.abort("none")
        with T.dispatch("g", T.shape_of(x, 0)):  # ERROR: TF2424
            with T.case(DimVarRangePat("S", 1, 8)):
                g(x, y)
        with T.dispatch("g", T.shape_of(x, 0)):
            with T.fallback():
                T.abort("none")
            with T.case(DimVarRangePat("S", 1, 8)):  # ERROR: TF2424
                g(x, y)
        with T.case(DimVarRangePat("S", 1, 8)):  # ERROR: TF2143
            g(x, y)
        T.fallback()  # ERROR: TF2143
        z = T.dispatch("g")  # ERROR: TF2143


@module(entry="f")
class Rules:
    @prim_func(outputs=1)
    def g(x: Tensor[(S,), "f32"], y: Tensor[(S,), "f32"]):
        T.copy(x, y)

    @prim_func(outputs=1)
    def f(x: Tensor[(S,), "f32"], y: Tensor[(S,), "f32"]):
        with T.dispatch("g", T.shape_of(x, 0)):
            with T.case(DimVarRangePat("S", 1, 8)):
                g(x, y)
            with T.fallback():
                T.copy(x, y)
# ==== EXPECTED ====
# ---- tilefoundry check %s
# ERR| %s:18:14: error[TF2424]: a dispatch names the function that it calls
# ERR|  18 |         with T.dispatch(T.shape_of(x, 0)):  # ERROR: TF2424
# ERR|     |              ^~~~~~~~~~~~~~~~~~~~~~~~~~~~
# ERR| hint: below 'with T.dispatch("name", T.shape_of(x, 0)):' stand 'with T.case(pattern):' blocks of one call each and, last, 'with T.fallback():'
# ERR| %s:21:30: error[TF2143]: T.shape_of names a tensor variable and one of its axes
# ERR|  21 |         with T.dispatch("g", T.shape_of(x, 1)):  # ERROR: TF2143
# ERR|     |                              ^~~~~~~~~~~~~~~~
# ERR| hint: T.shape_of(x, 0)
# ERR| %s:25:18: error[TF2424]: a case has one pattern
# ERR|  25 |             with T.case("S"):  # ERROR: TF2424
# ERR|     |                  ^~~~~~~~~~~
# ERR| hint: T.case(DimVarRangePat("S", 1, 4))
# ERR| %s:30:13: error[TF2424]: a case of a dispatch is one call of a function
# ERR|  30 |             with T.case(DimVarRangePat("S", 1, 8)):  # ERROR: TF2424
# ERR|     |             ^~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~
# ERR| hint: below 'with T.dispatch("name", T.shape_of(x, 0)):' stand 'with T.case(pattern):' blocks of one call each and, last, 'with T.fallback():'
# ERR| %s:34:9: error[TF2424]: a dispatch needs a fallback
# ERR|  34 |         with T.dispatch("g", T.shape_of(x, 0)):  # ERROR: TF2424
# ERR|     |         ^~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~
# ERR| hint: below 'with T.dispatch("name", T.shape_of(x, 0)):' stand 'with T.case(pattern):' blocks of one call each and, last, 'with T.fallback():'
# ERR| %s:40:13: error[TF2424]: this cannot stand in a dispatch
# ERR|  40 |             with T.case(DimVarRangePat("S", 1, 8)):  # ERROR: TF2424
# ERR|     |             ^~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~
# ERR| hint: below 'with T.dispatch("name", T.shape_of(x, 0)):' stand 'with T.case(pattern):' blocks of one call each and, last, 'with T.fallback():'
# ERR| %s:42:14: error[TF2143]: 'T.case' is used in another way
# ERR|  42 |         with T.case(DimVarRangePat("S", 1, 8)):  # ERROR: TF2143
# ERR|     |              ^~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~
# ERR| hint: T.abort("text") and T.call("symbol", ...) are statements; T.symbol("name") and T.shape_of(tensor, axis) are values; T.dispatch, T.case and T.fallback stand behind 'with'; T.parallel, T.vectorized and T.unrolled stand behind 'for i in'
# ERR| %s:44:9: error[TF2143]: 'T.fallback' is used in another way
# ERR|  44 |         T.fallback()  # ERROR: TF2143
# ERR|     |         ^~~~~~~~~~~~
# ERR| hint: T.abort("text") and T.call("symbol", ...) are statements; T.symbol("name") and T.shape_of(tensor, axis) are values; T.dispatch, T.case and T.fallback stand behind 'with'; T.parallel, T.vectorized and T.unrolled stand behind 'for i in'
# ERR| %s:45:13: error[TF2143]: 'T.dispatch' is used in another way
# ERR|  45 |         z = T.dispatch("g")  # ERROR: TF2143
# ERR|     |             ^~~~~~~~~~~~~~~
# ERR| hint: T.abort("text") and T.call("symbol", ...) are statements; T.symbol("name") and T.shape_of(tensor, axis) are values; T.dispatch, T.case and T.fallback stand behind 'with'; T.parallel, T.vectorized and T.unrolled stand behind 'for i in'
