// What bodies of both dialects share: names of values, and when arithmetic means dimensions.
#pragma once

#include <string>
#include <string_view>

#include "tilefoundry/frontend/evaluator.h"

namespace tilefoundry {

class BodyEvaluator : public Evaluator {
 public:
  using Evaluator::Evaluator;

 protected:
  // Evaluates with arithmetic over integers, dimensions and scalar variables kept as dimensions.
  Value evaluate_dimension(const ExprSyntax& node);
  Value evaluate_type_part(const ExprSyntax& node) override { return evaluate_dimension(node); }
  // In a tuple that is an argument, arithmetic means dimensions.
  Value evaluate_argument(const ExprSyntax& node) override;
  // Evaluates the right-hand side of an assignment to `name`.
  Value evaluate_named(const ExprSyntax& node, std::string_view name);
  // Whether all of these stay a dimension here.
  bool stays_dimension(std::initializer_list<const Value*> operands) const;
  // The span of a node, and the name of the assignment when the node is its whole right-hand side.
  Metadata meta_of(const ExprSyntax& node) const;
  CallArg operand(const ExprSyntax& node, const Value& value) const { return {value, span(node)}; }
  // Makes calls nameless until the end of the scope.
  class Unnamed {
   public:
    explicit Unnamed(BodyEvaluator& body)
        : body_(body), named_(std::exchange(body.named_node_, nullptr)) {}
    ~Unnamed() { body_.named_node_ = named_; }
    Unnamed(const Unnamed&) = delete;
    Unnamed& operator=(const Unnamed&) = delete;

   private:
    BodyEvaluator& body_;
    const ExprSyntax* named_;
  };

 private:
  Value evaluate_in(const ExprSyntax& node, bool dimensions);

  bool dimension_mode_ = false;
  const ExprSyntax* named_node_ = nullptr;
  std::string_view name_;
};

}  // namespace tilefoundry
