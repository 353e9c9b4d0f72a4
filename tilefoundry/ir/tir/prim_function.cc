#include "tilefoundry/ir/tir/prim_function.h"

#include <algorithm>
#include <set>

#include <fmt/format.h>

#include "tilefoundry/ir/tir/block.h"
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

namespace {

// Adds the extents that an expression reads.
void collect_shapes(const ExprRef& root, const std::vector<VarRef>& params,
                    std::vector<HiddenShape>& found) {
  for (const ExprRef& expr : post_order({root})) {
    const auto* extent = expr_cast<ShapeOfExpr>(expr);
    if (extent == nullptr) continue;
    const auto param = std::find_if(params.begin(), params.end(),
                                    [&](const VarRef& var) { return var.get() == &extent->var(); });
    if (param == params.end()) continue;
    const bool known = std::any_of(found.begin(), found.end(), [&](const HiddenShape& shape) {
      return shape.param == *param && shape.axis == extent->axis();
    });
    if (known) continue;
    const std::string name = fmt::format("{}_shape_{}", (*param)->name(), extent->axis());
    found.push_back({Var::make(name, extent->type()), *param, extent->axis()});
  }
}

}  // namespace

const std::vector<HiddenShape>& PrimFunction::hidden_shapes() const {
  if (hidden_) return *hidden_;
  std::vector<HiddenShape> found;
  std::vector<StmtRef> pending{body_};
  while (!pending.empty()) {
    const StmtRef block = std::move(pending.back());
    pending.pop_back();
    std::vector<StmtRef> below;
    for (const BlockItem& item : block_items(block)) {
      if (item.is_let()) {
        collect_shapes(item.value, params_, found);
        continue;
      }
      for_each_stmt_expr(*item.stmt,
                         [&](const ExprRef& expr) { collect_shapes(expr, params_, found); });
      for_each_child_stmt(*item.stmt, [&](const StmtRef& child) { below.push_back(child); });
    }
    pending.insert(pending.end(), below.rbegin(), below.rend());
  }
  hidden_ = std::move(found);
  return *hidden_;
}

std::vector<VarRef> PrimFunction::all_params() const {
  std::vector<VarRef> all = params_;
  for (const HiddenShape& shape : hidden_shapes()) all.push_back(shape.var);
  return all;
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
