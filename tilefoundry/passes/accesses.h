// Which buffers statements touch, and at which indices: the facts that loop passes decide on.
#pragma once

#include <unordered_map>
#include <vector>

#include "tilefoundry/ir/tir/stmt.h"

namespace tilefoundry {

// One Load or Store of an element, or another use of a whole buffer (a tile op's argument, a call's
// argument, the memory of a view), which counts as a read and a write.
struct BufferAccess {
  const Var* buffer;
  Shape index;
  bool is_store;
  bool whole;
  std::vector<const For*> loops;  // enclosing, outermost first, within the statement looked at
};

// All accesses of a statement and everything below it, in program order.
std::vector<BufferAccess> collect_accesses(const StmtRef& stmt);
// The accesses of an expression; `loops` are taken over.
void collect_expr_accesses(const ExprRef& expr, const std::vector<const For*>& loops,
                           std::vector<BufferAccess>& out);

// View variables to the memory they look into, followed to the root buffer.
class BufferAliases {
 public:
  explicit BufferAliases(const StmtRef& body);
  const Var* root(const Var* buffer) const;

 private:
  std::unordered_map<const Var*, const Var*> memory_;
};

// The axis of `index` that is exactly `var`, or -1.
int axis_of(const Shape& index, const Var& var);

}  // namespace tilefoundry
