// HIR functions: parameters and one result expression.
#pragma once

#include <string>
#include <vector>

#include "tilefoundry/ir/expr.h"

namespace tilefoundry {

class Function final : public Callable {
 public:
  // `return_type` null means the body's type.
  static Ref<const Function> make(std::string name, std::vector<VarRef> params, ExprRef body,
                                  TypeRef return_type = nullptr, Metadata meta = {},
                                  Ref<const Function> origin = nullptr);
  static const FunctionClass& function_class();

  const std::string& name() const noexcept { return name_; }
  const std::vector<VarRef>& params() const noexcept { return params_; }
  const ExprRef& body() const noexcept { return body_; }
  const TypeRef& return_type() const noexcept { return return_type_; }
  const Metadata& meta() const noexcept { return meta_; }
  // The function that this one elaborates, or null. Takes no part in equality.
  const Ref<const Function>& origin() const noexcept { return origin_; }
  // Parameters that are not weights.
  std::vector<VarRef> inputs() const;

  Ref<const Function> with_body(ExprRef body) const;

 private:
  Function() : Callable(function_class()) {}
  std::string name_;
  std::vector<VarRef> params_;
  ExprRef body_;
  TypeRef return_type_;
  Metadata meta_;
  Ref<const Function> origin_;
};
using FunctionRef = Ref<const Function>;

}  // namespace tilefoundry
