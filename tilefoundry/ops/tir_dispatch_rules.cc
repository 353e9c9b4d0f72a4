// The rule of DispatchCall (design 5.1).
#include <fmt/format.h>

#include "tilefoundry/ops/tir_rules.h"
#include "tilefoundry/registry/verify.h"

namespace tilefoundry {
namespace {

void check_cases(const DispatchCall& stmt, VerifyContext& ctx) {
  std::string name;
  for (const PatternRef& pattern : stmt.case_patterns()) {
    const DimVarRangePat* range = as_range(pattern);
    if (range == nullptr) {
      ctx.error(stmt, fmt::format("the case {} is no range of a dimension", pattern->repr()),
                "every case is a DimVarRangePat(name, lo, hi)");
    }
    if (!name.empty() && name != range->dim_var()) {
      ctx.error(stmt, fmt::format("its cases are over {} and over {}", name, range->dim_var()),
                "all cases are ranges of one dimension");
    }
    name = range->dim_var();
  }
  for (const Ref<const Evaluate>& call : stmt.case_calls()) {
    if (call->callee()) continue;
    ctx.error(stmt, "a case is not the call of a function", "call the variant by its symbol");
  }
}

void verify_dispatch(const Stmt& node, VerifyContext& ctx) {
  const auto& stmt = static_cast<const DispatchCall&>(node);
  const bool one = stmt.subjects().size() == 1;
  const auto* subject = one ? expr_cast<ShapeOfExpr>(stmt.subjects()[0]) : nullptr;
  if (subject == nullptr) {
    ctx.error(stmt, "needs one subject, the extent of a tensor's axis", "T.shape_of(x, 0)");
  }
  check_cases(stmt, ctx);
  const auto* fallback = stmt_cast<Sequential>(stmt.fallback());
  const bool aborts = fallback != nullptr && fallback->stmts().size() == 1 &&
                      stmt_cast<Abort>(fallback->stmts()[0]) != nullptr;
  if (!aborts) {
    ctx.error(stmt, "its fallback is not exactly one Abort", "T.abort(\"no variant fits\")");
  }
}

}  // namespace

void register_tir_dispatch_rules() {
  verify_stmt_registry().add<VerifyFn>(stmt_class_of(StmtKind::dispatch), verify_dispatch);
}

}  // namespace tilefoundry
