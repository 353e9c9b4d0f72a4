// The passes that turn tile ops into fused, marked loop nests. Each is a stage of the default
// pipeline with its own name, and none changes results.
#pragma once

#include "tilefoundry/ir/tir/prim_function.h"

namespace tilefoundry {

// `elide_copies`: a copy of a buffer that the function allocates and names nowhere later goes, when
// its target is a new buffer of the same type: the source stands for both. So a value that an op
// changes in part is changed in place where nobody else reads it.
StmtRef elide_copies(const PrimFunction& function);

// `forward_outputs`: a buffer that is only copied to an output becomes that output.
StmtRef forward_outputs(const PrimFunction& function);

// `expand_tiles`: tile ops with a registered expansion become loop nests.
StmtRef expand_tiles(const PrimFunction& function);

// `forward_views`: an allocation that one nest fills by moving elements (a transposed, sliced or
// repeated copy) becomes a view, where what it copies does not change later. Loads along its last
// axis stay unit stride; tile ops also take a matrix whose rows are contiguous instead.
StmtRef forward_views(const PrimFunction& function);

// `fuse_loops`: neighbouring loops merge when they run over the same range and every buffer that
// one writes and the other touches is addressed by the loop variable on one and the same axis, so
// that each trip depends on the same trip only. Reads index expressions, never op names.
StmtRef fuse_loops(const PrimFunction& function);

// `contract_buffers`: an allocation used inside one loop nest loses the axes that are addressed by
// the nest's common loops, and moves into them; what becomes rank 0 with one store is a scalar
// binding.
StmtRef contract_buffers(const PrimFunction& function);

// `order_loops`: where innermost loops stride through memory and an outer loop whose trips are
// independent runs along it, the outer one moves inside, in blocks; where a nest reads along one
// loop and writes along another, it runs in square tiles that are transposed in cache.
StmtRef order_loops(const PrimFunction& function);

// `split_reductions`: a loop outside parallel ones that only accumulates, with work for several
// threads, runs in a fixed number of parts with accumulators of their own, which are joined in
// order: the result does not depend on the number of threads.
StmtRef split_reductions(const PrimFunction& function);

// `mark_loops`: the outermost loop of a nest whose trips are independent runs in parallel, the
// innermost one as vectors.
StmtRef mark_loops(const PrimFunction& function);

}  // namespace tilefoundry
