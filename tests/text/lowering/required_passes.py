# RUN: tilefoundry lower %s --disable-pass expand_tiles
# EXIT: 2
# RUN: tilefoundry lower %s --disable-pass nothing
# EXIT: 2
# RUN: tilefoundry lower %s --passes hir_to_tir,nothing
# EXIT: 2
# RUN: tilefoundry lower %s --passes bufferize
# EXIT: 2
# RUN: tilefoundry lower %s --passes bufferize,hir_to_tir
# EXIT: 2
# PROVES: P15
from tilefoundry import func
from tilefoundry.dsl import Tensor


@func
def twice(x: Tensor[(4,), "f32"]):
    return x + x
# ==== EXPECTED ====
# ---- tilefoundry lower %s --disable-pass expand_tiles
# ERR| error[TF4003]: pass expand_tiles cannot be disabled: code generation needs its result
# ---- tilefoundry lower %s --disable-pass nothing
# ERR| error[TF4002]: unknown pass "nothing"
# ERR| hint: the passes are hir_to_tir, bufferize, elide_copies, forward_outputs, expand_tiles, forward_views, tile_regions, fuse_loops, contract_buffers, order_loops, split_reductions, mark_loops
# ---- tilefoundry lower %s --passes hir_to_tir,nothing
# ERR| error[TF4002]: unknown pass "nothing"
# ERR| hint: the passes are hir_to_tir, bufferize, elide_copies, forward_outputs, expand_tiles, forward_views, tile_regions, fuse_loops, contract_buffers, order_loops, split_reductions, mark_loops
# ---- tilefoundry lower %s --passes bufferize
# ERR| error[TF4001]: pass bufferize requires hir_to_tir, which does not stand before it in the pipeline
# ERR| hint: add hir_to_tir earlier; passes are never sorted or inserted
# ---- tilefoundry lower %s --passes bufferize,hir_to_tir
# ERR| error[TF4001]: pass bufferize requires hir_to_tir, which does not stand before it in the pipeline
# ERR| hint: add hir_to_tir earlier; passes are never sorted or inserted
