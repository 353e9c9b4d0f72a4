// A flat view of LetStmt / Sequential nests: the form that passes and printers work on.
#pragma once

#include <vector>

#include "tilefoundry/ir/tir/stmt.h"

namespace tilefoundry {

// A binding (`var` and `value` set) or another statement (`stmt` set).
struct BlockItem {
  VarRef var;
  ExprRef value;
  StmtRef stmt;
  Metadata meta;  // of the LetStmt

  static BlockItem let(VarRef var, ExprRef value, Metadata meta = {}) {
    return {std::move(var), std::move(value), nullptr, std::move(meta)};
  }
  static BlockItem of(StmtRef stmt) { return {nullptr, nullptr, std::move(stmt), {}}; }
  bool is_let() const noexcept { return static_cast<bool>(var); }
};
using Block = std::vector<BlockItem>;

// Flattens nested Sequentials and the bodies of LetStmts, in order; never contains either kind.
Block block_items(const StmtRef& stmt);
// The statement for a block: a binding scopes over the rest. An empty block is an empty Sequential.
StmtRef make_block(const Block& block);

}  // namespace tilefoundry
