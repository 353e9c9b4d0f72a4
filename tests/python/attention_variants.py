"""examples/flash_attention.py in other words: what region tiling must treat alike.

Each variant is a change of the example's text with the change of the reference that goes with it.
"""

import numpy as np
from programs import ROOT

EXAMPLE = (ROOT / "examples" / "flash_attention.py").read_text(encoding="utf-8")
SCORES = "scores = queries @ transpose(keys[:, :, j, :], perm=(0, 1, 3, 2))\n"
MASK = "masked = where(row >= column, scores, lowest)\n"


def replaced(text, *changes):
    for old, new in changes:
        assert old in text, old
        text = text.replace(old, new)
    return text


def renamed(text):
    for old, new in (("scores", "alpha"), ("masked", "beta"), ("peak", "gamma"), ("rescale", "delta"),
                     ("weights", "epsilon"), ("total", "zeta"), ("summed", "eta"), ("best", "theta"),
                     ("queries", "iota"), ("keys", "kappa"), ("values", "mu"), ("flash_attention", "renamed")):
        text = text.replace(old, new)
    return text


def added_scale():
    return replaced(EXAMPLE, (SCORES, SCORES + "        scores = scores * 0.7\n"))


def tanh_cap():
    text = replaced(EXAMPLE, (SCORES, SCORES + "        scores = tanh(scores * 0.2) * 5.0\n"))
    return text.replace("reduce, reshape, transpose", "reduce, reshape, tanh, transpose")


def window_mask():
    near = "where((row >= column) & (row < column + 200), scores, lowest)"
    return replaced(EXAMPLE, (MASK, f"masked = {near}\n"))


# name: (text, change of the scores, (row, column) to what is seen)
VARIANTS = {
    "as_it_is": (EXAMPLE, lambda s: s, lambda r, c: r >= c),
    "renamed": (renamed(EXAMPLE), lambda s: s, lambda r, c: r >= c),
    "added_scale": (added_scale(), lambda s: s * 0.7, lambda r, c: r >= c),
    "tanh_cap": (tanh_cap(), lambda s: np.tanh(s * 0.2) * 5, lambda r, c: r >= c),
    "window_mask": (window_mask(), lambda s: s, lambda r, c: (r >= c) & (r < c + 200)),
    "not_causal": (replaced(EXAMPLE, (MASK, "masked = scores\n")), lambda s: s, lambda r, c: r >= 0 * c),
}


def reference(name, q, k, v):
    """In float64: q (heads, tokens, dim), k and v with fewer heads."""
    _, change, seen = VARIANTS[name]
    q, k, v = (a.astype(np.float64) for a in (q, k, v))
    group = len(q) // len(k)
    scores = change(q * 0.125 @ np.repeat(k, group, 0).swapaxes(1, 2))
    row, column = np.arange(q.shape[1])[:, None], np.arange(q.shape[1])
    scores = np.where(seen(row, column), scores, -np.inf)
    weights = np.exp(scores - scores.max(-1, keepdims=True))
    return weights / weights.sum(-1, keepdims=True) @ np.repeat(v, group, 0)


def nest_counts(tir):
    """What a lowered program consists of: {outermost loops, parallel loops, products, outermost products}."""
    body = [line for line in tir.splitlines() if line.startswith("        ")]
    outermost = [line[8:] for line in body if line[8] not in " #)"]
    text = "\n".join(body)
    return {
        "outermost_loops": sum(line.startswith("for ") for line in outermost),
        "parallel_loops": text.count("in T.parallel("),
        "products": text.count("T.matmul("),
        "outermost_products": sum(line.startswith("T.matmul(") for line in outermost),
    }
