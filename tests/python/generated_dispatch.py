"""Prototypes in generated programs (see program_generator.py): a value goes through variants that
differ, so that a wrong one is seen."""

from generated_values import FLOATS, Extent, type_text

# What a variant does with `x`; exact in every dtype, and no two agree on anything but 0.
STEPS = ("x", "x * {half}", "x + {one}", "x - {one}", "{one} - x", "minimum(x, {one})")


def ranges(rng, lo, hi):
    """A partition of [lo, hi) in random order."""
    inner = range(lo + 1, hi)
    cuts = sorted(rng.sample(inner, min(len(inner), rng.choice((0, 1, 1, 2, 3)))))
    parts = list(zip([lo, *cuts], [*cuts, hi]))
    rng.shuffle(parts)
    return parts


def dispatched_axes(value):
    """The axes whose extent a variant can follow from, if every other one can stand in a type."""
    bare = [extent.fixed or (extent.constant == 0 and len(extent.terms) == 1
                             and extent.terms[0][1] == 1) for extent in value.shape]
    return [axis for axis, _ in enumerate(bare)] if all(bare) else []


def add(world, body, calls):
    """Sends `calls` values of the body through prototypes; returns the lines of their definitions
    and the ranges of their dimensions."""
    rng = world.rng
    blocks, dims = [], {}
    for i in range(calls):
        value = body.pick(lambda v: bool(dispatched_axes(v)), dtypes=(*FLOATS, "i32", "i64"), min_rank=1)
        if value is None or not dispatched_axes(value):
            continue
        value = body.tame(value)
        axis = rng.choice(dispatched_axes(value))
        dim, name = f"D{i}", f"dispatched{i}"
        extent = value.shape[axis]
        lo, hi = world.ranges[extent.terms[0][0]] if extent.terms else (extent.constant, extent.constant + 1)
        dims[dim] = (max(0, lo - rng.choice((0, 1, 3))), hi + rng.choice((0, 1, 5)) + 1)
        # Other axes of the caller's dimension are the prototype's dimension too.
        shape = tuple(Extent(0, ((dim, 1),)) if each == extent and each.terms or at == axis else each
                      for at, each in enumerate(value.shape))
        blocks.append(definition(rng, name, dim, dims[dim], shape, value.dtype))
        call = body.emit(f"{name}({value.name})", value.shape, value.dtype, [value],
                         bound=value.bound + 1.0, nonneg=False)
        world.dispatches += 1
        body.read.discard(call.name)
    return blocks, dims


def definition(rng, name, dim, envelope, shape, dtype):
    tensor = type_text(shape, dtype)
    lines = ["@func", f"def {name}(x: {tensor}) -> {tensor}:", "    pass"]
    numbers = {"half": "0.5", "one": "1.0"} if dtype in FLOATS else {"half": "3", "one": "1"}
    steps = rng.sample(STEPS, len(STEPS))
    for k, (lo, hi) in enumerate(ranges(rng, *envelope)):
        lines += ["", f'@{name}.specialize(DimVarRangePat("{dim}", {lo}, {hi}))',
                  f"def {name}_{k}(x: {tensor}) -> {tensor}:",
                  f"    return {steps[k].format(**numbers)}"]
    return lines
