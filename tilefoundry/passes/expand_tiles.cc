#include "tilefoundry/ir/tir/ops.h"
#include "tilefoundry/ir/tir/stmt_visitor.h"
#include "tilefoundry/passes/loop_nest.h"
#include "tilefoundry/passes/loop_passes.h"

namespace tilefoundry {
namespace {

// A copy within a loop is a nest, which joins the nests that make its source; outside of loops it
// moves whole buffers and stays.
class TileExpander final : public StmtExprMutator {
 protected:
  StmtRef visit_For(const For& stmt) override {
    ++depth_;
    StmtRef result = StmtExprMutator::visit_For(stmt);
    --depth_;
    return result;
  }

  StmtRef visit_Evaluate(const Evaluate& stmt) override {
    if (!stmt.callable()) return StmtRef(&stmt);
    if (stmt.op<Copy>() != nullptr && depth_ > 0) return copy_nest(stmt);
    const auto* expand =
        tile_expansion_registry().find<TileExpansionFn>(stmt.callable()->op_class());
    return expand != nullptr ? (*expand)(stmt) : StmtRef(&stmt);
  }

 private:
  static StmtRef copy_nest(const Evaluate& stmt) {
    const VarRef source(expr_cast<Var>(stmt.args()[0]));
    const VarRef target(expr_cast<Var>(stmt.args()[1]));
    if (!source || !target) return StmtRef(&stmt);
    return make_nest(as_tensor(source->type())->shape(), [&](const Shape& iters) {
      ScalarBuilder builder;
      builder.store(target, builder.load(source, iters), iters);
      return builder.take();
    });
  }

  int depth_ = 0;
};

}  // namespace

StmtRef expand_tiles(const PrimFunction& function) {
  return TileExpander().mutate(function.body());
}

}  // namespace tilefoundry
