#include "tilefoundry/passes/tile_relation.h"

namespace tilefoundry {

AnalysisRegistry& tile_relation_registry() {
  static auto* registry = new AnalysisRegistry("tile_relation", RegistryKeys::ops);
  return *registry;
}

}  // namespace tilefoundry
