// Nests that read along one loop and write along another.
#pragma once

#include "tilefoundry/passes/loop_facts.h"

namespace tilefoundry {

// A perfect nest of independent loops whose innermost loop strides through what an outer one of
// them runs along comes back in square tiles: what is strided is transposed into a tile of its own
// first, so that the innermost loop reads and writes contiguous memory. Null for any other loop.
// `outermost`: the loop over tiles may run in parallel.
StmtRef transpose_tiles(const For& nest, const BufferAliases& aliases, bool outermost);

}  // namespace tilefoundry
