#include "tilefoundry/ir/hir/function.h"

#include "tilefoundry/ir/hir/dispatch.h"

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

FunctionRef Function::make_variant(const Function& base, std::vector<VarRef> params, ExprRef body,
                                   std::vector<PatternRef> specializations, std::string label,
                                   Metadata meta) {
  auto* function = new Function();
  function->name_ = base.name();
  function->params_ = std::move(params);
  function->return_type_ = base.return_type();
  function->body_ = std::move(body);
  function->meta_ = std::move(meta);
  function->specializations_ = std::move(specializations);
  function->label_ = std::move(label);
  return FunctionRef(function);
}

std::vector<VarRef> Function::inputs() const {
  std::vector<VarRef> out;
  for (const VarRef& param : params_) {
    if (!param->is_const()) out.push_back(param);
  }
  return out;
}

std::vector<ExprRef> Function::bodies() const {
  if (body_) return {body_};
  std::vector<ExprRef> out;
  for (const FunctionRef& variant : variants_) {
    if (variant->body()) out.push_back(variant->body());
  }
  return out;
}

void Function::add_variant(FunctionRef variant, const Span& place) const {
  check_new_variant(*this, *variant, place ? place : variant->meta().span);
  variants_.push_back(std::move(variant));
}

FunctionRef Function::with_body(ExprRef body) const {
  TypeRef type = is_variant() ? return_type_ : body->type();
  return copy(params_, std::move(body), std::move(type), origin_);
}

FunctionRef Function::with_variants(std::vector<FunctionRef> variants) const {
  FunctionRef function = make(name_, params_, nullptr, return_type_, meta_, origin_);
  function->variants_ = std::move(variants);
  return function;
}

FunctionRef Function::make_specialized(const FunctionRef& origin, std::vector<VarRef> params,
                                       ExprRef body, std::map<std::string, std::int64_t> dims) {
  auto* function = new Function();
  function->name_ = origin->name();
  function->params_ = std::move(params);
  function->return_type_ = body->type();
  function->body_ = std::move(body);
  function->meta_ = origin->meta();
  function->origin_ = origin;
  function->bound_dims_ = std::move(dims);
  return FunctionRef(function);
}

FunctionRef Function::copy(std::vector<VarRef> params, ExprRef body, TypeRef return_type,
                           FunctionRef origin) const {
  auto* function = new Function();
  function->name_ = name_;
  function->params_ = std::move(params);
  function->body_ = std::move(body);
  function->return_type_ = std::move(return_type);
  function->meta_ = meta_;
  function->origin_ = std::move(origin);
  function->specializations_ = specializations_;
  function->label_ = label_;
  function->bound_dims_ = bound_dims_;
  return FunctionRef(function);
}

}  // namespace tilefoundry
