#include "tilefoundry/frontend/type_syntax.h"

#include <fmt/format.h>

#include "tilefoundry/support/text.h"

namespace tilefoundry {
namespace {

Shape shape_slot(const CallArg& arg) {
  if (std::optional<Shape> shape = as_shape_value(arg.value)) return std::move(*shape);
  if (as_dim_value(arg.value)) {
    refuse("TF2050", arg.span, "the shape of a tensor is a tuple",
           "write '(n,)' for one axis, '()' for a scalar");
  }
  const std::vector<Value>* items = arg.value.items();
  if (items == nullptr) {
    refuse(
        "TF2050", arg.span,
        fmt::format("the shape of a tensor is a tuple of dimensions, not {}", describe(arg.value)));
  }
  for (const Value& item : *items) {
    if (as_dim_value(item)) continue;
    refuse("TF2050", arg.span, fmt::format("{} is no extent", describe(item)),
           "an extent is an int, a DimVar or arithmetic over those");
  }
  refuse("TF2050", arg.span, "this is no shape");
}

DType dtype_slot(const CallArg& arg) {
  if (const std::optional<DType> dtype = as_dtype_value(arg.value)) return *dtype;
  const std::string names = "the dtypes are " + join(DType::names(), ", ");
  if (const auto* name = arg.value.as<std::string>()) {
    const std::string guess = did_you_mean(*name, DType::names());
    refuse("TF2051", arg.span, fmt::format("there is no dtype '{}'", *name),
           guess.empty() ? names : guess);
  }
  refuse("TF2051", arg.span, fmt::format("wanted a dtype, got {}", describe(arg.value)), names);
}

StorageKind storage_slot(const CallArg& arg) {
  if (const std::optional<StorageKind> kind = as_storage_value(arg.value)) return *kind;
  const std::string names = "the storages are " + join(storage_names(), ", ");
  if (const auto* name = arg.value.as<std::string>()) {
    refuse("TF2052", arg.span, fmt::format("there is no storage '{}'", *name), names);
  }
  refuse("TF2052", arg.span, fmt::format("wanted a storage, got {}", describe(arg.value)), names);
}

bool given(const CallArg* arg) { return arg != nullptr && !arg->value.is<NoneValue>(); }

LayoutRef layout_slot(const CallArg& arg) {
  if (const auto* layout = arg.value.as<LayoutRef>()) return *layout;
  if (arg.value.items() != nullptr) {
    refuse("TF2102", arg.span, "layout sugar is not supported yet: a tuple of axes",
           "write Layout(shape, strides) or ShardLayout(layout=..., attrs=(...), mesh=...)");
  }
  refuse("TF2052", arg.span,
         fmt::format("wanted a layout or a storage, got {}", describe(arg.value)),
         "the storages are " + join(storage_names(), ", "));
}

LayoutRef in_c_order(const LayoutRef& layout) {
  if (!layout) return layout;
  if (layout->kind() == LayoutKind::plain) {
    const auto& plain = static_cast<const Layout&>(*layout);
    if (plain.strides() != nullptr) return layout;
    return Layout::make(plain.domain(), c_order_strides(plain.domain()));
  }
  if (layout->kind() != LayoutKind::shard) return layout;
  const auto& shard = static_cast<const ShardLayout&>(*layout);
  LayoutRef inner = in_c_order(shard.layout());
  if (inner == shard.layout()) return layout;
  return ShardLayout::make(std::move(inner), shard.attrs(), shard.mesh());
}

}  // namespace

TensorTypeRef tensor_type_of_slots(const TensorSlots& slots) {
  Shape shape = shape_slot(*slots.shape);
  const DType dtype = dtype_slot(*slots.dtype);
  LayoutRef layout;
  StorageKind storage = StorageKind::gmem;
  const bool storage_third =
      given(slots.layout) && slots.storage == nullptr &&
      (slots.layout->value.is<std::string>() || slots.layout->value.is<StorageKind>());
  if (storage_third) {
    storage = storage_slot(*slots.layout);
  } else if (given(slots.layout)) {
    layout = layout_slot(*slots.layout);
  }
  if (given(slots.storage)) storage = storage_slot(*slots.storage);
  return TensorType::make(std::move(shape), dtype, std::move(layout), storage);
}

TypeValue type_of_subscript(const Builtin& head, const std::vector<CallArg>& items,
                            const Span& place) {
  if (head.kind == BuiltinKind::tuple_type) {
    std::vector<TypeRef> fields;
    for (const CallArg& item : items) {
      const auto* type = item.value.as<TypeValue>();
      if (type == nullptr) refuse_argument(item, "a type");
      fields.push_back(type->type);
    }
    return {TupleType::make(std::move(fields)), false};
  }
  if (items.size() < 2 || items.size() > 4) {
    refuse(
        "TF2053", place,
        fmt::format("'{}' takes a shape, a dtype, and perhaps a layout and a storage", head.name),
        fmt::format("for example {}[(4, 64), \"f32\"]", head.name));
  }
  const auto slot = [&](std::size_t i) { return i < items.size() ? &items[i] : nullptr; };
  return {tensor_type_of_slots({slot(0), slot(1), slot(2), slot(3)}),
          head.kind == BuiltinKind::const_tensor_type};
}

TypeRef with_signature_layouts(const TypeRef& type) {
  if (const TensorType* tensor = as_tensor(type)) {
    LayoutRef layout = in_c_order(tensor->layout());
    if (layout == tensor->layout()) return type;
    return tensor->with_layout(std::move(layout));
  }
  const TupleType* tuple = as_tuple(type);
  if (tuple == nullptr) return type;
  std::vector<TypeRef> fields;
  for (const TypeRef& field : tuple->fields()) fields.push_back(with_signature_layouts(field));
  return TupleType::make(std::move(fields));
}

}  // namespace tilefoundry
