"""Values of generated programs: what a later op must know of them (see program_generator.py)."""

import dataclasses

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


def choices(op, attr="kind"):
    return next((a.get("choices", []) for a in op["attrs"] if a["name"] == attr), [])
