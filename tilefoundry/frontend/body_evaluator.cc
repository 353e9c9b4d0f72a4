#include "tilefoundry/frontend/body_evaluator.h"

#include <algorithm>
#include <utility>

namespace tilefoundry {

Value BodyEvaluator::evaluate_in(const ExprSyntax& node, bool dimensions) {
  struct Restore {
    bool& flag;
    bool before;
    ~Restore() { flag = before; }
  };
  const Restore restore{dimension_mode_, std::exchange(dimension_mode_, dimensions)};
  return evaluate(node);
}

Value BodyEvaluator::evaluate_dimension(const ExprSyntax& node) {
  const Unnamed unnamed(*this);
  return evaluate_in(node, true);
}

Value BodyEvaluator::evaluate_argument(const ExprSyntax& node) {
  const bool sequence = node.kind == ExprSyntaxKind::tuple || node.kind == ExprSyntaxKind::list;
  return sequence ? evaluate_dimension(node) : evaluate_in(node, false);
}

Value BodyEvaluator::evaluate_named(const ExprSyntax& node, std::string_view name) {
  struct Restore {
    const ExprSyntax*& named;
    ~Restore() { named = nullptr; }
  };
  const Restore restore{named_node_};
  named_node_ = &node;
  name_ = name;
  return evaluate(node);
}

bool BodyEvaluator::stays_dimension(std::initializer_list<const Value*> operands) const {
  return dimension_mode_ && std::all_of(operands.begin(), operands.end(), [](const Value* value) {
           return as_dim_value(*value).has_value();
         });
}

Metadata BodyEvaluator::meta_of(const ExprSyntax& node) const {
  return {&node == named_node_ ? std::string(name_) : std::string(), span(node)};
}

}  // namespace tilefoundry
