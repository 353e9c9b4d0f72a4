# RUN: tilefoundry lower %s --passes hir_to_tir
# PROVES: P34 P35
# Every function of a tree becomes a prim function of the root's module; the weights of children follow
# the inputs, named by their path.
from tilefoundry import func, module
from tilefoundry.dsl import ConstTensor, Tensor


@module(entry="forward")
class Scale:
    @func
    def forward(x: Tensor[(4,), "f32"], weight: ConstTensor[(4,), "f32"]):
        return x * weight


@module(entry="forward")
class Twice:
    first = Scale
    second = Scale

    @func
    def forward(x: Tensor[(4,), "f32"]):
        return second(first(x))
# ==== EXPECTED ====
# ---- tilefoundry lower %s --passes hir_to_tir
# OUT| from tilefoundry import module, prim_func
# OUT| from tilefoundry.dsl import ConstTensor, T, Tensor
# OUT| from tilefoundry.target import CpuTarget
# OUT|
# OUT|
# OUT| @module(entry="forward", target=CpuTarget())
# OUT| class Twice:
# OUT|     @module(entry="forward")
# OUT|     class first:
# OUT|         @prim_func(outputs=1)
# OUT|         def forward(x: Tensor[(4,), "f32"], weight: ConstTensor[(4,), "f32"], out: Tensor[(4,), "f32"]):
# OUT|             t = T.alloc_tensor(tensor_type=Tensor[(4,), "f32"])
# OUT|             for i in range(4):
# OUT|                 x_1 = x[i]
# OUT|                 weight_1 = weight[i]
# OUT|                 v = x_1 * weight_1
# OUT|                 t[i] = v
# OUT|             T.copy(t, out)
# OUT|
# OUT|     @module(entry="forward")
# OUT|     class second:
# OUT|         @prim_func(outputs=1)
# OUT|         def forward(x: Tensor[(4,), "f32"], weight: ConstTensor[(4,), "f32"], out: Tensor[(4,), "f32"]):
# OUT|             t = T.alloc_tensor(tensor_type=Tensor[(4,), "f32"])
# OUT|             for i in range(4):
# OUT|                 x_1 = x[i]
# OUT|                 weight_1 = weight[i]
# OUT|                 v = x_1 * weight_1
# OUT|                 t[i] = v
# OUT|             T.copy(t, out)
# OUT|
# OUT|     @prim_func(param_names={"first_weight": "first.weight", "second_weight": "second.weight"}, outputs=1)
# OUT|     def forward(x: Tensor[(4,), "f32"], first_weight: ConstTensor[(4,), "f32"], second_weight: ConstTensor[(4,), "f32"], out: Tensor[(4,), "f32"]):
# OUT|         t = T.alloc_tensor(tensor_type=Tensor[(4,), "f32"])
# OUT|         T.call("first.forward", x, first_weight, t)
# OUT|         t_1 = T.alloc_tensor(tensor_type=Tensor[(4,), "f32"])
# OUT|         T.call("second.forward", t, second_weight, t_1)
# OUT|         T.copy(t_1, out)
