"""A built library stands alone: what it needs, what it exports, and a caller in C."""

import json
import pathlib
import re
import shutil
import subprocess

import numpy as np
import pytest
from programs import HEADER, ROOT, tilefoundry

# What generated code may ask of the system: memory, nothing that computes.
ALLOWED = {"memcpy", "memset", "memmove", "aligned_alloc", "free"}
# Files with several functions say which one is built.
FUNCTIONS = {"bert_layer.py": ":bert_layer", "llama_block.py": ":decode"}
EXAMPLES = sorted(path.name + FUNCTIONS.get(path.name, "") for path in (ROOT / "examples").glob("*.py"))
EVERYTHING = HEADER + '''
M = DimVar("M", 1, 64)


@func
def program(x: Tensor[(M, 40), "f32"], h: Tensor[(M, 40), "bf16"], f: Tensor[(M, 40), "f16"],
            n: Tensor[(M, 40), "i64"], w: Tensor[(40,), "f32"]):
    a = exp(x) + log(x) + sin(x) + cos(x) + erf(x) + sqrt(x) + rsqrt(x) + log1p(x) + log2(x) + exp2(x)
    b = x ** a + floor(x) + ceil(x) + round(x) + x // a + x % a + silu(x)
    c = cast(h, dtype="f32") + cast(f, dtype="f32") + cast(n, dtype="f32")
    d = reduce(b, axes=(1,), kind="abs_max") + reduce(c, axes=(0, 1), kind="mean")
    e = rms_norm(x, w) @ transpose(c, perm=(1, 0))
    g = h @ transpose(h, perm=(1, 0)), f @ transpose(f, perm=(1, 0)), n @ transpose(n, perm=(1, 0))
    return b, d, e, g[0], g[1], g[2], n // 3, n % 3, cast(x, dtype="i32"), cast(x, dtype="f16"), concat(x, c, axis=0)
'''


def symbols(library, *options):
    """(kind, name) of the dynamic symbols, without versions."""
    text = subprocess.run(["nm", "-D", *options, library], capture_output=True, text=True, check=True).stdout
    found = set()
    for line in text.splitlines():
        kind, name = line.split()[-2:]
        found.add((kind, name.split("@")[0]))
    return found


def build(path, folder):
    tilefoundry("build", path, "-o", folder)
    return folder / "library.so", json.loads((folder / "abi.json").read_text())


@pytest.mark.parametrize("name", [*EXAMPLES, "every op"])
def test_undefined_symbols_are_memory_functions(name, tmp_path):
    path = f"{ROOT}/examples/{name}"
    if name == "every op":
        path = tmp_path / "everything.py"
        path.write_text(EVERYTHING)
    library, abi = build(path, tmp_path / "built")
    needed = {symbol for kind, symbol in symbols(library, "--undefined-only") if kind == "U"}
    assert needed <= ALLOWED, needed - ALLOWED
    exported = {symbol for kind, symbol in symbols(library, "--defined-only") if kind in "TDBR"}
    assert exported == {"tf_abi", abi["symbol"]}


def test_the_source_includes_nothing(tmp_path):
    """Nothing of the evaluator can be in it: the source is all there is, and it includes no file."""
    for name in EXAMPLES:
        source = tilefoundry("print", "--stage", "cpp", f"{ROOT}/examples/{name}").stdout
        assert "#include" not in source


CALLER = r'''
#include <dlfcn.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "tilefoundry/runtime/abi.h"

/* Calls tf_program(x (rows, 3) f32, weight (3,) f32) -> (rows, 3) f32, (rows, 1) f32. */
int main(int argc, char** argv) {
  void* library = dlopen(argv[1], RTLD_NOW);
  if (!library || argc != 3) return 90;
  TfEntry entry = (TfEntry)dlsym(library, "tf_program");
  TfAbi abi = (TfAbi)dlsym(library, "tf_abi");
  if (!entry || !abi || !strstr(abi(), "\"entry\":\"program\"")) return 91;

  int64_t rows = atoi(argv[2]);
  int64_t shapes[4][2] = {{rows, 3}, {3, 0}, {rows, 3}, {rows, 1}};
  float* data[4];
  DLTensor tensors[4];
  for (int i = 0; i < 4; i++) {
    data[i] = malloc((size_t)(rows * 3 + 3) * sizeof(float));
    memset(&tensors[i], 0, sizeof tensors[i]);
    tensors[i].data = data[i];
    tensors[i].device.device_type = kDLCPU;
    tensors[i].ndim = i == 1 ? 1 : 2;
    tensors[i].dtype = (DLDataType){TF_DL_FLOAT, 32, 1};
    tensors[i].shape = shapes[i];
  }
  for (int64_t i = 0; i < rows * 3; i++) data[0][i] = (float)i;
  for (int i = 0; i < 3; i++) data[1][i] = (float)(i - 1);

  const DLTensor* inputs[2] = {&tensors[0], &tensors[1]};
  const DLTensor* outputs[2] = {&tensors[2], &tensors[3]};
  char error[200] = "";
  TfCall call = {.struct_size = sizeof call, .n_inputs = 2, .inputs = inputs, .n_outputs = 2,
                 .outputs = outputs, .error = error, .error_size = sizeof error, .n_threads = 1};
  int32_t status = entry(&call);
  if (status != TF_OK) {
    fprintf(stderr, "%d: %s\n", (int)status, error);
    return 92;
  }
  for (int64_t i = 0; i < rows * 3; i++) printf("%a ", data[2][i]);
  printf("\n");
  for (int64_t i = 0; i < rows; i++) printf("%a ", data[3][i]);
  printf("\n");

  /* Wrong calls are told apart and leave a message. */
  call.n_inputs = 1;
  if (entry(&call) != TF_BAD_CALL || !strstr(error, "takes 2 inputs")) return 93;
  call.n_inputs = 2;
  call.struct_size = 8;
  if (entry(&call) != TF_BAD_CALL || entry(0) != TF_BAD_CALL) return 94;
  /* A caller of an older ABI, whose struct ends before the pool. */
  call.struct_size = offsetof(TfCall, parallel_for);
  if (entry(&call) != TF_OK) return 95;
  return 0;
}
'''


@pytest.fixture(scope="module")
def caller(tmp_path_factory):
    """The C program, with no warning of a strict C11 compiler."""
    compiler = shutil.which("cc") or shutil.which("gcc")
    if compiler is None:
        pytest.skip("there is no C compiler")
    folder = tmp_path_factory.mktemp("caller")
    (folder / "caller.c").write_text("#include <stddef.h>\n" + CALLER)
    subprocess.run(
        [compiler, "-std=c11", "-Wall", "-Wextra", "-Werror", f"-I{ROOT}",
         folder / "caller.c", "-o", folder / "caller", "-ldl"], check=True)
    return folder / "caller"


def test_a_c_program_calls_a_built_library(caller, tmp_path):
    path = tmp_path / "program.py"
    path.write_text(HEADER + '''
R = DimVar("R", 1, 1000)


@func
def program(x: Tensor[(R, 3), "f32"], weight: ConstTensor[(3,), "f32"]):
    y = x * weight
    return y, reduce(y, axes=(1,), kind="sum")
''')
    library, _ = build(path, tmp_path / "built")
    for rows in (1, 5, 700):
        result = subprocess.run([caller, library, str(rows)], capture_output=True, text=True, timeout=60)
        assert result.returncode == 0, result.stderr
        product, total = ([float.fromhex(word) for word in line.split()] for line in result.stdout.splitlines())
        x = np.arange(rows * 3, dtype=np.float32).reshape(rows, 3)
        y = x * np.array([-1, 0, 1], np.float32)
        assert np.array_equal(np.array(product).reshape(rows, 3), y)
        assert np.array_equal(total, y.sum(1))


def test_the_abi_header_is_c_and_cpp():
    """It compiles alone, strictly, in both languages."""
    header = ROOT / "tilefoundry" / "runtime" / "abi.h"
    for compiler, flags in (("gcc", ["-x", "c", "-std=c99"]), ("g++", ["-x", "c++", "-std=c++17"])):
        if shutil.which(compiler) is None:
            pytest.skip(f"there is no {compiler}")
        subprocess.run([compiler, *flags, "-Wall", "-Wextra", "-pedantic", "-Werror", "-fsyntax-only", header], check=True)


def test_abi_json_is_what_the_library_tells(tmp_path):
    import ctypes

    for name in EXAMPLES:
        library, abi = build(f"{ROOT}/examples/{name}", tmp_path / pathlib.Path(name).stem)
        loaded = ctypes.CDLL(str(library))
        loaded.tf_abi.restype = ctypes.c_char_p
        assert json.loads(loaded.tf_abi()) == abi
        assert re.fullmatch(r"tf_\w+", abi["symbol"]) and hasattr(loaded, abi["symbol"])
        for value in abi["inputs"] + abi["outputs"]:
            assert set(value) >= {"name", "dtype", "shape"}


def test_a_weight_of_a_child_is_a_constant_input_named_by_its_path(tmp_path):
    _, abi = build(ROOT / "examples" / "swiglu_mlp.py", tmp_path / "built")
    assert [(value["name"], value["constant"]) for value in abi["inputs"]] == [
        ("x", False), ("gate.weight", True), ("up.weight", True), ("down.weight", True)]
    assert abi["dims"] == {"tokens": {"lo": 1, "hi": 4097}}
