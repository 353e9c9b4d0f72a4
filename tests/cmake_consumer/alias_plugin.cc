// The recipe for a new analysis (docs/adding-an-analysis.md) in a plugin library: a context, a
// registry, a visitor, and a handler for an op of the installed library. V93
#include <unordered_map>

#include "tilefoundry/ir/expr_visitor.h"
#include "tilefoundry/ir/hir/function.h"
#include "tilefoundry/ir/op_class.h"
#include "tilefoundry/registry/analysis_registry.h"
#include "tilefoundry/registry/typeinfer.h"

namespace {

using tilefoundry::AnalysisRegistry;
using tilefoundry::Call;
using tilefoundry::Expr;

class AliasContext : public tilefoundry::TypeInferContext {
 public:
  std::unordered_map<const Expr*, const Expr*> aliased;
};

AnalysisRegistry& alias_registry() {
  static AnalysisRegistry registry("alias", tilefoundry::RegistryKeys::ops);
  return registry;
}
using AliasFn = void(const Call&, AliasContext&);

class AliasVisitor final : public tilefoundry::ExprVisitor<void> {
 public:
  explicit AliasVisitor(AliasContext& context) : context_(context) {}

 protected:
  void visit_Call(const Call& call) override {
    for (const tilefoundry::ExprRef& argument : call.args()) visit(argument);
    const auto* handler = alias_registry().find<AliasFn>(call.target()->node_class());
    if (handler != nullptr) (*handler)(call, context_);
  }

 private:
  AliasContext& context_;
};

}  // namespace

// Registers the handler: a reshape is another view of its operand's bytes.
extern "C" void register_plugin() {
  alias_registry().add<AliasFn>(*tilefoundry::find_op_class(tilefoundry::Dialect::tf, "Reshape"),
                                [](const Call& call, AliasContext& context) {
                                  context.aliased[&call] = call.args()[0].get();
                                });
}

// How many calls of a function are views of the same bytes as one of its parameters.
extern "C" int count_views_of_parameters(const tilefoundry::Function& function) {
  AliasContext context;
  AliasVisitor(context).visit(function.body());
  int count = 0;
  for (const auto& entry : context.aliased) {
    const Expr* root = entry.second;
    while (context.aliased.count(root) != 0) root = context.aliased.at(root);
    count += root->kind() == tilefoundry::ExprKind::var ? 1 : 0;
  }
  return count;
}
