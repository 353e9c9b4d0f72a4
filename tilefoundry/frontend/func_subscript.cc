// Subscripts and unpacking of IR values.

#include <algorithm>
#include <utility>

#include <fmt/format.h>

#include "tilefoundry/frontend/arithmetic.h"
#include "tilefoundry/frontend/func_body.h"
#include "tilefoundry/frontend/op_binding.h"
#include "tilefoundry/frontend/operators.h"
#include "tilefoundry/support/text.h"
#include "tilefoundry/text/type_text.h"

namespace tilefoundry {
namespace {

std::vector<const ExprSyntax*> index_items(const ExprSyntax& index) {
  const auto* tuple = index.as<SequenceSyntax>();
  if (tuple == nullptr || tuple->kind != ExprSyntaxKind::tuple) return {&index};
  return {tuple->elements.begin(), tuple->elements.end()};
}

KeywordArg attribute(std::string_view name, Value value, const Span& place) {
  return {name, place, {std::move(value), place}};
}

Value shape_value(const Shape& shape) {
  std::vector<Value> items;
  for (const Dim& dim : shape) items.push_back(Value::dim(dim));
  return Value::tuple(std::move(items));
}

}  // namespace

ExprRef FuncBody::tuple_item(const ExprRef& tuple, std::size_t index, Metadata meta) {
  if (const auto* node = expr_cast<Tuple>(tuple)) return node->elements()[index];
  const Span place = meta.span;
  return emit_construct(
      kTupleItemOp.class_name,
      {attribute(kTupleItemOp.attributes[0], static_cast<std::int64_t>(index), place)}, {tuple},
      std::move(meta));
}

Value FuncBody::runtime_subscript(const SubscriptSyntax& node, const ExprRef& base) {
  if (const TensorType* tensor = as_tensor(base->type())) {
    return subscript_tensor(node, base, *tensor);
  }
  if (const TupleType* tuple = as_tuple(base->type())) return subscript_tuple(node, base, *tuple);
  refuse_here("TF2047", node, fmt::format("{} has no items", describe(Value(base))));
}

Value FuncBody::subscript_tuple(const SubscriptSyntax& node, const ExprRef& base,
                                const TupleType& type) {
  const Value index = evaluate_dimension(*node.index);
  const auto* at = index.as<std::int64_t>();
  const auto size = static_cast<std::int64_t>(type.fields().size());
  if (at == nullptr) {
    refuse_here(
        "TF2047", *node.index,
        fmt::format("a field of a tuple is named by a compile-time int, not {}", describe(index)));
  }
  if (*at >= size || *at < -size) {
    refuse_here("TF2047", *node.index,
                fmt::format("field {} is outside of a tuple of {}", *at, size));
  }
  return tuple_item(base, static_cast<std::size_t>(*at < 0 ? *at + size : *at), meta_of(node));
}

// An element of the extents of a value, which is a dimension; nothing for another subscript.
std::optional<Value> FuncBody::subscript_extents(const SubscriptSyntax& node, const ExprRef& base) {
  const auto* call = expr_cast<Call>(base);
  const auto* op = call != nullptr ? dynamic_cast<const Op*>(call->target().get()) : nullptr;
  if (op == nullptr || op->op_class().name() != kExtentsOp.class_name) return std::nullopt;
  const std::vector<const ExprSyntax*> items = index_items(*node.index);
  if (items.size() != 1 || items[0]->as<SliceSyntax>() != nullptr) return std::nullopt;
  const Value index = evaluate_dimension(*items[0]);
  const auto* at = index.as<std::int64_t>();
  const Shape& shape = as_tensor(call->args()[0]->type())->shape();
  const auto rank = static_cast<std::int64_t>(shape.size());
  if (at == nullptr || *at < -rank || *at >= rank) return std::nullopt;
  const auto axis = static_cast<std::size_t>(*at < 0 ? *at + rank : *at);
  return Value(ExprRef(DimValue::make(shape[axis], meta_of(node))));
}

Value FuncBody::subscript_tensor(const SubscriptSyntax& node, const ExprRef& base,
                                 const TensorType& type) {
  if (std::optional<Value> extent = subscript_extents(node, base)) return *std::move(extent);
  const std::vector<const ExprSyntax*> items = index_items(*node.index);
  std::vector<AxisWindow> axes;
  const auto take_whole = [&](std::size_t until) {
    while (axes.size() < until) {
      AxisWindow window;
      window.start = {Value(std::int64_t{0}), span(node)};
      window.size = type.shape()[axes.size()];
      window.whole = true;
      axes.push_back(std::move(window));
    }
  };
  bool ellipsis = false;
  for (std::size_t i = 0; i < items.size(); ++i) {
    if (items[i]->kind == ExprSyntaxKind::none_literal) {
      refuse_here("TF2111", *items[i], "None adds no axis here",
                  "give the value its new shape with a function of the namespace tf");
    }
    if (items[i]->kind == ExprSyntaxKind::ellipsis) {
      if (std::exchange(ellipsis, true)) {
        refuse_here("TF2048", *items[i], "'...' stands once in a subscript");
      }
      const std::size_t rest = items.size() - i - 1;
      if (type.rank() > rest) take_whole(type.rank() - rest);
      continue;
    }
    if (axes.size() == type.rank()) {
      refuse_here("TF2048", *items[i],
                  fmt::format("a value of rank {} has no axis {}", type.rank(), axes.size()),
                  "it has the type " + type_text(base->type()));
    }
    axes.push_back(axis_window(*items[i], type.shape()[axes.size()], axes.size()));
  }
  take_whole(type.rank());
  const bool whole =
      std::all_of(axes.begin(), axes.end(), [](const AxisWindow& window) { return window.whole; });
  if (whole) return base;
  const bool drops = std::any_of(axes.begin(), axes.end(),
                                 [](const AxisWindow& window) { return window.dropped; });
  std::vector<ExprRef> starts;
  std::vector<TypeRef> start_types;
  std::vector<Value> strides;
  Shape sizes;
  Shape kept;
  for (const AxisWindow& axis : axes) {
    starts.push_back(index_operand(axis.start));
    start_types.push_back(starts.back()->type());
    sizes.push_back(axis.size);
    strides.emplace_back(axis.stride);
    if (!axis.dropped) kept.push_back(axis.size);
  }
  const Span place = span(node);
  ExprRef start_tuple =
      Tuple::make(std::move(starts), TupleType::make(std::move(start_types)), {"", place});
  Metadata meta = meta_of(node);
  ExprRef window =
      emit_construct(kWindowOp.class_name,
                     {attribute(kWindowOp.attributes[0], shape_value(sizes), place),
                      attribute(kWindowOp.attributes[1], Value::tuple(std::move(strides)), place)},
                     {base, std::move(start_tuple)}, drops ? Metadata{"", place} : meta);
  if (!drops) return window;
  return emit_construct(kDropAxesOp.class_name,
                        {attribute(kDropAxesOp.attributes[0], shape_value(kept), place)},
                        {std::move(window)}, std::move(meta));
}

FuncBody::AxisWindow FuncBody::axis_window(const ExprSyntax& item, const Dim& extent,
                                           std::size_t axis) {
  if (const auto* slice = item.as<SliceSyntax>()) return slice_window(*slice, extent, axis);
  Value index = evaluate_dimension(item);
  if (const auto* dim = index.as<Dim>()) {
    if (std::optional<AxisWindow> window = tile_window(item, *dim, extent, axis)) {
      return *std::move(window);
    }
  }
  if (const auto* at = index.as<std::int64_t>()) {
    if (*at < 0 && !extent.is_static()) {
      refuse_here(
          "TF2048", item,
          fmt::format("a negative index counts from a static extent, not from {}", extent.text()),
          fmt::format("write {} - {}", extent.text(), -*at));
    }
    const std::int64_t place = *at < 0 ? *at + extent.value() : *at;
    if (extent.is_static() && (place < 0 || place >= extent.value())) {
      refuse_here("TF2048", item,
                  fmt::format("index {} is outside of axis {}, which has {}", *at, axis,
                              counted(static_cast<std::size_t>(extent.value()), "element")));
    }
    index = place;
  }
  const auto* expr = index.as<ExprRef>();
  const TensorType* type = expr != nullptr ? as_tensor((*expr)->type()) : nullptr;
  const bool scalar = type != nullptr && type->rank() == 0 && type->dtype().is_integer();
  if (!scalar && !as_dim_value(index)) {
    refuse_here("TF2048", item,
                fmt::format("an index is an int, a dimension, an integer scalar or a slice, not {}",
                            describe(index)));
  }
  AxisWindow window;
  window.start = {std::move(index), span(item)};
  window.size = Dim(1);
  window.dropped = true;
  return window;
}

// A bound as it is written, with negative ones counted from the end.
Value FuncBody::bound_of_slice(const ExprSyntax* syntax, const Dim& extent) {
  Value value = evaluate_dimension(*syntax);
  if (const auto* at = value.as<std::int64_t>()) {
    if (*at >= 0) return value;
    if (!extent.is_static()) {
      refuse_here(
          "TF2048", *syntax,
          fmt::format("a negative bound counts from a static extent, not from {}", extent.text()),
          fmt::format("write {} - {}", extent.text(), -*at));
    }
    if (*at + extent.value() < 0) {
      refuse_here("TF2048", *syntax,
                  fmt::format("the bound {} is outside of an axis of {}", *at, extent.value()));
    }
    return *at + extent.value();
  }
  const auto* expr = value.as<ExprRef>();
  const TensorType* type = expr != nullptr ? as_tensor((*expr)->type()) : nullptr;
  const bool scalar = type != nullptr && type->rank() == 0 && type->dtype().is_integer();
  if (!scalar && !as_dim_value(value)) {
    refuse_here(
        "TF2048", *syntax,
        fmt::format("a bound of a slice is an int, a dimension or an integer scalar, not {}",
                    describe(value)));
  }
  return value;
}

// The distance between the bounds, which must be known without running anything.
Dim FuncBody::slice_size(const SliceSyntax& slice, const Value& start, const Dim& extent) {
  const std::optional<Dim> first = as_dim_value(start);
  if (slice.upper == nullptr) {
    if (first) return extent - *first;
  } else if (first) {
    const Value upper = bound_of_slice(slice.upper, extent);
    if (const std::optional<Dim> last = as_dim_value(upper)) {
      if (last->is_static() && extent.is_static() && last->value() > extent.value()) {
        refuse_here(
            "TF2048", *slice.upper,
            fmt::format("the bound {} is outside of an axis of {}", last->value(), extent.value()));
      }
      return *last - *first;
    }
  } else if (const auto* sum = slice.upper->as<BinarySyntax>();
             sum != nullptr && sum->op == BinaryOperator::add) {
    // `start:start + K` with a start that an op computes.
    if (sema_.tree().text(sum->left->range) == sema_.tree().text(slice.lower->range)) {
      if (const auto size = as_dim_value(evaluate_dimension(*sum->right))) return *size;
    }
  }
  refuse_here("TF2049", slice, "how many elements this slice has is not known at compile time",
              "write 'start:start + K' with a K that is");
}

FuncBody::AxisWindow FuncBody::slice_window(const SliceSyntax& slice, const Dim& extent,
                                            std::size_t axis) {
  AxisWindow window;
  window.start = {Value(std::int64_t{0}), span(slice)};
  if (slice.lower != nullptr) {
    window.start = {bound_of_slice(slice.lower, extent), span(*slice.lower)};
  }
  if (slice.step != nullptr) {
    const Value step = evaluate_dimension(*slice.step);
    const auto* count = step.as<std::int64_t>();
    if (count == nullptr || *count < 1) {
      refuse_here(
          "TF2048", *slice.step,
          fmt::format("the step of a slice is a compile-time int from 1, not {}", describe(step)));
    }
    window.stride = *count;
  }
  window.size = ceildiv(slice_size(slice, window.start.value, extent), Dim(window.stride));
  if (window.size.is_static() && window.size.value() < 0) {
    refuse_here("TF2048", slice, fmt::format("this slice of axis {} ends before it starts", axis));
  }
  const auto* start = window.start.value.as<std::int64_t>();
  window.whole = start != nullptr && *start == 0 && window.stride == 1 && window.size == extent;
  return window;
}

}  // namespace tilefoundry
