"""Large programs: `SHAPES[name](count)` is the text of one with about `count` ops."""

HEADER = """from tilefoundry import func
from tilefoundry.dsl import Tensor
from tilefoundry.dsl.tf import concat, exp, reshape, split


"""


def function(lines, results="x", rows=8):
    body = "".join(f"    {line}\n" for line in lines)
    return f'{HEADER}@func\ndef main(x: Tensor[({rows},), "f32"]):\n{body}    return {results}\n'


def chain(count):
    """Each op reads the one before it; one shape."""
    return function("x = x + x" if i % 2 else "x = x * x" for i in range(count))


def wide(count):
    """Independent ops on one input, joined in a tree, so that no path is long."""
    lines = [f"v{i} = x * {float(i)}" for i in range(count // 2)]
    level = [f"v{i}" for i in range(count // 2)]
    while len(level) > 1:
        for i in range(0, len(level) - 1, 2):
            lines.append(f"{level[i]} = {level[i]} + {level[i + 1]}")
        level = level[::2]
    return function(lines, level[0])


def growing(count):
    """A chain in which every second value has a shape of its own."""
    lines = []
    for i in range(1, count // 2 + 1):
        lines.append(f"y = reshape(x, new_shape=(1, {7 + i}))")
        lines.append(f"x = concat(reshape(y, new_shape=({7 + i},)), c, axis=0)")
    text = function(lines)
    return text.replace('"f32"]):', '"f32"], c: Tensor[(1,), "f32"]):', 1)


def many_functions(count):
    """Functions of ten ops, each on a shape of its own, in one Module."""
    out = [HEADER.replace("import func", "import func, module"), '@module(entry="f0")\nclass Big:\n']
    for i in range(max(1, count // 10)):
        out.append(f'    @func\n    def f{i}(x: Tensor[({i + 1}, 3), "f32"]):\n')
        out.append("        x = x + x\n        x = exp(x)\n" * 5)
        out.append("        return x\n\n")
    return "".join(out)


def one_expression(count):
    """`count` additions in one expression."""
    return function([f"y = {' + '.join(['x'] * (count + 1))}"], "y")


SHAPES = {"chain": chain, "wide": wide, "growing": growing, "many_functions": many_functions}
