#include "tilefoundry/ir/hir/function.h"

namespace tilefoundry {

const FunctionClass& Function::function_class() {
  static const auto* cls = new FunctionClass("Function");
  return *cls;
}

FunctionRef Function::make(std::string name, std::vector<VarRef> params, ExprRef body,
                           TypeRef return_type, Metadata meta, FunctionRef origin) {
  auto* function = new Function();
  function->name_ = std::move(name);
  function->params_ = std::move(params);
  function->return_type_ = return_type ? std::move(return_type) : (body ? body->type() : nullptr);
  function->body_ = std::move(body);
  function->meta_ = std::move(meta);
  function->origin_ = std::move(origin);
  return FunctionRef(function);
}

std::vector<VarRef> Function::inputs() const {
  std::vector<VarRef> out;
  for (const VarRef& param : params_) {
    if (!param->is_const()) out.push_back(param);
  }
  return out;
}

FunctionRef Function::with_body(ExprRef body) const {
  TypeRef type = body->type();
  return make(name_, params_, std::move(body), std::move(type), meta_, origin_);
}

}  // namespace tilefoundry
