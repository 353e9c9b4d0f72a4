// Loop nests from access relations: the shared form in which ops become scalar code.
#pragma once

#include <functional>
#include <string>
#include <vector>

#include "tilefoundry/ir/tir/block.h"
#include "tilefoundry/ir/tir/ops.h"
#include "tilefoundry/passes/lowering_abi.h"
#include "tilefoundry/registry/typeinfer.h"

namespace tilefoundry {

// Collects the statements of an innermost loop body. Each operation is bound to a name of its own.
class ScalarBuilder {
 public:
  ExprRef binary(BinaryKind kind, ExprRef lhs, ExprRef rhs);
  ExprRef unary(UnaryKind kind, ExprRef x);
  ExprRef cast(DType dtype, ExprRef x);  // the same expression when the dtype is right already
  ExprRef select(ExprRef condition, ExprRef if_true, ExprRef if_false);
  ExprRef load(const VarRef& tensor, const Shape& index);
  ExprRef constant(DType dtype, double value);
  void store(const VarRef& tensor, ExprRef value, const Shape& index);
  void append(BlockItem item) { block_.push_back(std::move(item)); }
  Block take() { return std::move(block_); }

 private:
  ExprRef bind(ExprRef value, const char* hint);
  Block block_;
};

// Names for loop variables: i, j, k, l, then i4, i5...
std::string loop_name(std::size_t depth);

// for v0 in range(extents[0]): ... body(v) with the loop variables as dimensions. Names start at
// loop_name(first_depth). An extent of 1 has no loop: its index is 0.
StmtRef make_nest(const Shape& extents, const std::function<Block(const Shape& iters)>& body,
                  std::size_t first_depth = 0);

// The result of one element from the elements of the operands, in the order of the call's args.
using ScalarBody =
    std::function<ExprRef(ScalarBuilder& builder, const std::vector<ExprRef>& operands)>;

// Lowers a call whose result is a function of one element of each operand: the loops, loads and the
// store are those of the op's forward relation. Rank-0 constants are read in place.
VarRef lower_pointwise(LoweringContext& ctx, const Call& call, const ScalarBody& body);

// Tile ops (effect form) become loop nests by rules keyed by op class: `expand_tiles` applies them.
using TileExpansionFn = StmtRef(const Evaluate&);
AnalysisRegistry& tile_expansion_registry();

template <class T, class Handler>
void register_tile_expansion(Handler handler,
                             std::source_location place = std::source_location::current()) {
  tile_expansion_registry().add<TileExpansionFn>(
      T::op_class(),
      [handler](const Evaluate& evaluate) -> StmtRef {
        return handler(evaluate, *evaluate.op<T>());
      },
      place);
}

}  // namespace tilefoundry
