// The passes that turn tile ops into fused, marked loop nests. Each is a stage of the default
// pipeline with its own name, and none changes results.
#pragma once

#include "tilefoundry/ir/tir/prim_function.h"

namespace tilefoundry {

// `forward_outputs`: a buffer that is only copied to an output becomes that output.
StmtRef forward_outputs(const PrimFunction& function);

// `expand_tiles`: tile ops with a registered expansion become loop nests.
StmtRef expand_tiles(const PrimFunction& function);

// `fuse_loops`: neighbouring loops merge when they run over the same range and every buffer that
// one writes and the other touches is addressed by the loop variable on one and the same axis, so
// that each trip depends on the same trip only. Reads index expressions, never op names.
StmtRef fuse_loops(const PrimFunction& function);

// `contract_buffers`: an allocation used inside one loop nest loses the axes that are addressed by
// the nest's common loops, and moves into them; what becomes rank 0 with one store is a scalar
// binding.
StmtRef contract_buffers(const PrimFunction& function);

// `mark_loops`: the outermost loop of a nest whose trips are independent runs in parallel, the
// innermost one as vectors.
StmtRef mark_loops(const PrimFunction& function);

}  // namespace tilefoundry
