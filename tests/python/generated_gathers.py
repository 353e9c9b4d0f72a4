"""Rules of generated programs for ops that gather, rank, count and replace windows."""

from generated_values import INTS, LIMIT, Extent, type_text


def anything(v):
    return True


def spot(rng, rank):
    """An axis, as it is written and as it is."""
    axis = rng.randrange(rank)
    return axis, axis if rng.random() < 0.7 else axis - rank


def rule_arange(body, op):
    rng = body.rng
    shape, dtype = body.random_shape(1), rng.choice(INTS)
    if body.prefix != "v":  # a helper has its dimensions from its parameters only
        shape = (Extent(rng.choice((0, 1, 5, 17))),)
    start, step = rng.choice((0, 0, 1, -5, 100)), rng.choice((1, 1, 2, -3, 0))
    last = start + step * max(0, body.numel(shape) - 1)
    extra = f", start={start}, step={step}" if (start, step) != (0, 1) else ""
    return body.emit(f"arange({type_text(shape, dtype)}{extra})", shape, dtype, [],
                     bound=float(max(abs(start), abs(last))), nonneg=min(start, last) >= 0)


def window(body, shape):
    """The shape and the place of a window of `shape`."""
    sizes, starts = [], []
    for extent in shape:
        if not extent.fixed or body.rng.random() < 0.3:
            sizes.append(extent), starts.append(0)
            continue
        size = body.rng.randint(min(1, extent.constant), extent.constant)
        sizes.append(Extent(size)), starts.append(body.rng.randint(0, extent.constant - size))
    return sizes, starts


def rule_insert_slice(body, op):
    v = body.pick(anything)
    sizes, starts = window(body, v.shape)
    update = body.of_type(sizes, v.dtype)
    places = ", ".join(map(str, starts)) + ("," if len(starts) == 1 else "")
    return body.emit(f"insert_slice({v.name}, {update.name}, ({places}))", v.shape, v.dtype,
                     [v, update])


def in_range(body, v, most):
    """An integer value whose elements are indices up to `most`."""
    return body.emit(f"clamp({v.name}, min_val=0, max_val={most})", v.shape, v.dtype, [v],
                     bound=float(most), nonneg=True)


def rule_cache_update(body, op):
    rng = body.rng
    usable = lambda v: len(v.shape) == 4 and v.shape[1].fixed and v.shape[1].constant > 0
    cache = body.pick(usable, min_rank=4)
    if cache is None:
        return False
    length = cache.shape[1].constant
    rows = rng.randint(1, length)
    shape = list(cache.shape)
    shape[1] = Extent(rows)
    new = body.of_type(shape, cache.dtype)
    count = rng.randint(0, rows)
    place, operands = str(rng.randint(0, length - count)), [cache, new]
    if rng.random() < 0.4:  # a place that is known at run time only
        at = in_range(body, body.of_type((), "i32"), length - count)
        place, operands = at.name, [cache, new, at]
    return body.emit(f"cache_update({cache.name}, {place}, {count}, {new.name})", cache.shape,
                     cache.dtype, operands, bound=max(cache.bound, new.bound),
                     nonneg=cache.nonneg and new.nonneg, exact=cache.exact and new.exact)


def rule_stack(body, op):
    rng = body.rng
    v = body.pick(lambda v: len(v.shape) < 4)
    parts = [v] + [body.of_type(v.shape, v.dtype) for _ in range(rng.choice((0, 1, 1, 2)))]
    axis, written = spot(rng, len(v.shape) + 1)
    shape = list(v.shape)
    shape.insert(axis, Extent(len(parts)))
    if body.numel(shape) > LIMIT:
        return False
    names = ", ".join(p.name for p in parts)
    return body.emit(f"stack({names}, axis={written})", shape, v.dtype, parts)


def rule_repeat_interleave(body, op):
    rng = body.rng
    v = body.pick(anything, min_rank=1)
    axis, written = spot(rng, len(v.shape))
    repeats = rng.choice((1, 2, 2, 3, 4))
    shape = list(v.shape)
    shape[axis] = shape[axis].times(repeats)
    if body.numel(shape) > LIMIT:
        return False
    return body.emit(f"repeat_interleave({v.name}, repeats={repeats}, axis={written})", shape,
                     v.dtype, [v])


def rule_index_select(body, op):
    rng = body.rng
    v = body.pick(lambda v: any(e.fixed and e.constant > 0 for e in v.shape), min_rank=1)
    if v is None:
        return False
    axis = rng.choice([i for i, e in enumerate(v.shape) if e.fixed and e.constant > 0])
    index = body.of_type(body.random_shape(1), rng.choice(INTS), lambda i: i.exact)
    shape = list(v.shape)
    shape[axis] = index.shape[0]
    if body.numel(shape) > LIMIT:
        return False
    index = in_range(body, index, v.shape[axis].constant - 1)
    place = "" if axis == 0 and rng.random() < 0.5 else f", dim={axis}"
    return body.emit(f"index_select({v.name}, {index.name}{place})", shape, v.dtype, [v, index],
                     bound=v.bound, nonneg=v.nonneg)


def ranked(body):
    """A value whose elements compare alike on every path, and one of its axes that is not empty."""
    v = body.pick(lambda v: v.exact and any(e.value(body.world.extents) > 0 for e in v.shape),
                  min_rank=1)
    if v is None:
        return None
    return v, body.rng.choice([i for i, e in enumerate(v.shape) if e.value(body.world.extents) > 0])


def rule_arg_max(body, op):
    found = ranked(body)
    if found is None:
        return False
    v, axis = found
    shape = [e for i, e in enumerate(v.shape) if i != axis]
    last = axis == len(v.shape) - 1 and body.rng.random() < 0.5
    return body.emit(f"argmax({v.name}{'' if last else f', axis={axis}'})", shape, "i64", [v],
                     bound=float(v.shape[axis].value(body.world.extents)), nonneg=True)


def rule_top_k(body, op):
    from generated_rules import take_fields

    rng = body.rng
    found = ranked(body)
    if found is None:
        return False
    v, axis = found
    extent = v.shape[axis].value(body.world.extents)
    k = rng.choice((1, extent, rng.randint(0, extent)))
    if not v.shape[axis].fixed:
        k = min(k, 1)
    shape = list(v.shape)
    shape[axis] = Extent(k)
    options = rng.choice(("", "", ", largest=False", ", sorted=False"))
    body.read.add(v.name)
    take_fields(body, f"topk({v.name}, k={k}, axis={axis}{options})",
                [(shape, v.dtype), (shape, "i64")], [v],
                [{}, {"bound": float(extent), "nonneg": True}])
    return True


def rule_shape_of(body, op):
    v = body.pick(anything)
    largest = max((e.value(body.world.extents) for e in v.shape), default=0)
    return body.emit(f"shape_of({v.name})", (Extent(len(v.shape)),), "i64", [v],
                     bound=float(largest), exact=True, nonneg=True, wild=False)


def rule_rank(body, op):
    v = body.pick(anything)
    return body.emit(f"rank({v.name})", (), "i64", [v], bound=4.0, exact=True, nonneg=True, wild=False)


GATHER_RULES = {
    "Arange": rule_arange, "InsertSlice": rule_insert_slice, "CacheUpdate": rule_cache_update,
    "Stack": rule_stack, "RepeatInterleave": rule_repeat_interleave,
    "IndexSelect": rule_index_select, "ArgMax": rule_arg_max, "TopK": rule_top_k,
    "ShapeOf": rule_shape_of, "Rank": rule_rank,
}
