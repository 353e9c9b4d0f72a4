#include "tilefoundry/ir/tir/block.h"

#include <algorithm>

namespace tilefoundry {

Block block_items(const StmtRef& stmt) {
  Block items;
  std::vector<StmtRef> pending{stmt};
  while (!pending.empty()) {
    const StmtRef next = std::move(pending.back());
    pending.pop_back();
    if (!next) continue;
    if (const auto* block = stmt_cast<Sequential>(next)) {
      pending.insert(pending.end(), block->stmts().rbegin(), block->stmts().rend());
    } else if (const auto* let = stmt_cast<LetStmt>(next)) {
      items.push_back(BlockItem::let(let->var(), let->value(), let->meta()));
      pending.push_back(let->body());
    } else {
      items.push_back(BlockItem::of(next));
    }
  }
  return items;
}

StmtRef make_block(const Block& block) {
  std::vector<StmtRef> run;  // in reverse
  const auto close = [&]() -> StmtRef {
    if (run.size() == 1) return run.front();
    std::reverse(run.begin(), run.end());
    return Sequential::make(run);
  };
  for (auto it = block.rbegin(); it != block.rend(); ++it) {
    if (it->is_let()) {
      StmtRef let = LetStmt::make(it->var, it->value, close(), it->meta);
      run.assign(1, std::move(let));
    } else {
      run.push_back(it->stmt);
    }
  }
  return close();
}

}  // namespace tilefoundry
