"""The programs of examples/ against the same mathematics in NumPy, in float64."""

import sys

import attention_variants
import numpy as np
import pytest
from programs import ROOT, save, tilefoundry

sys.path.insert(0, str(ROOT / "bench"))
import peer_workloads as plain  # noqa: E402

EXAMPLES = ROOT / "examples"


def run(path, inputs, folder, *options):
    """The outputs of a program of f32 results, by the command."""
    files = []
    for i, array in enumerate(inputs):
        files.append(folder / f"in{i}.npy")
        save(files[-1], array)
    out = folder / "out"
    tilefoundry("run", path, "--save", out, *options, "--inputs", *files, TILEFOUNDRY_CACHE_DIR=str(folder / "cache"))
    return [np.load(out / f"out{i}.npy") for i in range(len(list(out.iterdir())))]


def close(got, wanted, bound=1e-5):
    error = np.max(np.abs(got.astype(np.float64) - wanted)) / np.max(np.abs(wanted))
    assert got.shape == wanted.shape and error < bound, error


def double(arrays):
    return [a.astype(np.float64) for a in arrays]


def draw(seed, *shapes, scale=1.0):
    generator = np.random.default_rng(seed)
    return [(generator.standard_normal(shape) * scale).astype(np.float32) for shape in shapes]


def variant(folder, name, tokens, block=64):
    text = attention_variants.VARIANTS[name][0]
    text = attention_variants.replaced(text, ("tokens = 1024", f"tokens = {tokens}"), ("block = 64", f"block = {block}"))
    path = folder / "attention.py"
    path.write_text(text, encoding="utf-8")
    return path


@pytest.mark.parametrize("name", attention_variants.VARIANTS)
def test_flash_attention_and_its_variants(name, tmp_path):
    inputs = draw(1, (9, 320, 64), (3, 320, 64), (3, 320, 64))
    (out,) = run(variant(tmp_path, name, 320), inputs, tmp_path)
    close(out, attention_variants.reference(name, *inputs))


def test_flash_attention_at_its_own_size(tmp_path):
    inputs = draw(2, (9, 1024, 64), (3, 1024, 64), (3, 1024, 64), scale=2)
    (out,) = run(EXAMPLES / "flash_attention.py", inputs, tmp_path)
    close(out, attention_variants.reference("as_it_is", *inputs))


@pytest.mark.parametrize("block", [16, 32, 96])
def test_flash_attention_gives_the_same_for_every_block(block, tmp_path):
    path = variant(tmp_path, "as_it_is", 192, block)
    tilefoundry("run", path, "--inputs", "random", "--verify")


def llama_weights():
    return [array * shape[0] ** -0.5 if len(shape) == 2 else 1 + array * 0.1
            for (_, shape), array in zip(plain.BLOCK, draw(3, *(shape for _, shape in plain.BLOCK)))]


def prefill(folder, x, weights):
    """The example for a prompt of len(x) tokens."""
    text = (EXAMPLES / "llama_block.py").read_text(encoding="utf-8")
    path = folder / f"prompt{len(x)}.py"
    path.write_text(attention_variants.replaced(text, ("prompt = 128", f"prompt = {len(x)}")), encoding="utf-8")
    place = folder / f"prefill{len(x)}"
    place.mkdir()
    return run(f"{path}:prefill", [x, *plain.rotary(range(len(x))), *weights], place)


def llama_reference(x, weights):
    cos, sin = double(plain.rotary(range(len(x))))
    named = dict(zip(plain.BLOCK_NAMES, double(weights)))
    return plain.block_plain(x.astype(np.float64), cos, sin, lambda k, v: (k, v), plain.causal(len(x)), named)


def test_llama_prefill(tmp_path):
    (x,), weights = draw(4, (128, 576)), llama_weights()
    for got, wanted in zip(prefill(tmp_path, x, weights), llama_reference(x, weights)):
        close(got, wanted)


@pytest.mark.parametrize("position", [0, 40, 1023])
def test_llama_decode_at_any_position(position, tmp_path):
    """The cache behind `position` holds values that must not be seen."""
    (x, *caches), weights = draw(5, (1, 576), (1, 1024, 3, 64), (1, 1024, 3, 64)), llama_weights()
    numbers = [np.array(position, np.int32), np.array(1, np.int32)]
    got = run(f"{EXAMPLES / 'llama_block.py'}:decode",
              [x, *caches, *numbers, *plain.rotary([position]), *weights], tmp_path)
    keys, values = double(a[0] for a in caches)

    def past(k, v):
        keys[position], values[position] = k[0], v[0]
        return keys[: position + 1], values[: position + 1]

    cos, sin = double(plain.rotary([position]))
    named = dict(zip(plain.BLOCK_NAMES, double(weights)))
    out, _, _ = plain.block_plain(x.astype(np.float64), cos, sin, past, None, named)
    close(got[0], out)
    close(got[1], keys[None])
    close(got[2], values[None])
    others = np.arange(1024) != position
    assert np.array_equal(got[1][:, others], caches[0][:, others])
    assert np.array_equal(got[2][:, others], caches[1][:, others])


def test_llama_decode_continues_a_prefill(tmp_path):
    (x,), weights = draw(6, (65, 576)), llama_weights()
    whole = prefill(tmp_path, x, weights)
    _, keys, values = prefill(tmp_path, x[:64], weights)
    caches = [np.zeros((1, 1024, 3, 64), np.float32) for _ in range(2)]
    caches[0][0, :64], caches[1][0, :64] = keys, values
    numbers = [np.array(64, np.int32), np.array(1, np.int32)]
    place = tmp_path / "decode"
    place.mkdir()
    out, new_keys, new_values = run(f"{EXAMPLES / 'llama_block.py'}:decode",
                                    [x[64:], *caches, *numbers, *plain.rotary([64]), *weights], place)
    close(out, whole[0][64:])
    close(new_keys[0, :65], whole[1])
    close(new_values[0, :65], whole[2])
    assert not new_keys[0, 65:].any()


def test_bert_layer(tmp_path):
    work = next(plain.bert(plain.Drawn()))
    (out,) = run(f"{EXAMPLES / 'bert_layer.py'}:bert_layer", list(work.inputs.values()), tmp_path)
    close(out, work.plain(*double(work.inputs.values())))


@pytest.mark.parametrize("path", sorted(EXAMPLES.glob("*.py")), ids=lambda path: path.stem)
def test_every_example_is_named_in_the_documentation(path):
    text = (ROOT / "README.md").read_text() + (ROOT / "docs" / "language.md").read_text()
    assert f"examples/{path.name}" in text
