// `with T.dispatch(...)` in bodies of `@prim_func` (docs/tir-text.md).
#include <utility>

#include <fmt/format.h>

#include "tilefoundry/frontend/prim_body.h"
#include "tilefoundry/frontend/refusals.h"

namespace tilefoundry {
namespace {

constexpr const char* kShape =
    "below 'with T.dispatch(\"name\", T.shape_of(x, 0)):' stand 'with T.case(pattern):' blocks of "
    "one call each and, last, 'with T.fallback():'";

}  // namespace

Value PrimBody::shape_of(const CallSyntax& node, const CallArgs& args) {
  const auto* expr = args.positional.size() == 2 ? args.positional[0].value.as<ExprRef>() : nullptr;
  const auto* axis =
      args.positional.size() == 2 ? args.positional[1].value.as<std::int64_t>() : nullptr;
  const Var* var = expr != nullptr ? expr_cast<Var>(*expr) : nullptr;
  const TensorType* type = var != nullptr ? as_tensor(var->type()) : nullptr;
  const bool fits = type != nullptr && axis != nullptr && *axis >= 0 &&
                    *axis < static_cast<std::int64_t>(type->rank()) && args.keywords.empty();
  if (!fits) {
    refuse_here("TF2143", node, "T.shape_of names a tensor variable and one of its axes",
                "T.shape_of(x, 0)");
  }
  return ExprRef(ShapeOfExpr::make(VarRef(var), static_cast<std::size_t>(*axis), {"", span(node)}));
}

const CallSyntax* PrimBody::form_block(const StmtSyntax& stmt, std::string_view form) {
  const auto* with = stmt.as<WithSyntax>();
  if (with == nullptr || with->items.size() != 1) return nullptr;
  const auto* call = with->items[0].context->as<CallSyntax>();
  const auto* callee = call != nullptr ? call->callee->as<AttributeSyntax>() : nullptr;
  if (callee == nullptr || callee->name.text != form) return nullptr;
  const Value value = evaluate(*callee);
  const auto* builtin = value.as<const Builtin*>();
  const bool is_form = builtin != nullptr && (*builtin)->kind == BuiltinKind::tir_form;
  return is_form && with->items[0].target == nullptr ? call : nullptr;
}

Ref<const Evaluate> PrimBody::dispatch_case(const WithSyntax& stmt) {
  const InnerScope inner(*this);
  const Block block = run(stmt.body);
  const auto* call = block.size() == 1 ? stmt_cast<Evaluate>(block[0].stmt) : nullptr;
  if (call == nullptr || !call->callee()) {
    refuse("TF2424", sema_.span(stmt), "a case of a dispatch is one call of a function", kShape);
  }
  return Ref<const Evaluate>(call);
}

void PrimBody::dispatch(const CallSyntax& head, const WithSyntax& stmt, Block& block) {
  const CallArgs args = evaluate_arguments(head, ArgumentKindWanted::operands);
  const bool named = !args.positional.empty() && args.keywords.empty() &&
                     args.positional[0].value.is<std::string>();
  if (!named) refuse("TF2424", span(head), "a dispatch names the function that it calls", kShape);
  std::vector<ExprRef> subjects;
  for (std::size_t i = 1; i < args.positional.size(); ++i) {
    subjects.push_back(as_operand(args.positional[i]));
  }
  std::vector<PatternRef> patterns;
  std::vector<Ref<const Evaluate>> calls;
  StmtRef fallback;
  for (const StmtSyntax* below : stmt.body) {
    if (const CallSyntax* form = form_block(*below, "case"); form != nullptr && !fallback) {
      const CallArgs given = evaluate_arguments(*form, ArgumentKindWanted::compile_time);
      const bool one = given.positional.size() == 1 && given.keywords.empty();
      const auto* pattern = one ? given.positional[0].value.as<PatternRef>() : nullptr;
      if (pattern == nullptr) {
        refuse("TF2424", span(*form), "a case has one pattern",
               "T.case(DimVarRangePat(\"S\", 1, 4))");
      }
      patterns.push_back(*pattern);
      calls.push_back(dispatch_case(*below->as<WithSyntax>()));
    } else if (form_block(*below, "fallback") != nullptr && !fallback) {
      const InnerScope inner(*this);
      const Block items = run(below->as<WithSyntax>()->body);
      std::vector<StmtRef> stmts;
      if (!items.empty()) stmts.push_back(make_block(items));
      fallback = Sequential::make(std::move(stmts));
    } else {
      refuse("TF2424", sema_.span(*below), "this cannot stand in a dispatch", kShape);
    }
  }
  if (!fallback) refuse("TF2424", sema_.span(stmt), "a dispatch needs a fallback", kShape);
  block.push_back(BlockItem::of(DispatchCall::make(
      *args.positional[0].value.as<std::string>(), std::move(subjects), std::move(patterns),
      std::move(calls), std::move(fallback), place_of(stmt))));
}

}  // namespace tilefoundry
