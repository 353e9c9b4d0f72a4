"""Loop forms for the program generator: each appends one loop to a body and knows its results."""

from generated_values import Extent, type_text

DTYPES = ("f32", "f32", "f32", "f16", "bf16", "i32", "i64")


def extents(*sizes):
    return tuple(size if isinstance(size, Extent) else Extent(size) for size in sizes)


def step_text(dtype, acc, new):
    """Keeps magnitudes: floats are halved, integers take the larger."""
    if dtype in ("i32", "i64"):
        return f"maximum({acc}, {new})"
    return f"{acc} * 0.5 + {new} * 0.5"


def start(body, shape, dtype, source=None):
    """A name bound before the loop: zeros, a parameter, or another value of its type."""
    name = body.fresh_name()
    kind = body.rng.choice(("zeros", "param", "value"))
    if kind == "zeros":
        body.lines.append(f"{name} = zeros(type={type_text(shape, dtype)})")
        return name
    value = source if kind == "value" and source is not None else body.param(shape, dtype)
    body.read.add(value.name)
    body.lines.append(f"{name} = {value.name}")
    return name


def finish(body, name, shape, dtype, **facts):
    facts.setdefault("bound", 8.0)
    facts.setdefault("exact", True)
    facts.setdefault("nonneg", False)
    body.known(name, shape, dtype, [], **facts)


def loop(body, head, *lines):
    body.lines.append(f"for {head}:")
    body.lines.extend(f"    {line}" for line in lines)


def one_carry(body, bounds, rows, columns, index):
    """acc steps through windows of rows."""
    dtype = body.rng.choice(DTYPES)
    x = body.param(extents(rows, columns), dtype)
    shape = extents(columns)
    acc = start(body, shape, dtype)
    i = f"i{body.counter}"
    body.read.add(x.name)
    loop(body, f"{i} in range({bounds})",
         f"{acc} = {step_text(dtype, acc, f'{x.name}[{index.format(i=i)}]')}")
    finish(body, acc, shape, dtype)


def form_range(body):
    rows = body.rng.choice((1, 2, 5, 8))
    one_carry(body, str(rows), rows, body.rng.choice((1, 3, 16, 33)), "{i}")


def form_start_step(body):
    rows = body.rng.choice((3, 7, 12))
    first, step = body.rng.randrange(0, rows), body.rng.choice((1, 2, 3, 5))
    one_carry(body, f"{first}, {rows}, {step}", rows, body.rng.choice((1, 8, 17)), "{i}")


def form_symbolic(body):
    name = body.rng.choice(sorted(body.world.extents))
    dim = Extent(0, ((name, 1),))
    bounds = body.rng.choice((name, f"{name} // 2, {name}", f"0, {name}, 3"))
    one_carry(body, bounds, dim, body.rng.choice((4, 9)), "{i}")


def form_tile(body):
    """Reduces windows of widths that are no powers of two as well."""
    rng = body.rng
    width, count = rng.choice((8, 24, 40, 96, 5)), rng.choice((1, 2, 3))
    dtype = rng.choice(("f32", "f32", "i32", "f16"))
    rows = rng.choice((1, 3, 8))
    x = body.param(extents(rows, width * count), dtype)
    shape = extents(rows)
    acc = start(body, shape, dtype)
    i = f"i{body.counter}"
    body.read.add(x.name)
    # A maximum is exact whatever the order.
    part = f'reduce({x.name}[:, {i}], axes=(1,), kind="max", keepdim=False)'
    loop(body, f"{i} in tile({width * count}, {width})", f"{acc} = maximum({acc}, {part})")
    finish(body, acc, shape, dtype)


def form_moved_window(body):
    rng = body.rng
    width, count, offset = rng.choice((4, 8, 12)), rng.choice((1, 2, 4)), rng.choice((1, 3, 8))
    dtype = rng.choice(DTYPES)
    x = body.param(extents(3, width * count + offset), dtype)
    shape = extents(3, width)
    acc = start(body, shape, dtype)
    i, j = f"i{body.counter}", f"j{body.counter}"
    body.read.add(x.name)
    loop(body, f"{i} in tile({width * count}, {width})", f"{j} = {i} + {offset}",
         f"{acc} = {step_text(dtype, acc, f'{x.name}[:, {j}]')}",
         f"{acc} = {step_text(dtype, acc, f'{x.name}[:, {i}]')}")
    finish(body, acc, shape, dtype)


def form_window(body):
    """Starts in dimension arithmetic over two variables."""
    rng = body.rng
    width, dtype = rng.choice((2, 8, 9)), rng.choice(DTYPES)
    x = body.param(extents(2, 3 * width + 2), dtype)
    shape = extents(2, width)
    acc = start(body, shape, dtype)
    i, k = f"i{body.counter}", f"k{body.counter}"
    body.read.add(x.name)
    at = f"{i} * {width} + 2 * {k}"
    loop(body, f"{i} in range(3)", f"for {k} in range(2):",
         f"    {acc} = {step_text(dtype, acc, f'{x.name}[:, {at} : {at} + {width}]')}")
    finish(body, acc, shape, dtype)


def form_partial(body):
    """The last trip has a shorter window."""
    rng = body.rng
    extent, width = rng.choice((10, 20, 37)), rng.choice((4, 8))
    dtype = rng.choice(("f32", "i32", "bf16"))
    x = body.param(extents(3, extent), dtype)
    shape = extents(3)
    acc = start(body, shape, dtype)
    i = f"i{body.counter}"
    body.read.add(x.name)
    window = f"{x.name}[:, {i} : min({i} + {width}, {extent})]"
    loop(body, f"{i} in range(0, {extent}, {width})",
         f'{acc} = maximum({acc}, reduce({window}, axes=(1,), kind="max", keepdim=False))')
    finish(body, acc, shape, dtype)


def form_nested(body):
    rng = body.rng
    dtype = rng.choice(DTYPES)
    x = body.param(extents(6, rng.choice((1, 8, 19))), dtype)
    shape = x.shape[1:]
    acc, row = start(body, shape, dtype), start(body, shape, dtype)
    i, j = f"i{body.counter}", f"j{body.counter}"
    body.read.add(x.name)
    loop(body, f"{i} in range(1, 6, {rng.choice((1, 2))})",
         f"t{body.counter} = {step_text(dtype, f'{x.name}[{i}]', f'{x.name}[0]')}",
         f"for {j} in range({i}, 6):",
         f"    {acc} = {step_text(dtype, acc, f'{x.name}[{j}]')}",
         f"    {row} = {step_text(dtype, row, acc)}",
         f"{row} = {step_text(dtype, row, f't{body.counter}')}")
    finish(body, acc, shape, dtype)
    finish(body, row, shape, dtype)


def form_carries(body):
    rng = body.rng
    dtype = rng.choice(DTYPES)
    shape = extents(rng.choice((1, 4)), rng.choice((8, 21)))
    a, b, c = (start(body, shape, dtype) for _ in range(3))
    i = f"i{body.counter}"
    loop(body, f"{i} in range({rng.choice((1, 2, 5))})",
         f"{a}, {b}, {c} = {b}, {c}, {step_text(dtype, a, c)}")
    for name in (a, b, c):
        finish(body, name, shape, dtype)


def form_swap(body):
    rng = body.rng
    dtype = rng.choice((*DTYPES, "bool"))
    shape = extents(rng.choice((1, 5)), rng.choice((8, 30)))
    a, b = start(body, shape, dtype), start(body, shape, dtype)
    loop(body, f"i{body.counter} in range({rng.choice((1, 2, 3))})", f"{a}, {b} = {b}, {a}")
    for name in (a, b):
        finish(body, name, shape, dtype, bound=1.0 if dtype == "bool" else 8.0,
               nonneg=dtype == "bool")


def form_value(body):
    """The variable as a number."""
    dtype = body.rng.choice(("f32", "i64"))
    x = body.param(extents(5, 6), dtype)
    shape = x.shape[1:]
    acc = start(body, shape, dtype)
    i = f"i{body.counter}"
    body.read.add(x.name)
    loop(body, f"{i} in range(1, 5)",
         f'{acc} = maximum({acc}, {x.name}[{i}] + cast({i} * 2, dtype="{dtype}"))')
    finish(body, acc, shape, dtype, bound=16.0)


def form_number(body):
    """A carried integer that addresses windows."""
    dtype = body.rng.choice(DTYPES)
    x = body.param(extents(12, 5), dtype)
    shape = extents(2, 5)
    acc, at = start(body, shape, dtype), body.fresh_name()
    body.lines.append(f'{at} = zeros(type=Tensor[(), "i64"])')
    body.read.add(x.name)
    loop(body, f"i{body.counter} in range(4)",
         f"{acc} = {step_text(dtype, acc, f'{x.name}[{at} : {at} + 2]')}", f"{at} = {at} + 3")
    finish(body, acc, shape, dtype)
    finish(body, at, (), "i64", bound=12.0, nonneg=True)


FORMS = {name[len("form_"):]: form for name, form in list(globals().items())
         if name.startswith("form_")}


def add_loop(body, form):
    FORMS[form](body)
    body.world.loops.append(form)


def forms_in_turn(seed, count):
    names = sorted(FORMS)
    return [names[(seed * 5 + k) % len(names)] for k in range(count)]


__all__ = ["FORMS", "add_loop", "forms_in_turn"]
