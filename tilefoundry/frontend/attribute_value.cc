// Compile-time values as attributes of ops.

#include <algorithm>

#include <fmt/format.h>

#include "tilefoundry/frontend/op_binding.h"
#include "tilefoundry/support/text.h"

namespace tilefoundry {
namespace {

std::string wanted(const OpAttr& attr) {
  switch (attr.kind) {
    case AttrKind::boolean: return "True or False";
    case AttrKind::integer: return "an int";
    case AttrKind::number: return "a number";
    case AttrKind::string: return "a string";
    case AttrKind::choice: {
      std::vector<std::string> names;
      for (const std::string& name : attr.choices) names.push_back(python_string_literal(name));
      return "one of " + join(names, ", ");
    }
    case AttrKind::dtype: return "a dtype, one of " + join(DType::names(), ", ");
    case AttrKind::storage: return "a storage, one of " + join(storage_names(), ", ");
    case AttrKind::dim: return "an int or a dimension";
    case AttrKind::shape: return "a tuple of dimensions";
    case AttrKind::ints: return "a tuple of ints";
    case AttrKind::type: return "a type such as Tensor[(4, 64), \"f32\"]";
    case AttrKind::layout: return "a layout";
    case AttrKind::mesh: return "a Mesh";
  }
  return "another value";
}

std::optional<AttrValue> choice_of(const OpAttr& attr, const Value& value) {
  std::string name;
  if (const auto* text = value.as<std::string>()) name = *text;
  if (const auto* member = value.as<EnumMember>()) name = member->name;
  const bool known =
      std::find(attr.choices.begin(), attr.choices.end(), name) != attr.choices.end();
  return known ? std::optional<AttrValue>(std::move(name)) : std::nullopt;
}

std::optional<AttrValue> ints_of(const Value& value) {
  const std::vector<Value>* items = value.items();
  if (items == nullptr) return std::nullopt;
  AttrInts ints;
  for (const Value& item : *items) {
    const auto* integer = item.as<std::int64_t>();
    if (integer == nullptr) return std::nullopt;
    ints.push_back(*integer);
  }
  return AttrValue(std::move(ints));
}

template <class T, class Stored = T>
std::optional<AttrValue> plain(const Value& value) {
  const T* held = value.as<T>();
  return held == nullptr ? std::nullopt : std::optional<AttrValue>(Stored(*held));
}

template <class T>
std::optional<AttrValue> lift(std::optional<T> value) {
  return value ? std::optional<AttrValue>(std::move(*value)) : std::nullopt;
}

std::optional<AttrValue> convert(const OpAttr& attr, const Value& value) {
  switch (attr.kind) {
    case AttrKind::boolean: return plain<bool>(value);
    case AttrKind::integer: return plain<std::int64_t>(value);
    case AttrKind::number: return lift(as_float_value(value));
    case AttrKind::string: return plain<std::string>(value);
    case AttrKind::choice: return choice_of(attr, value);
    case AttrKind::dtype: return lift(as_dtype_value(value));
    case AttrKind::storage: return lift(as_storage_value(value));
    case AttrKind::dim: return lift(as_dim_value(value));
    case AttrKind::shape: return lift(as_shape_value(value));
    case AttrKind::ints: return ints_of(value);
    case AttrKind::type: {
      const auto* type = value.as<TypeValue>();
      return type == nullptr ? std::nullopt : std::optional<AttrValue>(type->type);
    }
    case AttrKind::layout: return plain<LayoutRef>(value);
    case AttrKind::mesh: return plain<MeshRef>(value);
  }
  return std::nullopt;
}

}  // namespace

AttrValue attr_of_value(std::string_view call_name, const OpAttr& attr, const CallArg& arg) {
  if (attr.optional && arg.value.is<NoneValue>()) return AttrValue();
  const auto* text = arg.value.as<std::string>();
  const bool unset_storage = attr.kind == AttrKind::storage && text != nullptr && text->empty();
  if (attr.optional && unset_storage) return AttrValue();
  if (std::optional<AttrValue> value = convert(attr, arg.value)) return std::move(*value);
  std::string hint;
  if (text != nullptr && attr.kind == AttrKind::choice) hint = did_you_mean(*text, attr.choices);
  if (text != nullptr && attr.kind == AttrKind::dtype) hint = did_you_mean(*text, DType::names());
  const bool sequence = attr.kind == AttrKind::shape || attr.kind == AttrKind::ints;
  if (sequence && as_dim_value(arg.value)) hint = "write '(n,)' for a tuple of one";
  if (arg.value.is_runtime()) hint = "an attribute is known at compile time";
  refuse("TF2062", arg.span,
         fmt::format("'{}' of '{}' is {}, not {}", attr.name, call_name, wanted(attr),
                     describe(arg.value)),
         std::move(hint));
}

}  // namespace tilefoundry
