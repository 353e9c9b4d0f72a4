# RUN: tilefoundry check %s
# EXIT: 1
from tilefoundry import func
from tilefoundry.dsl import Tensor
from tilefoundry.dsl.tf import gelu, layer_norm, relu, sigmoid, softmax, softplus, tanh


@func
def body(
    x: Tensor[(4, 8), "f32"],
    n: Tensor[(4, 8), "i32"],
    m: Tensor[(4, 8), "bool"],
    s: Tensor[(), "f32"],
    w: Tensor[(8,), "f32"],
    h: Tensor[(8,), "f16"],
):
    a = sigmoid(n)  # ERROR: TF3100
    b = tanh(m)  # ERROR: TF3100
    c = softplus(n)  # ERROR: TF3100
    d = gelu(n)  # ERROR: TF3100
    e = gelu(x, approximate="erf")  # ERROR: TF2062
    f = relu(m)  # ERROR: TF3100
    g = softmax(x)  # ERROR: TF2066
    i = softmax(x, axis=2)  # ERROR: TF3100
    j = softmax(s, axis=0)  # ERROR: TF3100
    k = softmax(n, axis=0)  # ERROR: TF3100
    l = layer_norm(x, w, w, axis=0, eps=1e-5)  # ERROR: TF3100
    o = layer_norm(x, w, h, axis=1, eps=1e-5)  # ERROR: TF3100
    p = layer_norm(x, w, w, axis=1)  # ERROR: TF2066
    q = layer_norm(s, s, s, axis=0, eps=1e-5)  # ERROR: TF3100
    return x

# ==== EXPECTED ====
# ---- tilefoundry check %s
# ERR| %s:17:9: error[TF3100]: Call[Sigmoid] 'a': sigmoid is not defined on i32, the dtype of x
# ERR|  17 |     a = sigmoid(n)  # ERROR: TF3100
# ERR|     |         ^~~~~~~~~~
# ERR| hint: cast it first: cast(x, dtype="f32")
# ERR| %s:18:9: error[TF3100]: Call[Tanh] 'b': tanh is not defined on bool, the dtype of x
# ERR|  18 |     b = tanh(m)  # ERROR: TF3100
# ERR|     |         ^~~~~~~
# ERR| hint: cast it first: cast(x, dtype="f32")
# ERR| %s:19:9: error[TF3100]: Call[Softplus] 'c': softplus is not defined on i32, the dtype of x
# ERR|  19 |     c = softplus(n)  # ERROR: TF3100
# ERR|     |         ^~~~~~~~~~~
# ERR| hint: cast it first: cast(x, dtype="f32")
# ERR| %s:20:9: error[TF3100]: Call[Gelu] 'd': gelu is not defined on i32, the dtype of x
# ERR|  20 |     d = gelu(n)  # ERROR: TF3100
# ERR|     |         ^~~~~~~
# ERR| hint: cast it first: cast(x, dtype="f32")
# ERR| %s:21:29: error[TF2062]: 'approximate' of 'gelu' is one of "tanh", "none", not the string "erf"
# ERR|  21 |     e = gelu(x, approximate="erf")  # ERROR: TF2062
# ERR|     |                             ^~~~~
# ERR| %s:22:9: error[TF3100]: Call[ReLU] 'f': relu is not defined on bool, the dtype of x
# ERR|  22 |     f = relu(m)  # ERROR: TF3100
# ERR|     |         ^~~~~~~
# ERR| hint: cast it first: cast(x, dtype="f32")
# ERR| %s:23:9: error[TF2066]: 'softmax' lacks its attribute 'axis'
# ERR|  23 |     g = softmax(x)  # ERROR: TF2066
# ERR|     |         ^~~~~~~~~~
# ERR| hint: it is softmax(x, axis)
# ERR| %s:24:9: error[TF3100]: Call[SoftMax] 'i': axis 2 is out of range for rank 2
# ERR|  24 |     i = softmax(x, axis=2)  # ERROR: TF3100
# ERR|     |         ^~~~~~~~~~~~~~~~~~
# ERR| hint: use an axis from -2 to 1
# ERR| %s:25:9: error[TF3100]: Call[SoftMax] 'j': axis 0 is out of range for rank 0
# ERR|  25 |     j = softmax(s, axis=0)  # ERROR: TF3100
# ERR|     |         ^~~~~~~~~~~~~~~~~~
# ERR| hint: a scalar has no axes
# ERR| %s:26:9: error[TF3100]: Call[SoftMax] 'k': softmax is not defined on i32, the dtype of x
# ERR|  26 |     k = softmax(n, axis=0)  # ERROR: TF3100
# ERR|     |         ^~~~~~~~~~~~~~~~~~
# ERR| hint: cast it first: cast(x, dtype="f32")
# ERR| %s:27:9: error[TF3100]: Call[LayerNorm] 'l': weight has shape (8,), wanted (4, 8), the extents that are normalized
# ERR|  27 |     l = layer_norm(x, w, w, axis=0, eps=1e-5)  # ERROR: TF3100
# ERR|     |         ^~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~
# ERR| %s:28:9: error[TF3100]: Call[LayerNorm] 'o': bias has dtype f16, wanted f32
# ERR|  28 |     o = layer_norm(x, w, h, axis=1, eps=1e-5)  # ERROR: TF3100
# ERR|     |         ^~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~
# ERR| hint: cast it first: cast(bias, dtype="f32")
# ERR| %s:29:9: error[TF2066]: 'layer_norm' lacks its attribute 'eps'
# ERR|  29 |     p = layer_norm(x, w, w, axis=1)  # ERROR: TF2066
# ERR|     |         ^~~~~~~~~~~~~~~~~~~~~~~~~~~
# ERR| hint: it is layer_norm(x, weight, bias, axis, eps)
# ERR| %s:30:9: error[TF3100]: Call[LayerNorm] 'q': x is a scalar; layer_norm needs an axis to normalize over
# ERR|  30 |     q = layer_norm(s, s, s, axis=0, eps=1e-5)  # ERROR: TF3100
# ERR|     |         ^~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~
