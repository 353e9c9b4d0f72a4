"""Seeded generator of well-typed programs over every op of the `tf` dialect.

`generate(seed, catalogue)` gives a `Program`: its text, and the extents to run it with. The catalogue
is what `tilefoundry ops --json` prints: operands, attributes and kinds are read from it; `RULES` adds
how the operands of an op hang together. Every value that nothing else reads is returned.

Values carry what a later op must know to keep verification meaningful:

- `bound`: the largest magnitude that can occur; floats above 8 are scaled down before further use;
- `exact`: whether both sides compute the same bits (docs/numerics.md: all but reductions, products and
  transcendental functions). Only exact values are compared, rounded to integers or cast to bool;
- `drift`: the inexact steps behind an inexact value; a value that drifted far is only moved.

Inexact values are added with one sign only, so that nothing cancels.
"""

import dataclasses
import random

FLOATS = ("f32", "f16", "bf16")
INTS = ("i32", "i64")
DTYPES = (*FLOATS, *INTS, "bool")
EXTENTS = (1, 2, 3, 4, 5, 7, 8, 13, 16, 17, 33)
LIMIT = 4096  # elements of one value
REUSE_BOUND = 8.0
MOST_DRIFT = 4


@dataclasses.dataclass(frozen=True)
class Extent:
    """constant + sum of coefficient * DimVar."""

    constant: int
    terms: tuple = ()  # ((name, coefficient), ...), by name

    def text(self):
        parts = [name if k == 1 else f"{name} * {k}" for name, k in self.terms]
        if self.constant or not parts:
            parts.append(str(self.constant))
        return " + ".join(parts)

    def value(self, extents):
        return self.constant + sum(extents[name] * k for name, k in self.terms)

    def __add__(self, other):
        terms = dict(self.terms)
        for name, k in other.terms:
            terms[name] = terms.get(name, 0) + k
        return Extent(self.constant + other.constant, tuple(sorted(terms.items())))

    def times(self, factor):
        if factor == 0:
            return Extent(0)
        return Extent(self.constant * factor, tuple((n, k * factor) for n, k in self.terms))

    @property
    def fixed(self):
        return not self.terms

    def is_one(self):
        return self.fixed and self.constant == 1


@dataclasses.dataclass(frozen=True)
class Value:
    name: str
    shape: tuple
    dtype: str
    bound: float = REUSE_BOUND
    exact: bool = True
    nonneg: bool = False
    drift: int = 0
    wild: bool = False  # returned, never read: it may hold inf or nan, or cancel
    param: bool = False

    @property
    def is_float(self):
        return self.dtype in FLOATS


def shape_text(shape):
    inner = ", ".join(e.text() for e in shape)
    return f"({inner},)" if len(shape) == 1 else f"({inner})"


def type_text(shape, dtype, kind="Tensor"):
    return f'{kind}[{shape_text(shape)}, "{dtype}"]'


@dataclasses.dataclass
class Function:
    """A generated callable: its parameter types, the results, and the lines of its definition."""

    name: str
    params: list
    weights: list
    results: list
    lines: list


@dataclasses.dataclass
class Program:
    seed: int
    text: str
    extents: dict


class Body:
    """One function under construction."""

    def __init__(self, world, prefix):
        self.world = world
        self.rng = world.rng
        self.prefix = prefix
        self.values = []
        self.params = []
        self.lines = []
        self.read = set()
        self.counter = 0

    # ---- values

    def fresh_name(self):
        self.counter += 1
        return f"{self.prefix}{self.counter}"

    def param(self, shape, dtype):
        name = self.fresh_name()
        bound = 8.0 if dtype in FLOATS else 7.0 if dtype != "bool" else 1.0
        value = Value(name, tuple(shape), dtype, bound, nonneg=dtype not in FLOATS, param=True)
        self.params.append(value)
        self.values.append(value)
        return value

    def emit(self, expression, shape, dtype, operands, **facts):
        """`name = expression`; the facts of the result default to those of all operands."""
        name = self.fresh_name()
        self.lines.append(f"{name} = {expression}")
        return self.known(name, shape, dtype, operands, **facts)

    def known(self, name, shape, dtype, operands, **facts):
        facts.setdefault("bound", max((o.bound for o in operands), default=0.0))
        facts.setdefault("exact", all(o.exact for o in operands))
        facts.setdefault("nonneg", all(o.nonneg for o in operands))
        step = facts.pop("step", 0)
        facts.setdefault("drift", 0 if facts["exact"]
                         else max((o.drift for o in operands), default=0) + step)
        facts.setdefault("wild", any(o.wild for o in operands))
        value = Value(name, tuple(shape), dtype, **facts)
        if dtype in INTS and value.bound > 2**30:
            value = dataclasses.replace(value, bound=float("inf"), nonneg=False)
        self.values.append(value)
        self.read.update(o.name for o in operands)
        return value

    def numel(self, shape):
        count = 1
        for extent in shape:
            count *= extent.value(self.world.extents)
        return count

    def holds_zero(self, extents):
        return any(e.value(self.world.extents) == 0 for e in extents)

    def random_shape(self, rank=None):
        rng = self.rng
        rank = rng.choice((0, 1, 1, 2, 2, 2, 3, 3, 4)) if rank is None else rank
        while True:
            shape = []
            for _ in range(rank):
                if rng.random() < 0.2:
                    shape.append(Extent(0, ((rng.choice(sorted(self.world.extents)), 1),)))
                else:
                    shape.append(Extent(0 if rng.random() < 0.03 else rng.choice(EXTENTS)))
            if self.numel(shape) <= LIMIT:
                return tuple(shape)

    def pick(self, accept=lambda v: True, dtypes=DTYPES, min_rank=0, reuse=0.85):
        """A value that may be read: an older one, or a new parameter."""
        rng = self.rng
        found = [v for v in self.values
                 if not v.wild and v.dtype in dtypes and len(v.shape) >= min_rank and accept(v)]
        if found and rng.random() < reuse:
            unread = [v for v in found if v.name not in self.read]
            return rng.choice(unread if unread and rng.random() < 0.5 else found)
        for _ in range(50):
            shape = self.random_shape(rng.choice(range(min_rank, 5)) if min_rank else None)
            trial = Value("", shape, rng.choice(dtypes))
            if accept(trial):
                return self.param(shape, trial.dtype)
        return rng.choice(found) if found else None

    def of_type(self, shape, dtype, accept=lambda v: True):
        """A value of exactly this type."""
        found = [v for v in self.values
                 if not v.wild and v.dtype == dtype and v.shape == tuple(shape) and accept(v)]
        if found and self.rng.random() < 0.7:
            return self.rng.choice(found)
        return self.param(shape, dtype)

    # ---- small transformations that keep values usable

    def tame(self, v, bound=REUSE_BOUND):
        if not v.is_float or v.bound <= bound:
            return v
        factor = 1.0
        while v.bound * factor > bound:
            factor /= 2
        return self.emit(f"{v.name} * {factor!r}", v.shape, v.dtype, [v], bound=v.bound * factor)

    def nonneg(self, v):
        if v.nonneg:
            return v
        return self.emit(f"abs({v.name})", v.shape, v.dtype, [v], nonneg=True)

    def at_least_one(self, v):
        v = self.nonneg(v)
        return self.emit(f"{v.name} + 1.0", v.shape, v.dtype, [v], bound=v.bound + 1)

    def broadcast_partner(self, v, dtype=None, accept=lambda v: True):
        """A value whose shape broadcasts with that of v, and the shape of the result."""
        rng = self.rng
        shape = list(v.shape)[rng.choice((0, 0, 0, 1, 2)):] if v.shape else []
        for i in range(len(shape)):
            if rng.random() < 0.2:
                shape[i] = Extent(1)
            elif shape[i].is_one() and rng.random() < 0.4:
                shape[i] = Extent(rng.choice((2, 3, 5)))
        other = self.of_type(shape, dtype or v.dtype, accept)
        result = list(v.shape)
        offset = len(result) - len(shape)
        for i, extent in enumerate(shape):
            if result[offset + i].is_one():
                result[offset + i] = extent
        if self.numel(result) > LIMIT:
            return self.of_type(v.shape, dtype or v.dtype, accept), v.shape
        return other, tuple(result)

    def results(self):
        """What the function returns: all that nothing reads."""
        made = [v for v in self.values if not v.param]
        return [v for v in made if v.name not in self.read] or made[-1:]


# ---- one rule per op: emits the op once, or gives False when the dice gave nothing fitting


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
    "Silu": rule_silu, "Where": rule_where, "Zeros": rule_zeros, "FullLike": rule_full_like,
    "MatMul": rule_matmul, "Reduce": rule_reduce, "RMSNorm": rule_rms_norm, "Reshape": rule_reshape,
    "Transpose": rule_transpose, "Slice": rule_slice, "Concat": rule_concat, "Split": rule_split,
    "TupleGetItem": rule_tuple_get_item,
}


def choices(op, attr="kind"):
    return next((a.get("choices", []) for a in op["attrs"] if a["name"] == attr), [])


class World:
    """One program under construction: its dimensions, helpers and child Modules."""

    def __init__(self, seed, catalogue):
        self.seed = seed
        self.rng = random.Random(seed)
        self.catalogue = [op for op in catalogue if op["dialect"] == "tf"]
        self.ranges = {"N": (1, 40), "M": (0, 20)} if seed % 4 == 0 else {"N": (1, 40)}
        self.extents = {n: self.rng.choice((low, low + 1, 7, high - 1))
                        for n, (low, high) in self.ranges.items()}
        self.kinds = {}
        self.helpers = []
        self.children = []

    def callables(self, body):
        return [] if body.prefix != "v" else [*self.helpers, *self.children]

    def next_kind(self, op):
        """Kinds in turn; seeds start at different places."""
        name = op["class"]
        if name not in self.kinds:
            kinds = list(choices(op))
            start = self.seed * 3 % len(kinds)
            self.kinds[name] = kinds[start:] + kinds[:start]
        kinds = self.kinds[name]
        kinds.append(kinds.pop(0))
        return kinds[-1]

    def fill(self, body, ops):
        for op in ops:
            for _ in range(6):
                if RULES[op["class"]](body, op):
                    break

    def function(self, name, prefix, op_count, weights=0):
        """A function that is called from another: prefix keeps names apart."""
        body = Body(self, prefix)
        self.fill(body, self.rng.sample(self.catalogue, op_count))
        if not body.lines or not body.params:
            v = body.param((Extent(3),), "f32")
            body.emit(f"{v.name} + {v.name}", v.shape, v.dtype, [v], bound=16.0)
        results = body.results()
        consts = body.params[-weights:] if 0 < weights < len(body.params) else []
        params = [p for p in body.params if p not in consts]
        lines = definition("forward" if weights else name, params, consts, results, body.lines)
        return Function(name, params, consts, results, lines)

    def build(self, rounds):
        rng = self.rng
        for i in range(rng.choice((0, 1, 2))):
            self.helpers.append(self.function(f"helper{i}", f"h{i}_", rng.randint(2, 4)))
        for i in range(rng.choice((0, 1, 1))):
            self.children.append(self.function(f"child{i}", f"c{i}_", rng.randint(2, 4), weights=1))
        body = Body(self, "v")
        for name in sorted(self.ranges):  # extents are bound by inputs
            body.param((Extent(0, ((name, 1),)),), "f32")
        ops = []
        for _ in range(rounds):
            turn = list(self.catalogue)
            rng.shuffle(turn)
            ops.extend(turn)
        self.fill(body, ops)
        main = definition("main", body.params, [], body.results(), body.lines)
        return Program(self.seed, self.text(main), dict(self.extents))

    def text(self, main):
        names = {"func", "module"}
        ops = {op["name"] for op in self.catalogue}
        ops.update(alias for op in self.catalogue for alias in op["aliases"])
        out = [f'"""Generated from seed {self.seed}."""', "",
               f"from tilefoundry import {', '.join(sorted(names))}",
               "from tilefoundry.dsl import ConstTensor, DimVar, Tensor, Tuple",
               f"from tilefoundry.dsl.tf import {', '.join(sorted(ops))}", ""]
        out += [f'{n} = DimVar("{n}", {low}, {high})' for n, (low, high) in self.ranges.items()]
        for child in self.children:
            out += ["", "", '@module(entry="forward")', f"class Kind_{child.name}:"]
            out += [f"    {line}" if line else "" for line in child.lines]
        out += ["", "", '@module(entry="main")', "class Program:"]
        out += [f"    {child.name} = Kind_{child.name}" for child in self.children]
        for lines in [h.lines for h in self.helpers] + [main]:
            out += [""] + [f"    {line}" if line else "" for line in lines]
        return "\n".join(out) + "\n"


def definition(name, params, consts, results, lines):
    signature = [f"    {p.name}: {type_text(p.shape, p.dtype)}," for p in params]
    signature += [f"    {p.name}: {type_text(p.shape, p.dtype, 'ConstTensor')}," for p in consts]
    types = [type_text(r.shape, r.dtype) for r in results]
    result = types[0] if len(types) == 1 else f"Tuple[{', '.join(types)}]"
    return ["@func", f"def {name}(", *signature, f") -> {result}:", *(f"    {x}" for x in lines),
            f"    return {', '.join(r.name for r in results)}"]


def missing_rules(catalogue):
    """Ops and kinds of the catalogue that the generator does not know."""
    tf = [op for op in catalogue if op["dialect"] == "tf"]
    missing = [op["class"] for op in tf if op["class"] not in RULES]
    for name, known in (("Binary", BINARY_KINDS), ("Unary", UNARY_KINDS)):
        for op in tf:
            if op["class"] == name:
                missing += [f"{name}.{kind}" for kind in choices(op) if kind not in known]
    return missing


def generate(seed, catalogue, rounds=2):
    """A program in which each op of the catalogue is attempted `rounds` times."""
    return World(seed, catalogue).build(rounds)


if __name__ == "__main__":
    import json
    import subprocess
    import sys

    # program_generator.py SEED [COMMAND]: the program of a seed
    command = sys.argv[2] if len(sys.argv) > 2 else "build/release/tilefoundry"
    listed = subprocess.run([command, "ops", "--json"], capture_output=True, text=True, check=True)
    print(generate(int(sys.argv[1]), json.loads(listed.stdout)["ops"]).text, end="")
