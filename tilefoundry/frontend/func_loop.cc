// Loops of bodies of `@func` (design 3.5): which names are carried, and windows of tiles.

#include <algorithm>
#include <utility>

#include <fmt/format.h>

#include "tilefoundry/dims/dim_arithmetic.h"
#include "tilefoundry/frontend/func_body.h"
#include "tilefoundry/frontend/op_binding.h"
#include "tilefoundry/frontend/refusals.h"
#include "tilefoundry/registry/loop_typing.h"
#include "tilefoundry/support/text.h"
#include "tilefoundry/text/type_text.h"

namespace tilefoundry {
namespace {

constexpr const char* kLoopForms =
    "for i in range(stop), range(start, stop), range(start, stop, step) or tile(extent, step)";

// Names that statements assign, in order, each once. A nested loop's own variable is none.
void assigned_names(SyntaxBlock body, std::vector<std::string>& names) {
  for (const StmtSyntax* stmt : body) {
    if (const auto* loop = stmt->as<ForSyntax>()) {
      assigned_names(loop->body, names);
      continue;
    }
    for_each_bound_name(*stmt, [&](std::string_view name) {
      if (std::find(names.begin(), names.end(), name) == names.end()) names.emplace_back(name);
    });
  }
}

}  // namespace

Dim FuncBody::loop_bound(const ExprSyntax& node) {
  const Value value = evaluate_dimension(node);
  if (std::optional<Dim> dim = as_dim_value(value)) return *std::move(dim);
  refuse_here("TF2401", node,
              fmt::format("a bound of a loop is an int, a dimension or an integer scalar, not {}",
                          describe(value)),
              "bounds are arithmetic over numbers, dimensions, parameters of rank 0 and the "
              "variables of outer loops");
}

FuncBody::LoopHead FuncBody::loop_head(const ForSyntax& stmt) {
  const auto* name = stmt.target->as<NameSyntax>();
  if (name == nullptr) {
    refuse_here("TF2400", *stmt.target, "a loop binds one name", kLoopForms);
  }
  if (stmt.is_async || !stmt.else_body.empty()) {
    refuse("TF2400", sema_.span(stmt),
           stmt.is_async ? "a loop cannot be asynchronous" : "a loop has no 'else'",
           stmt.is_async ? "write 'for'" : "write these statements behind the loop");
  }
  const auto* call = stmt.iterable->as<CallSyntax>();
  const Value form = call != nullptr ? evaluate(*call->callee) : Value();
  const auto* builtin = form.as<const Builtin*>();
  const bool is_tile = builtin != nullptr && (*builtin)->kind == BuiltinKind::tile;
  const bool is_range = builtin != nullptr && (*builtin)->name == "range";
  if (!is_tile && !is_range) {
    refuse_here("TF2400", *stmt.iterable, "a loop runs over a range or over tiles", kLoopForms);
  }
  std::vector<const ExprSyntax*> given;
  for (const ArgumentSyntax& argument : call->arguments) {
    if (argument.kind != ArgumentKind::positional) {
      refuse_here("TF2400", *argument.value, "the bounds of a loop are given by position",
                  kLoopForms);
    }
    given.push_back(argument.value);
  }
  const std::size_t least = is_tile ? 2 : 1;
  if (given.size() < least || given.size() > (is_tile ? 2 : 3)) {
    refuse_here("TF2400", *call,
                is_tile ? "tile takes an extent and a step" : "range takes one to three bounds",
                kLoopForms);
  }
  std::vector<Dim> bounds;
  for (const ExprSyntax* bound : given) bounds.push_back(loop_bound(*bound));
  LoopHead head;
  head.name = std::string(name->text);
  head.form = is_tile ? LoopForm::tile : LoopForm::range;
  head.start = is_range && bounds.size() > 1 ? bounds[0] : Dim(0);
  head.extent = is_range && bounds.size() > 1 ? bounds[1] : bounds[0];
  if (is_tile || bounds.size() == 3) head.step = bounds.back();
  const DimBounds step = dim_bounds(head.step);
  if (step.hi && *step.hi < 1) {
    refuse_here("TF2401", *given.back(),
                fmt::format("the step of a loop is at least 1, not {}", head.step.text()),
                is_tile ? "a tile has at least one element"
                        : "count upwards, and compute the falling number from the variable");
  }
  const Value* bound = scope_.find_here(head.name);
  if (bound != nullptr && !bound->is<LoopLocalValue>() && !bound->is<PoisonedValue>()) {
    refuse_here("TF2409", *name,
                fmt::format("the variable of this loop hides {}, which '{}' names before it",
                            describe(*bound), head.name),
                "give the variable a name of its own");
  }
  head.var = Var::make(head.name, TensorType::umat_scalar(DType::i64), false, span(*name));
  return head;
}

// Nothing for a name that the loop defines itself.
std::optional<FuncBody::CarriedName> FuncBody::carried_name(const std::string& name,
                                                            const Span& place) {
  const Value* found = scope_.find_here(name);
  if (found == nullptr || found->is<LoopLocalValue>()) return std::nullopt;
  if (found->is<PoisonedValue>()) throw PoisonedUse();
  const Value value = *found;
  if (!value.is_runtime()) {
    const bool number = value.is_number() || value.is<Dim>() || value.items() != nullptr;
    refuse(number ? "TF2402" : "TF2403", place,
           fmt::format("the loop gives '{}' a new value, but before the loop it is {}", name,
                       describe(value)),
           number ? fmt::format("a loop carries tensors: start from {0} = zeros(type=Tensor[(), "
                                "\"f32\"]) or {0} = full_like(x, value=...)",
                                name)
                  : "use another name inside of the loop");
  }
  ExprRef init = as_result(value, place);
  const Span named = init->span() ? init->span() : place;
  VarRef var = Var::make(name, carried_type(init->type()), false, named);
  return CarriedName{name, std::move(var), std::move(init)};
}

ExprRef FuncBody::next_value(const CarriedName& carried, const Span& place) {
  const Value* found = scope_.find_here(carried.name);
  if (found->is<PoisonedValue>()) throw PoisonedUse();
  const TensorType* type = as_tensor(carried.var->type());
  if (found->is_number()) {
    if (type != nullptr && type->rank() == 0) {
      return constant_of_number({*found, place}, type->dtype());
    }
    refuse("TF2402", place,
           fmt::format("the loop gives '{}' {}, but carries it as {}", carried.name,
                       describe(*found), type_text(carried.var->type())),
           "give it a tensor of that type: full_like(x, value=...)");
  }
  return as_result(*found, place);
}

void FuncBody::bind_loop_results(const GridRegionRef& loop,
                                 const std::vector<CarriedName>& carried) {
  for (std::size_t i = 0; i < carried.size(); ++i) {
    ExprRef value =
        carried.size() == 1 ? ExprRef(loop) : tuple_item(loop, i, {carried[i].name, loop->span()});
    scope_.bind(carried[i].name, Value(std::move(value)));
  }
}

void FuncBody::run_for(const ForSyntax& stmt) {
  const Span place = sema_.span(stmt);
  const LoopHead head = loop_head(stmt);
  std::vector<std::string> names;
  assigned_names(stmt.body, names);
  if (std::find(names.begin(), names.end(), head.name) != names.end()) {
    refuse_here("TF2409", *stmt.target,
                fmt::format("the body of this loop assigns to its variable '{}'", head.name),
                "give the value a name of its own");
  }
  std::vector<CarriedName> carried;
  std::vector<std::string> locals;
  for (const std::string& name : names) {
    std::optional<CarriedName> found = carried_name(name, place);
    if (found) {
      carried.push_back(*std::move(found));
    } else {
      locals.push_back(name);
    }
  }
  for (const CarriedName& each : carried) scope_.bind(each.name, Value(ExprRef(each.var)));
  scope_.bind(head.name, Value(head.var->dim()));
  if (head.form == LoopForm::tile) tiles_.push_back(head);
  ++loop_depth_;
  const bool failed = std::exchange(failed_, false);
  run_block(stmt.body);
  --loop_depth_;
  if (head.form == LoopForm::tile) tiles_.pop_back();
  if (failed_) throw PoisonedUse();
  failed_ = failed;

  GridRegionParts parts{head.var, {}, {}, {}, head.extent, head.step, head.start, head.form};
  for (const CarriedName& each : carried) {
    parts.carried_args.push_back(each.var);
    parts.init_args.push_back(each.init);
    parts.yield_values.push_back(next_value(each, place));
  }
  for (const std::string& name : locals) scope_.bind(name, LoopLocalValue{place});
  scope_.bind(head.name, LoopLocalValue{place});
  if (carried.empty()) {
    refuse("TF2405", place, "this loop has no effect: it gives no name of before the loop a value",
           "name the result before the loop, so that the loop carries it: acc = zeros(...)");
  }
  const std::string name = carried.size() == 1 ? carried.front().name : "";
  bind_loop_results(make_loop(ctx_, std::move(parts), {name, place}), carried);
}

// `x[i]` and `x[i + C]` for the variable of a loop over tiles; nothing for an index that reads no
// such variable, or reads it in another shape, such as `i // 4`.
std::optional<FuncBody::AxisWindow> FuncBody::tile_window(const ExprSyntax& item, const Dim& index,
                                                          const Dim& extent, std::size_t axis) {
  const LoopHead* tile = nullptr;
  bool plain = true;
  const DimSum sum = dim_as_sum(index);
  for (const DimTerm& term : sum.terms) {
    for (const Ref<const DimNode>& factor : term.factors) {
      for (const LoopHead& each : tiles_) {
        if (factor->as_atom() != static_cast<const DimAtom*>(each.var.get())) continue;
        plain = plain && tile == nullptr && term.coefficient == 1 && term.factors.size() == 1;
        tile = &each;
      }
    }
  }
  if (tile == nullptr) return std::nullopt;
  if (!plain || sum.terms.size() != 1) {
    refuse_here(
        "TF2407", item,
        fmt::format("'{}' is no window of the loop over '{}'", index.text(), tile->name),
        fmt::format("a window moves by a compile-time number: {0}, or {0} + 4", tile->name));
  }
  // The first and the last whole window.
  const Dim last = mod(tile->extent, tile->step).is(0)
                       ? tile->extent - tile->step
                       : floordiv(tile->extent, tile->step) * tile->step - tile->step;
  const Dim room = extent - (last + sum.constant + tile->step);
  const bool outside = sum.constant < 0 || (room.is_static() && room.value() < 0);
  if (outside && !(last.is_static() && last.value() < 0)) {
    refuse_here("TF2408", item,
                fmt::format("the windows of {} elements at '{}' leave axis {}, which has {}",
                            tile->step.text(), index.text(), axis, extent.text()),
                fmt::format("the loop runs over {}", tile->extent.text()));
  }
  AxisWindow window;
  window.start = {Value(index), span(item)};
  window.size = tile->step;
  return window;
}

}  // namespace tilefoundry
