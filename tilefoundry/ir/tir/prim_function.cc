#include "tilefoundry/ir/tir/prim_function.h"

#include <fmt/format.h>

#include "tilefoundry/support/diagnostic.h"

namespace tilefoundry {

const FunctionClass& PrimFunction::function_class() {
  static const auto* cls = new FunctionClass("PrimFunction");
  return *cls;
}

PrimFunctionRef PrimFunction::make(std::string name, std::vector<VarRef> params, StmtRef body,
                                   std::size_t output_count, TargetRef target, Metadata meta) {
  if (output_count > params.size()) {
    throw ValueError(
        Diagnostic{.code = "TF3041",
                   .message = fmt::format("prim function {} has {} parameters and {} outputs", name,
                                          params.size(), output_count),
                   .span = meta.span});
  }
  auto* function = new PrimFunction();
  function->name_ = std::move(name);
  function->params_ = std::move(params);
  function->body_ = std::move(body);
  function->output_count_ = output_count;
  function->target_ = std::move(target);
  function->meta_ = std::move(meta);
  return PrimFunctionRef(function);
}

Ref<const CallableType> PrimFunction::callable_type() const {
  std::vector<TypeRef> types;
  for (const VarRef& param : params_) types.push_back(param->type());
  return CallableType::make(UnitType::make(), std::move(types));
}

PrimFunctionRef PrimFunction::with_body(StmtRef body) const {
  return make(name_, params_, std::move(body), output_count_, target_, meta_);
}

PrimFunctionRef PrimFunction::with_target(TargetRef target) const {
  return make(name_, params_, body_, output_count_, std::move(target), meta_);
}

}  // namespace tilefoundry
