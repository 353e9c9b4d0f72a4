"""One rule per op: how its operands hang together, beyond what its schema says."""

from generated_gathers import GATHER_RULES
from generated_values import (DTYPES, EXTENTS, FLOATS, INTS, LIMIT, MOST_DRIFT, Extent, shape_text,
                              type_text)


def movable(v):
    return True


def steady(v):
    return v.exact or v.drift < MOST_DRIFT


def rule_binary(body, op):
    kind = body.world.next_kind(op)
    allow, make = BINARY_KINDS[kind]
    exact_only = kind in EXACT_KINDS
    fits = (lambda v: v.exact) if exact_only else steady
    a = body.pick(fits, dtypes=allow)
    if a is None:
        return False
    a = body.tame(a)
    b, shape = body.broadcast_partner(a, accept=fits)
    b = body.tame(b)
    return make(body, op, kind, a, b, shape)


BINARY_SIGNS = {"add": "+", "sub": "-", "mul": "*", "div": "/", "floor_div": "//", "mod": "%",
                "pow": "**", "cmp_eq": "==", "cmp_ne": "!=", "cmp_lt": "<", "cmp_le": "<=",
                "cmp_gt": ">", "cmp_ge": ">=", "logical_and": "and", "logical_or": "or"}


def binary_text(body, op, kind, a, b):
    forms = [f'binary({a.name}, {b.name}, kind="{kind}")']
    if kind in op["aliases"]:
        forms.append(f"{kind}({a.name}, {b.name})")
    if kind in BINARY_SIGNS:
        forms.append(f"{a.name} {BINARY_SIGNS[kind]} {b.name}")
    return body.rng.choice(forms)


def make_sum(body, op, kind, a, b, shape):
    if a.is_float and not (a.exact and b.exact):
        a, b = body.nonneg(a), body.nonneg(b)
        if kind == "sub":
            b = body.emit(f"-{b.name}", b.shape, b.dtype, [b], nonneg=False)
            return body.emit(binary_text(body, op, kind, a, b), shape, a.dtype, [a, b], step=1,
                             bound=a.bound + b.bound, nonneg=True)
    nonneg = kind == "add" and a.nonneg and b.nonneg
    return body.emit(binary_text(body, op, kind, a, b), shape, a.dtype, [a, b], step=1,
                     bound=a.bound + b.bound, nonneg=nonneg)


def make_product(body, op, kind, a, b, shape):
    return body.emit(binary_text(body, op, kind, a, b), shape, a.dtype, [a, b], step=1,
                     bound=a.bound * b.bound)


def make_quotient(body, op, kind, a, b, shape):
    if a.is_float:
        raw = b.param and body.rng.random() < 0.2
        b = b if raw else body.at_least_one(b)
        bound = a.bound + 1 if kind != "mod" else b.bound
        return body.emit(binary_text(body, op, kind, a, b), shape, a.dtype, [a, b], step=1,
                         bound=bound, nonneg=False, wild=raw)
    bound = float("inf") if float("inf") in (a.bound, b.bound) else max(a.bound, b.bound)
    return body.emit(binary_text(body, op, kind, a, b), shape, a.dtype, [a, b], bound=bound,
                     nonneg=False)


def make_power(body, op, kind, a, b, shape):
    a = body.at_least_one(body.tame(a, 2.0))
    b = body.tame(b, 2.0)
    return body.emit(binary_text(body, op, kind, a, b), shape, a.dtype, [a, b], bound=9.0,
                     exact=False, nonneg=True, step=2)


def make_extreme(body, op, kind, a, b, shape):
    return body.emit(binary_text(body, op, kind, a, b), shape, a.dtype, [a, b])


def make_truth(body, op, kind, a, b, shape):
    return body.emit(binary_text(body, op, kind, a, b), shape, "bool", [a, b], bound=1.0, nonneg=True)


NUMBERS = (*FLOATS, *INTS)
BINARY_KINDS = {
    "add": (NUMBERS, make_sum), "sub": (NUMBERS, make_sum), "mul": (NUMBERS, make_product),
    "div": (FLOATS, make_quotient), "floor_div": (NUMBERS, make_quotient),
    "mod": (NUMBERS, make_quotient), "min": (NUMBERS, make_extreme), "max": (NUMBERS, make_extreme),
    "cmp_eq": (DTYPES, make_truth), "cmp_ne": (DTYPES, make_truth), "cmp_lt": (NUMBERS, make_truth),
    "cmp_le": (NUMBERS, make_truth), "cmp_gt": (NUMBERS, make_truth), "cmp_ge": (NUMBERS, make_truth),
    "logical_and": (("bool",), make_truth), "logical_or": (("bool",), make_truth),
    "pow": (FLOATS, make_power),
}
EXACT_KINDS = {"floor_div", "mod", "cmp_eq", "cmp_ne", "cmp_lt", "cmp_le", "cmp_gt", "cmp_ge",
               "ceil", "floor", "round"}


# kind: (dtypes, what is done to the operand first, bound of the result, exact, never negative)
UNARY_KINDS = {
    "neg": (NUMBERS, None, None, True, False),
    "abs": (NUMBERS, None, None, True, True),
    "logical_not": (("bool",), None, None, True, True),
    "relu": (NUMBERS, None, None, True, True),
    "square": (NUMBERS, "small", 64.0, True, True),
    "ceil": (FLOATS, None, 9.0, True, False),
    "floor": (FLOATS, None, 9.0, True, False),
    "round": (FLOATS, None, 8.0, True, False),
    "sqrt": (FLOATS, "at_least_one", 3.0, True, True),
    "rsqrt": (FLOATS, "at_least_one", 1.0, False, True),
    "exp": (FLOATS, "tiny", 8.0, False, True),
    "exp2": (FLOATS, "tiny", 4.0, False, True),
    "log": (FLOATS, "at_least_two", 3.0, False, True),
    "log2": (FLOATS, "at_least_two", 4.0, False, True),
    "log1p": (FLOATS, "nonneg", 3.0, False, True),
    "sin": (FLOATS, "below_one", 1.0, False, False),
    "cos": (FLOATS, "below_one", 1.0, False, False),
    "erf": (FLOATS, None, 1.0, False, False),
    "tanh": (FLOATS, None, 1.0, False, False),
    "sigmoid": (FLOATS, None, 1.0, False, True),
    "softplus": (FLOATS, None, 9.0, False, True),
    "normcdf": (FLOATS, "tiny", 1.0, False, True),
}
PREPARE = {
    "small": lambda body, v: body.tame(v),
    "tiny": lambda body, v: body.tame(v, 2.0),
    "below_one": lambda body, v: v if v.exact else body.tame(v, 1.0),
    "nonneg": lambda body, v: body.nonneg(v),
    "at_least_one": lambda body, v: body.at_least_one(v),
    "at_least_two": lambda body, v: body.at_least_one(body.at_least_one(v)),
}


def rule_unary(body, op):
    kind = body.world.next_kind(op)
    dtypes, prepare, bound, exact, nonneg = UNARY_KINDS[kind]
    v = body.pick((lambda v: v.exact) if kind in EXACT_KINDS else steady, dtypes=dtypes)
    if v is None:
        return False
    v = body.tame(v)
    if prepare and v.is_float:
        v = PREPARE[prepare](body, v)
    forms = [f'unary({v.name}, kind="{kind}")']
    if kind in op["aliases"]:
        forms.append(f"{kind}({v.name})")
    if kind == "neg":
        forms.append(f"-{v.name}")
    if kind == "logical_not":
        forms.append(f"not {v.name}")
    if not v.is_float:
        bound = v.bound * v.bound if kind == "square" else v.bound
        nonneg = nonneg and kind != "square"  # a square may wrap
    return body.emit(body.rng.choice(forms), v.shape, v.dtype, [v], nonneg=nonneg,
                     bound=v.bound if bound is None else bound, exact=v.exact and exact, step=1)


FINENESS = {"bf16": 0, "f16": 1, "f32": 2}


def rule_cast(body, op):
    v = body.pick(steady)
    v = body.tame(v)
    targets = [d for d in DTYPES if d != v.dtype or body.rng.random() < 0.1]
    if not v.exact:  # what one flipped rounding moved must not be held to a finer bound
        targets = [d for d in targets if d in FLOATS and FINENESS[d] <= FINENESS[v.dtype]]
    if v.bound > 2048:
        targets = [d for d in targets if d not in FLOATS]
    if not targets:
        return False
    dtype = body.rng.choice(targets)
    bound = 1.0 if dtype == "bool" else v.bound
    return body.emit(f'cast({v.name}, dtype="{dtype}")', v.shape, dtype, [v], bound=bound, step=1,
                     nonneg=v.nonneg or dtype == "bool")


def rule_clamp(body, op):
    v = body.pick(steady, dtypes=NUMBERS)
    low, high = sorted(body.rng.sample((-3.0, -1.0, 0.0, 1.0, 2.0, 5.0), 2))
    return body.emit(f"clamp({v.name}, min_val={low!r}, max_val={high!r})", v.shape, v.dtype, [v],
                     bound=max(abs(low), abs(high)), nonneg=low >= 0)


def rule_silu(body, op):
    v = body.tame(body.pick(steady, dtypes=FLOATS))
    return body.emit(f"silu({v.name})", v.shape, v.dtype, [v], exact=False, nonneg=v.nonneg, step=1)


def activation(name, bound=None, nonneg=None):
    """Rule of an inexact function of one float; `bound` and `nonneg` hold for every argument."""
    def rule(body, op):
        v = body.tame(body.pick(steady, dtypes=FLOATS))
        texts = [f"{name}({v.name})"]
        if name == "gelu":
            texts = [texts[0], f'gelu({v.name}, approximate="none")']
        return body.emit(body.rng.choice(texts), v.shape, v.dtype, [v], exact=False, step=1,
                         bound=bound or v.bound + 1, nonneg=v.nonneg if nonneg is None else nonneg)
    return rule


def rule_relu(body, op):
    v = body.pick(steady, dtypes=NUMBERS)
    return body.emit(f"relu({v.name})", v.shape, v.dtype, [v], nonneg=True)


def rule_softmax(body, op):
    v = body.pick(steady, dtypes=FLOATS, min_rank=1)
    if v is None:
        return False
    v = body.tame(v, 8.0 if v.exact else 2.0)
    axis = body.rng.randrange(-len(v.shape), len(v.shape))
    return body.emit(f"softmax({v.name}, axis={axis})", v.shape, v.dtype, [v], bound=1.0,
                     exact=False, step=2, nonneg=True)


def rule_layer_norm(body, op):
    rng = body.rng
    v = body.pick(lambda v: v.exact, dtypes=FLOATS, min_rank=1)  # a mean cancels
    if v is None:
        return False
    v = body.tame(v)
    axis = rng.randrange(len(v.shape))
    shape = v.shape[axis:]
    weight, bias = (body.of_type(shape, rng.choice((v.dtype, "f32")), lambda w: w.exact) for _ in "wb")
    weight, bias = body.tame(weight), body.tame(bias)
    written = axis if rng.random() < 0.6 else axis - len(v.shape)
    text = f"layer_norm({v.name}, {weight.name}, {bias.name}, axis={written}, eps={rng.choice((1e-5, 1e-3))})"
    return body.emit(text, v.shape, v.dtype, [v, weight, bias], bound=512.0, exact=False, step=2,
                     nonneg=False)


def rule_rope(body, op):
    rng = body.rng
    q = body.pick(lambda v: v.exact, dtypes=FLOATS, min_rank=3, reuse=0.3)
    if q is None or not q.shape[-1].fixed or q.shape[-1].constant % 2:
        shape = [rng.choice((Extent(1), Extent(3), Extent(0, (("N", 1),)))), Extent(rng.choice((1, 2, 3))),
                 Extent(rng.choice((2, 4, 16, 34)))]
        if rng.random() < 0.5:
            shape.insert(0, Extent(2))
        q = body.param(shape, rng.choice(FLOATS))
    q = body.tame(q)
    k = body.of_type((*q.shape[:-2], Extent(rng.choice((1, 2))), q.shape[-1]), q.dtype, lambda v: v.exact)
    k = body.tame(k)
    width = q.shape[-1].constant
    columns = Extent(rng.choice((width, width // 2)))
    kind = rng.choice((q.dtype, "f32"))
    cos, sin = (body.tame(body.of_type((Extent(8), columns), kind, lambda v: v.exact)) for _ in "cs")
    lead = q.shape[:-2]
    ids = body.of_type(lead[rng.randrange(len(lead)):], rng.choice(INTS), lambda v: v.exact)
    ids = body.emit(f"clamp({ids.name}, min_val=0, max_val=7)", ids.shape, ids.dtype, [ids], bound=7.0, nonneg=True)
    pair = f"rope({q.name}, {k.name}, {cos.name}, {sin.name}, {ids.name})"
    facts = {"bound": 128.0, "exact": False, "nonneg": False, "drift": 2, "wild": True}
    body.read.update(v.name for v in (q, k, cos, sin, ids))
    take_fields(body, pair, [(q.shape, q.dtype), (k.shape, k.dtype)], [q, k, cos, sin, ids], [facts, facts])
    return True


def rule_where(body, op):
    a = body.pick(steady)
    condition, shape = body.broadcast_partner(a, dtype="bool")
    b = body.of_type(shape, a.dtype, steady)
    return body.emit(f"where({condition.name}, {a.name}, {b.name})", shape, a.dtype,
                     [condition, a, b], bound=max(a.bound, b.bound), nonneg=a.nonneg and b.nonneg)


def rule_zeros(body, op):
    shape, dtype = body.random_shape(), body.rng.choice(DTYPES)
    return body.emit(f"zeros(type={type_text(shape, dtype)})", shape, dtype, [], bound=0.0, nonneg=True)


def rule_full_like(body, op):
    v = body.pick(movable)
    value = body.rng.choice((0.0, 1.0, 3.0) if v.dtype != "bool" else (0.0, 1.0))
    if v.is_float:
        value = body.rng.choice((0.5, -1.25, 3.0, 0.1))
    return body.emit(f"full_like({v.name}, value={value!r})", v.shape, v.dtype, [v],
                     bound=abs(value), exact=True, nonneg=value >= 0, wild=False)


def rule_matmul(body, op):
    rng = body.rng
    a = body.pick(lambda v: steady(v) and v.bound <= 64, dtypes=NUMBERS, min_rank=2)
    if a is None:
        return False
    a = body.tame(a, 4.0)
    batch = list(a.shape[:-2]) if rng.random() < 0.5 else []
    inner = a.shape[-1]
    columns = rng.choice((Extent(rng.choice(EXTENTS)), a.shape[-2]))
    b = body.of_type((*batch, inner, columns), a.dtype, steady)
    shape = (*a.shape[:-1], columns)
    if body.numel(shape) > LIMIT:
        return False
    signed = a.is_float and rng.random() < 0.4 and body.numel(shape) >= 64
    if a.is_float and not signed:
        a, b = body.nonneg(a), body.nonneg(b)
    text = rng.choice((f"{a.name} @ {b.name}", f"matmul({a.name}, {b.name})"))
    length = max(1, inner.value(body.world.extents))
    b_bound = b.bound
    return body.emit(text, shape, a.dtype, [a, b], bound=a.bound * b_bound * length, step=1,
                     exact=not a.is_float, wild=signed)


def rule_reduce(body, op):
    rng = body.rng
    kind = body.world.next_kind(op)
    dtypes = FLOATS if kind == "mean" else NUMBERS
    v = body.pick(steady, dtypes=dtypes, min_rank=1)
    if v is None:
        return False
    axes = sorted(rng.sample(range(len(v.shape)), rng.randint(1, len(v.shape))))
    keep = rng.random() < 0.5
    one = Extent(1)
    shape = [one if i in axes else e for i, e in enumerate(v.shape) if keep or i not in axes]
    gone = [v.shape[i] for i in axes]
    empty = body.holds_zero(gone) and kind in ("mean", "max")
    if v.is_float and kind in ("mean", "sum"):
        v = body.nonneg(body.tame(v, 2.0))
    length = max(1, body.numel(gone))
    bound = v.bound * length if kind == "sum" else v.bound
    listed = [a if rng.random() < 0.7 else a - len(v.shape) for a in axes]
    axes_text = f"({', '.join(map(str, listed))}{',' if len(axes) == 1 else ''})"
    exact = v.exact and not (v.is_float and kind in ("mean", "sum"))
    nonneg = v.nonneg or kind == "abs_max"
    return body.emit(f'reduce({v.name}, axes={axes_text}, keepdim={keep}, kind="{kind}")',
                     shape, v.dtype, [v], bound=bound, exact=exact, step=1, wild=empty, nonneg=nonneg)


def rule_rms_norm(body, op):
    v = body.pick(steady, dtypes=FLOATS, min_rank=1)
    if v is None:
        return False
    v = body.tame(v)
    weight = body.of_type(v.shape[-1:], body.rng.choice((v.dtype, "f32")), lambda w: w.exact)
    eps = body.rng.choice(("", ", eps=1e-05", ", eps=0.001"))
    return body.emit(f"rms_norm({v.name}, {weight.name}{eps})", v.shape, v.dtype, [v, weight],
                     bound=64.0, exact=False, step=2, nonneg=v.nonneg and weight.nonneg)


def rule_reshape(body, op):
    rng = body.rng
    v = body.pick(movable)
    symbolic = [e for e in v.shape if not e.fixed]
    if len(symbolic) > 1:
        shape = list(v.shape)
        shape.insert(rng.randint(0, len(shape)), Extent(1))
        if len(shape) > 4:
            return False
    else:
        count = 1
        for extent in v.shape:
            count *= extent.constant if extent.fixed else 1
        shape = []
        while count > 1 and len(shape) < 3:
            divisor = rng.choice([d for d in range(1, count + 1) if count % d == 0])
            shape.append(Extent(divisor))
            count //= divisor
        if count != 1 or rng.random() < 0.3:
            shape.append(Extent(count))
        if symbolic and rng.random() < 0.5 or not shape and symbolic:
            shape.insert(rng.randint(0, len(shape)), symbolic[0])
        elif symbolic:
            at = rng.randrange(len(shape))
            shape[at] = symbolic[0].times(shape[at].constant)
    texts = [e.text() for e in shape]
    if shape and not any(e.constant == 0 and e.fixed for e in shape) and rng.random() < 0.2:
        texts[rng.randrange(len(texts))] = "-1"
    text = f"({', '.join(texts)}{',' if len(texts) == 1 else ''})"
    return body.emit(f"reshape({v.name}, new_shape={text})", shape, v.dtype, [v])


def rule_transpose(body, op):
    v = body.pick(movable, min_rank=1)
    perm = list(range(len(v.shape)))
    body.rng.shuffle(perm)
    text = f"({', '.join(map(str, perm))}{',' if len(perm) == 1 else ''})"
    return body.emit(f"transpose({v.name}, perm={text})", [v.shape[p] for p in perm], v.dtype, [v])


def rule_slice(body, op):
    rng = body.rng
    v = body.pick(movable, min_rank=1)
    starts, sizes, strides, subscript = [], [], [], []
    for extent in v.shape:
        if not extent.fixed or extent.constant == 0 or rng.random() < 0.3:
            starts.append(0), sizes.append(extent), strides.append(1), subscript.append(":")
            continue
        stride = rng.choice((1, 1, 1, 2, 3))
        start = rng.randrange(extent.constant)
        size = rng.randint(1, (extent.constant - 1 - start) // stride + 1)
        starts.append(start), sizes.append(Extent(size)), strides.append(stride)
        stop = start + (size - 1) * stride + 1
        subscript.append(f"{start}:{stop}" + (f":{stride}" if stride > 1 else ""))
    one = "," if len(sizes) == 1 else ""
    if rng.random() < 0.5:
        text = (f"slice({v.name}, ({', '.join(map(str, starts))}{one}), sizes={shape_text(sizes)}, "
                f"strides=({', '.join(map(str, strides))}{one}))")
        return body.emit(text, sizes, v.dtype, [v])
    if rng.random() < 0.4:  # an index drops its axis
        at = rng.randrange(len(sizes))
        if v.shape[at].fixed and v.shape[at].constant > 0:
            back = rng.random() < 0.5
            subscript[at] = str(starts[at] - v.shape[at].constant if back else starts[at])
            del sizes[at]
    return body.emit(f"{v.name}[{', '.join(subscript)}]", sizes, v.dtype, [v])


def rule_concat(body, op):
    rng = body.rng
    first = body.pick(movable, min_rank=1)
    axis = rng.randrange(len(first.shape))
    parts = [first]
    for _ in range(rng.choice((0, 1, 1, 1, 2))):
        shape = list(first.shape)
        if rng.random() < 0.5:
            shape[axis] = Extent(rng.choice((0, 1, 2, 3, 5)))
        parts.append(body.of_type(shape, first.dtype))
    total = Extent(0)
    for part in parts:
        total = total + part.shape[axis]
    shape = list(first.shape)
    shape[axis] = total
    if body.numel(shape) > LIMIT:
        return False
    names = ", ".join(p.name for p in parts)
    written = axis if rng.random() < 0.6 else axis - len(shape)
    return body.emit(f"concat({names}, axis={written})", shape, first.dtype, parts,
                     nonneg=all(p.nonneg for p in parts))


def rule_split(body, op):
    rng = body.rng
    v = body.pick(lambda v: any(e.fixed and e.constant > 0 for e in v.shape), min_rank=1)
    if v is None:
        return False
    axis = rng.choice([i for i, e in enumerate(v.shape) if e.fixed and e.constant > 0])
    extent = v.shape[axis].constant
    parts = rng.choice([n for n in range(1, min(extent, 6) + 1) if extent % n == 0])
    shape = list(v.shape)
    shape[axis] = Extent(extent // parts)
    call = f"split({v.name}, axis={axis}, num_splits={parts})"
    body.read.add(v.name)
    take_fields(body, call, [(shape, v.dtype)] * parts, [v])
    return True


def take_fields(body, call, types, operands, facts=None):
    """Names the fields of a tuple: by unpacking, by subscripts, or by the op."""
    form = body.rng.choice(("unpack", "subscript", "op")) if len(types) > 1 else "subscript"
    facts = facts or [{} for _ in types]
    if form == "unpack":
        names = [body.fresh_name() for _ in types]
        body.lines.append(f"{', '.join(names)} = {call}")
        for name, (shape, dtype), fact in zip(names, types, facts):
            body.known(name, shape, dtype, operands, **fact)
        return
    name = body.fresh_name()
    body.lines.append(f"{name} = {call}")
    for i, ((shape, dtype), fact) in enumerate(zip(types, facts)):
        text = f"{name}[{i}]" if form == "subscript" else f"tuple_get_item({name}, index={i})"
        body.emit(text, shape, dtype, operands, **fact)


def rule_tuple_get_item(body, op):
    """A field of what a call gives: a helper, a child Module, or a split."""
    callees = [f for f in body.world.callables(body)]
    if not callees:
        return rule_split(body, op)
    function = body.rng.choice(callees)
    tame = lambda v: v.exact and (not v.is_float or v.bound <= 8) and v.bound <= 8
    args = [body.of_type(p.shape, p.dtype, lambda v, p=p: tame(v) and v.nonneg >= p.nonneg)
            for p in function.params]
    body.read.update(a.name for a in args)
    call = f"{function.name}({', '.join(a.name for a in args)})"
    facts = [{"bound": r.bound, "exact": r.exact, "nonneg": r.nonneg, "drift": r.drift,
              "wild": r.wild} for r in function.results]
    types = [(r.shape, r.dtype) for r in function.results]
    if len(types) == 1:
        body.emit(call, *types[0], args, **facts[0])
    else:
        take_fields(body, call, types, args, facts)
    return True


RULES = {
    "Binary": rule_binary, "Unary": rule_unary, "Cast": rule_cast, "Clamp": rule_clamp,
    "Silu": rule_silu, "Sigmoid": activation("sigmoid", 1.0, True), "Tanh": activation("tanh", 1.0),
    "Softplus": activation("softplus", None, True), "Gelu": activation("gelu"), "ReLU": rule_relu,
    "SoftMax": rule_softmax, "LayerNorm": rule_layer_norm, "RoPE": rule_rope,
    "Where": rule_where, "Zeros": rule_zeros, "FullLike": rule_full_like,
    "MatMul": rule_matmul, "Reduce": rule_reduce, "RMSNorm": rule_rms_norm, "Reshape": rule_reshape,
    "Transpose": rule_transpose, "Slice": rule_slice, "Concat": rule_concat, "Split": rule_split,
    "TupleGetItem": rule_tuple_get_item,
}
RULES.update(GATHER_RULES)
