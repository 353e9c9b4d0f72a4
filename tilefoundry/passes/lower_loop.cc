// Loops of HIR as serial loops of TIR over buffers that carry values.
//
// for i in range(...):        alloc c; copy(init, c)
//     body                    for i in range(...):
//     c = value                   body; the values of the trip
//                                 copy(value, c), each after the last read of its old contents
#include <algorithm>
#include <unordered_set>

#include <fmt/format.h>

#include "tilefoundry/ir/tir/ops.h"
#include "tilefoundry/passes/lowerer.h"
#include "tilefoundry/registry/loop_typing.h"
#include "tilefoundry/support/diagnostic.h"

namespace tilefoundry {

bool Lowerer::surely_nonnegative(const Dim& dim) const {
  return tilefoundry::surely_nonnegative(dim, loops_);
}

const Var* Lowerer::memory_of(const VarRef& value) const {
  const Var* at = value.get();
  for (auto it = views_.find(at); it != views_.end(); it = views_.find(at)) at = it->second;
  return at;
}

// One buffer for each tensor of the carried value, holding the initial value.
std::vector<VarRef> Lowerer::carry_buffers(const ExprRef& init, const Var& carried) {
  const VarRef value = lower(init);
  const std::vector<VarRef> values = flatten(value);
  std::vector<TypeRef> types;
  for_each_leaf(buffer_type(carried.type()),
                [&](const TensorType& leaf) { types.emplace_back(&leaf); });
  TF_CHECK(types.size() == values.size(), "a carried value has another structure");
  std::vector<VarRef> buffers;
  for (std::size_t i = 0; i < values.size(); ++i) {
    buffers.push_back(alloc(types[i], carried.name().empty() ? "carry" : carried.name()));
    emit(copy(values[i], buffers.back()));
  }
  return buffers;
}

void Lowerer::bind_carried(const Var& carried, const std::vector<VarRef>& buffers) {
  std::size_t next = 0;
  const std::function<VarRef(const TypeRef&)> build = [&](const TypeRef& type) -> VarRef {
    const TupleType* tuple = as_tuple(type);
    if (tuple == nullptr) return buffers[next++];
    std::vector<VarRef> fields;
    for (const TypeRef& field : tuple->fields()) fields.push_back(build(field));
    return bind_tuple(type, std::move(fields));
  };
  remember(carried, build(carried.type()));
}

// Copies in an order in which no buffer is overwritten before its old contents were read; where
// there is none, as when two swap, one value moves out of the way first.
void Lowerer::copy_carried(std::vector<CarryCopy> copies) {
  std::erase_if(copies, [](const CarryCopy& each) { return each.from == each.to; });
  while (!copies.empty()) {
    const auto free = std::find_if(copies.begin(), copies.end(), [&](const CarryCopy& each) {
      return std::none_of(copies.begin(), copies.end(), [&](const CarryCopy& other) {
        return memory_of(other.from) == each.to.get();
      });
    });
    if (free != copies.end()) {
      emit(copy(free->from, free->to));
      copies.erase(free);
      continue;
    }
    CarryCopy& first = copies.front();
    const VarRef aside = alloc(first.to->type(), first.to->name() + "_next");
    emit(copy(first.from, aside));
    first.from = aside;
  }
}

namespace {

// Whether dim is the variable, or moved by a number.
bool is_window_of(const Dim& dim, const Var& var) { return (dim - var.dim()).is_static(); }

// A call in the body that uses the fixed-shape window of a loop over tiles: an address at the
// loop's variable, moved or not.
const Call* find_window(const GridRegionExpr& loop, const GridRegionExpr& tile) {
  for (const ExprRef& node : loop.body()) {
    if (const auto* inner = expr_cast<GridRegionExpr>(node)) {
      if (const Call* found = find_window(*inner, tile)) return found;
    }
    const auto* call = expr_cast<Call>(node);
    if (call == nullptr) continue;
    for (const ExprRef& arg : call->args()) {
      const auto* starts = expr_cast<Tuple>(arg);
      if (starts == nullptr) continue;
      for (std::size_t axis = 0; axis < starts->elements().size(); ++axis) {
        const auto* start = expr_cast<DimValue>(starts->elements()[axis]);
        if (start == nullptr || !is_window_of(start->dim(), *tile.induction_var())) continue;
        // The window is the result, or what is written there.
        const auto has_window = [&](const TypeRef& of) {
          const TensorType* type = as_tensor(of);
          return type != nullptr && axis < type->rank() && type->shape()[axis] == tile.step();
        };
        bool whole = has_window(call->type());
        for (std::size_t i = 1; i < call->args().size(); ++i) {
          whole = whole || has_window(call->args()[i]->type());
        }
        if (whole) return call;
      }
    }
  }
  return nullptr;
}

void refuse_residual(const GridRegionExpr& loop) {
  if (loop.form() != LoopForm::tile || mod(loop.extent(), loop.step()).is(0)) return;
  const Call* window = find_window(loop, loop);
  if (window == nullptr) return;
  throw PassError(Diagnostic{
      .code = "TF4400",
      .message = fmt::format("the tiles of {} do not provably divide {}, and the last one would "
                             "leave a rest for which this window has no lowering",
                             loop.step().text(), loop.extent().text()),
      .span = window->span(),
      .notes = {{"the loop", loop.span()}},
      .hint = "choose a step that divides the extent, or lower the rest by hand"});
}

}  // namespace

void Lowerer::lower_loop_body(const GridRegionExpr& loop, const std::vector<VarRef>& buffers,
                              const CarriedNumbers& numbers) {
  const std::size_t mark = lowered_order_.size();
  for (const VarRef& carried : loop.carried_args()) {
    const auto number = numbers.find(carried.get());
    if (number != numbers.end()) emit_bind(number->second, load(lowered_.at(carried.get()), {}));
  }
  loops_.push_back(loop_bound(loop.induction_var(), loop.start(), loop.extent(), loop.step()));
  std::vector<CarryCopy> copies;
  for (const ExprRef& value : loop.yield_values()) {
    for (const VarRef& leaf : flatten(lower(value))) {
      copies.push_back({leaf, buffers[copies.size()]});
    }
  }
  copy_carried(std::move(copies));
  loops_.pop_back();
  // What was lowered here is bound in the body and unknown outside.
  while (lowered_order_.size() > mark) {
    lowered_.erase(lowered_order_.back());
    lowered_order_.pop_back();
  }
}

namespace {

void collect_scalars(const GridRegionExpr& loop, std::unordered_set<const Var*>& found) {
  const auto add = [&](const Dim& dim) {
    for_each_scalar_of(dim, [&](const Var& var) { found.insert(&var); });
  };
  for (const ExprRef& node : loop.body()) {
    for_each_dim_of(*node, add);
    if (const auto* inner = expr_cast<GridRegionExpr>(node)) collect_scalars(*inner, found);
  }
}

}  // namespace

// A step whose sign only the run knows counts trips instead.
void Lowerer::emit_loop(const GridRegionExpr& loop, Block body) {
  const Metadata meta{loop.name(), loop.span()};
  const VarRef& var = loop.induction_var();
  const DimBounds step = dim_bounds(loop.step());
  if (step.lo && *step.lo >= 1) {
    emit(For::make(var, loop.start(), loop.extent(), loop.step(), make_block(body), ForMode::serial,
                   meta));
    return;
  }
  emit(If::make(scalar_binary(BinaryKind::cmp_lt, DimValue::make(loop.step()), DimValue::make(1)),
                Abort::make(fmt::format("the step {} of a loop is below 1", loop.step().text())),
                nullptr));
  const VarRef trip = loop_var(unique("trip"));
  body.insert(body.begin(),
              BlockItem::let(var, DimValue::make(loop.start() + trip->dim() * loop.step()), meta));
  emit(For::make(trip, 0, ceildiv(loop.extent() - loop.start(), loop.step()), 1, make_block(body),
                 ForMode::serial, meta));
}

// Recurses on the nesting of loops.
VarRef Lowerer::lower_loop(const GridRegionExpr& authored) {
  refuse_residual(authored);
  // A carried integer that addresses something is read out of its buffer first.
  std::unordered_set<const Var*> scalars;
  collect_scalars(authored, scalars);
  CarriedNumbers numbers;
  for (const VarRef& carried : authored.carried_args()) {
    if (!scalars.contains(carried.get())) continue;
    const DType dtype = as_tensor(carried->type())->dtype();
    numbers.emplace(carried.get(), fresh(scalar_type(dtype), carried->name() + "_at"));
  }
  GridRegionRef renamed(&authored);
  if (!numbers.empty()) {
    TypeInferContext types;
    LoopCloner cloner(types, {}, numbers);
    cloner.clone(authored.body());
    GridRegionParts parts = authored.parts();
    for (ExprRef& value : parts.yield_values) value = cloner.at(value);
    renamed = GridRegionExpr::make(std::move(parts), authored.meta());
    kept_.push_back(renamed);
  }
  const GridRegionExpr& loop = *renamed;
  std::vector<VarRef> buffers;
  std::vector<VarRef> results;
  const Span outer_place = place_;
  if (loop.span()) place_ = loop.span();
  for (std::size_t i = 0; i < loop.carried_args().size(); ++i) {
    const Var& carried = *loop.carried_args()[i];
    const std::vector<VarRef> leaves = carry_buffers(loop.init_args()[i], carried);
    bind_carried(carried, leaves);
    results.push_back(lowered_.at(&carried));
    buffers.insert(buffers.end(), leaves.begin(), leaves.end());
  }
  for (const ExprRef& capture : loop.captures()) {
    const auto* constant = expr_cast<Constant>(capture);
    if (constant != nullptr && constant->tensor_type().rank() > 0) lower(capture);
  }
  Block outer = std::exchange(block_, {});
  lower_loop_body(loop, buffers, numbers);
  Block body = std::exchange(block_, std::move(outer));
  emit_loop(loop, std::move(body));
  place_ = outer_place;
  return results.size() == 1 ? results.front() : bind_tuple(loop.type(), std::move(results));
}

}  // namespace tilefoundry
