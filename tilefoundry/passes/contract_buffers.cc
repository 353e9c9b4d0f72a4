#include <algorithm>
#include <unordered_map>

#include "tilefoundry/ir/tir/block.h"
#include "tilefoundry/ir/tir/ops.h"
#include "tilefoundry/ir/tir/stmt_visitor.h"
#include "tilefoundry/passes/accesses.h"
#include "tilefoundry/passes/loop_passes.h"

namespace tilefoundry {
namespace {

// What becomes of one allocation.
struct Contraction {
  VarRef buffer;           // the smaller one
  std::vector<bool> kept;  // per axis of the old one
  const For* loop;         // whose body starts with the new allocation
};
using Contractions = std::unordered_map<const Var*, Contraction>;

// The loops that enclose all accesses, outermost first.
std::vector<const For*> common_loops(const std::vector<const BufferAccess*>& accesses) {
  std::vector<const For*> common = accesses.front()->loops;
  for (const BufferAccess* access : accesses) {
    const auto [end, other] =
        std::mismatch(common.begin(), common.end(), access->loops.begin(), access->loops.end());
    (void)other;
    common.erase(end, common.end());
  }
  return common;
}

std::optional<Contraction> contract(const Var& buffer,
                                    const std::vector<const BufferAccess*>& accesses) {
  const TensorType& type = *as_tensor(buffer.type());
  if (type.layout() || type.rank() == 0) return std::nullopt;
  for (const BufferAccess* access : accesses) {
    if (access->whole) return std::nullopt;
  }
  Contraction result{nullptr, std::vector<bool>(type.rank(), true), nullptr};
  // Loops outside the first one that addresses the buffer would reuse it trip by trip, which is
  // what the contracted buffer does as well.
  for (const For* loop : common_loops(accesses)) {
    const int axis = axis_of(accesses.front()->index, *loop->var());
    if (axis < 0) continue;
    const bool everywhere = std::all_of(accesses.begin(), accesses.end(), [&](const auto* access) {
      return access->index[static_cast<std::size_t>(axis)] == loop->var()->dim();
    });
    if (!everywhere) continue;
    result.kept[static_cast<std::size_t>(axis)] = false;
    result.loop = loop;
  }
  if (result.loop == nullptr) return std::nullopt;
  for (std::size_t axis = 0; axis < type.rank(); ++axis) {
    result.kept[axis] = result.kept[axis] && !type.shape()[axis].is(1);
  }
  Shape shape;
  for (std::size_t axis = 0; axis < type.rank(); ++axis) {
    if (result.kept[axis]) shape.push_back(type.shape()[axis]);
  }
  result.buffer =
      Var::make(buffer.name(), TensorType::make(shape, type.dtype(), nullptr, StorageKind::rmem));
  return result;
}

class Contracter final : public StmtExprMutator {
 public:
  explicit Contracter(const Contractions& contractions) : contractions_(contractions) {
    for (const auto& [old, contraction] : contractions) {
      inserted_[contraction.loop].push_back(contraction.buffer);
    }
    for (auto& [loop, buffers] : inserted_) {
      std::sort(buffers.begin(), buffers.end(),
                [](const VarRef& a, const VarRef& b) { return a->dim_serial() < b->dim_serial(); });
    }
  }

 protected:
  StmtRef rebuild_let(const LetStmt& stmt, ExprRef value, StmtRef body) override {
    if (contractions_.contains(stmt.var().get())) return body;
    return StmtExprMutator::rebuild_let(stmt, std::move(value), std::move(body));
  }

  ExprRef visit_Call(const Call& call) override {
    const ExprRef rewritten = StmtExprMutator::visit_Call(call);
    if (call.op<Load>() == nullptr) return rewritten;
    const Contraction* contraction = find(call.args()[0]);
    if (contraction == nullptr) return rewritten;
    return load(contraction->buffer, kept_index(*contraction, index_dims(call.args(), 1)));
  }

  StmtRef visit_Evaluate(const Evaluate& stmt) override {
    const Contraction* contraction = stmt.op<Store>() != nullptr ? find(stmt.args()[0]) : nullptr;
    if (contraction == nullptr) return StmtExprMutator::visit_Evaluate(stmt);
    return store(contraction->buffer, ExprMutator::visit(stmt.args()[1]),
                 kept_index(*contraction, index_dims(stmt.args(), 2)));
  }

  StmtRef visit_For(const For& stmt) override {
    StmtRef body = mutate(stmt.body());
    const auto it = inserted_.find(&stmt);
    if (it != inserted_.end()) {
      for (auto buffer = it->second.rbegin(); buffer != it->second.rend(); ++buffer) {
        ExprRef value = alloc_tensor(static_ref_cast<TensorType>((*buffer)->type()));
        body = LetStmt::make(*buffer, std::move(value), std::move(body));
      }
    }
    return body == stmt.body() ? StmtRef(&stmt) : StmtRef(stmt.with_body(std::move(body)));
  }

 private:
  const Contraction* find(const ExprRef& buffer) const {
    const auto it = contractions_.find(expr_cast<Var>(buffer));
    return it == contractions_.end() ? nullptr : &it->second;
  }

  static Shape kept_index(const Contraction& contraction, const Shape& index) {
    Shape out;
    for (std::size_t axis = 0; axis < index.size(); ++axis) {
      if (contraction.kept[axis]) out.push_back(index[axis]);
    }
    return out;
  }

  const Contractions& contractions_;
  std::unordered_map<const For*, std::vector<VarRef>> inserted_;
};

// Allocations with exactly one store, of rank 0: their loads are the stored value.
class ScalarForwarder final : public StmtExprMutator {
 public:
  explicit ScalarForwarder(std::unordered_map<const Var*, int> stores)
      : stores_(std::move(stores)) {}

 protected:
  void enter_let(const LetStmt& stmt, const ExprRef& value) override {
    if (is_forwarded(*stmt.var())) return;
    // A binding of a name to a name reads the other name directly.
    const bool trivial = expr_cast<Var>(value) != nullptr || expr_cast<Constant>(value) != nullptr;
    const auto* type = as_tensor(stmt.var()->type());
    if (trivial && type != nullptr && !type->dtype().is_integer()) {
      renamed_.emplace(stmt.var().get(), value);
    }
  }

  ExprRef visit_Var(const Var& var) override {
    const auto it = renamed_.find(&var);
    return it == renamed_.end() ? ExprRef(&var) : it->second;
  }

  StmtRef rebuild_let(const LetStmt& stmt, ExprRef value, StmtRef body) override {
    if (is_forwarded(*stmt.var()) || renamed_.contains(stmt.var().get())) return body;
    return StmtExprMutator::rebuild_let(stmt, std::move(value), std::move(body));
  }

  ExprRef visit_Call(const Call& call) override {
    if (call.op<Load>() != nullptr) {
      const auto it = values_.find(expr_cast<Var>(call.args()[0]));
      if (it != values_.end()) return it->second;
    }
    return StmtExprMutator::visit_Call(call);
  }

  StmtRef visit_Evaluate(const Evaluate& stmt) override {
    if (stmt.op<Store>() != nullptr) {
      const auto* buffer = expr_cast<Var>(stmt.args()[0]);
      if (is_forwarded(*buffer)) {
        ExprRef value = ExprMutator::visit(stmt.args()[1]);
        // A name for it is a scalar in a register, which a dimension is not.
        if (expr_cast<DimValue>(value) != nullptr) value = scalar_cast(DType::i64, value);
        values_.emplace(buffer, std::move(value));
        return nullptr;
      }
    }
    return StmtExprMutator::visit_Evaluate(stmt);
  }

 private:
  bool is_forwarded(const Var& var) const {
    const auto it = stores_.find(&var);
    return it != stores_.end() && it->second == 1;
  }

  std::unordered_map<const Var*, int> stores_;
  std::unordered_map<const Var*, ExprRef> values_;
  std::unordered_map<const Var*, ExprRef> renamed_;
};

// Whether every access stands in all loops that a store stands in.
bool in_scope_of_all(const BufferAccess& store, const std::vector<const BufferAccess*>& accesses) {
  return std::all_of(accesses.begin(), accesses.end(), [&](const BufferAccess* access) {
    return access->loops.size() >= store.loops.size() &&
           std::equal(store.loops.begin(), store.loops.end(), access->loops.begin());
  });
}

// Every allocation, those in the bodies of loops too, in program order.
std::vector<VarRef> allocations(const StmtRef& body) {
  class Collector final : public StmtVisitor {
   public:
    std::vector<VarRef> found;

   protected:
    void visit_LetStmt(const LetStmt& let) override {
      const auto* call = expr_cast<Call>(let.value());
      if (call != nullptr && call->op<AllocTensor>() != nullptr) found.push_back(let.var());
      generic_visit(let);
    }
  } collector;
  collector.visit(body);
  return std::move(collector.found);
}

}  // namespace

StmtRef contract_buffers(const PrimFunction& function) {
  const StmtRef& body = function.body();
  std::unordered_map<const Var*, std::vector<const BufferAccess*>> uses;
  const std::vector<BufferAccess> accesses = collect_accesses(body);
  for (const BufferAccess& access : accesses) uses[access.buffer].push_back(&access);

  Contractions contractions;
  std::unordered_map<const Var*, int> scalars;
  for (const VarRef& buffer : allocations(body)) {
    const auto it = uses.find(buffer.get());
    if (it == uses.end()) continue;
    auto contraction = contract(*buffer, it->second);
    if (!contraction) continue;
    if (as_tensor(contraction->buffer->type())->rank() == 0) {
      int& stores = scalars[contraction->buffer.get()];
      for (const BufferAccess* access : it->second) {
        // A value that is stored in a loop of its own is not in scope behind it.
        if (access->is_store) stores += in_scope_of_all(*access, it->second) ? 1 : 2;
      }
    }
    contractions.emplace(buffer.get(), std::move(*contraction));
  }
  if (contractions.empty()) return body;
  StmtRef contracted = Contracter(contractions).mutate(body);
  return ScalarForwarder(std::move(scalars)).mutate(contracted);
}

}  // namespace tilefoundry
