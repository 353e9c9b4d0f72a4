// How tile ops that stay tile ops address their operands: what region tiling cuts them by.
#pragma once

#include <vector>

#include "tilefoundry/ir/tir/stmt.h"
#include "tilefoundry/registry/analysis_registry.h"
#include "tilefoundry/relation/relation.h"

namespace tilefoundry {

// The iteration domain of a tile op and one access for each argument, in order. Where an iteration
// variable is restricted to a range, the same op on the windows that the accesses then cover writes
// the windows of the written arguments.
struct TileRelation {
  AccessRelationResult relation;
  std::vector<bool> written;  // for each argument
};

using TileRelationFn = TileRelation(const Evaluate&);
AnalysisRegistry& tile_relation_registry();

template <class T, class Handler>
void register_tile_relation(Handler handler,
                            std::source_location place = std::source_location::current()) {
  tile_relation_registry().add<TileRelationFn>(
      T::op_class(),
      [handler](const Evaluate& evaluate) -> TileRelation {
        return handler(evaluate, *evaluate.op<T>());
      },
      place);
}

}  // namespace tilefoundry
