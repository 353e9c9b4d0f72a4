#include "tilefoundry/passes/bufferize.h"

#include <unordered_map>

#include "tilefoundry/ir/tir/ops.h"
#include "tilefoundry/ir/tir/stmt_visitor.h"

namespace tilefoundry {
namespace {

class Positions final : public StmtVisitor {
 public:
  std::vector<BufferLifetime> lifetimes;

 protected:
  void generic_visit(const Stmt& stmt) override {
    const std::size_t here = next_++;
    const auto* let = stmt_cast<LetStmt>(stmt);
    const auto* call = let != nullptr ? expr_cast<Call>(let->value()) : nullptr;
    if (call != nullptr && call->op<AllocTensor>() != nullptr) {
      index_.emplace(let->var().get(), lifetimes.size());
      lifetimes.push_back({let->var(), here, here});
    }
    std::vector<ExprRef> roots;
    for_each_stmt_expr(stmt, [&](const ExprRef& expr) { roots.push_back(expr); });
    for (const ExprRef& expr : post_order(roots)) {
      const auto it = index_.find(expr.get());
      if (it != index_.end()) lifetimes[it->second].last = here + 1;
    }
    queue_children(stmt);
  }

 private:
  std::size_t next_ = 0;
  std::unordered_map<const Expr*, std::size_t> index_;
};

}  // namespace

std::vector<BufferLifetime> LifetimeCollector::collect(const PrimFunction& function) {
  Positions positions;
  positions.visit(function.body());
  return std::move(positions.lifetimes);
}

std::vector<BufferPlacement> BufferScheduler::schedule(
    const std::vector<BufferLifetime>& lifetimes) {
  std::vector<BufferPlacement> placements;
  for (std::size_t i = 0; i < lifetimes.size(); ++i) placements.push_back({lifetimes[i].buffer, i});
  return placements;
}

BufferizePass::BufferizePass(std::shared_ptr<LifetimeCollector> lifetime_collector,
                             std::shared_ptr<BufferScheduler> buffer_scheduler)
    : collector(lifetime_collector ? std::move(lifetime_collector)
                                   : std::make_shared<LifetimeCollector>()),
      scheduler(buffer_scheduler ? std::move(buffer_scheduler)
                                 : std::make_shared<BufferScheduler>()) {}

const std::string& BufferizePass::name() const {
  static const std::string text = "bufferize";
  return text;
}

const std::vector<std::string>& BufferizePass::requires_passes() const {
  static const std::vector<std::string> names = {"hir_to_tir"};
  return names;
}

PrimFunctionRef BufferizePass::run_prim_func(const PrimFunctionRef& function, const ModuleRef&) {
  scheduler->schedule(collector->collect(*function));
  return function;
}

}  // namespace tilefoundry
