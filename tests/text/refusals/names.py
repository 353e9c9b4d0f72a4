# RUN: tilefoundry check %s
# EXIT: 1
from tilefoundry import func
from tilefoundry.dsl import T, Tensor, Tensr, tf  # ERROR: TF2002
from tilefoundry.dsl.tf import add, copy  # ERROR: TF2002
from tilefoundry.dls import Mesh  # ERROR: TF2005
import numpy  # ERROR: TF2005


@func
def unknown(x: Tensor[(4, 8), "f32"]):
    a = ad(x, x)  # ERROR: TF2001
    b = a + 1  # nothing more about a
    c = tf.matmull(x, x)  # ERROR: TF2002
    d = dot(x, x)  # ERROR: TF2001
    e = later(x)  # ERROR: TF2003
    f = T.copy(x, x)  # ERROR: TF2004
    g = T.parallel(4)  # ERROR: TF2004
    return x.shape  # ERROR: TF2045


@func
def later(x: Tensor[(4, 8), "f32"]):
    return x.exp()  # ERROR: TF2045
