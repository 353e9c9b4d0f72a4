#include "tilefoundry/ir/tir/stmt_visitor.h"
#include "tilefoundry/passes/loop_nest.h"
#include "tilefoundry/passes/loop_passes.h"

namespace tilefoundry {
namespace {

class TileExpander final : public StmtExprMutator {
 protected:
  StmtRef visit_Evaluate(const Evaluate& stmt) override {
    if (!stmt.callable()) return StmtRef(&stmt);
    const auto* expand =
        tile_expansion_registry().find<TileExpansionFn>(stmt.callable()->op_class());
    return expand != nullptr ? (*expand)(stmt) : StmtRef(&stmt);
  }
};

}  // namespace

StmtRef expand_tiles(const PrimFunction& function) {
  return TileExpander().mutate(function.body());
}

}  // namespace tilefoundry
