#include "tilefoundry/frontend/value.h"

#include <algorithm>

#include <fmt/format.h>

#include "tilefoundry/frontend/builtins.h"
#include "tilefoundry/frontend/sema.h"
#include "tilefoundry/support/text.h"
#include "tilefoundry/text/type_text.h"

namespace tilefoundry {

std::optional<Value> HostObject::attribute(std::string_view) const { return std::nullopt; }
std::optional<Value> HostObject::item(const Value&) const { return std::nullopt; }

Value Value::dim(Dim dim) {
  if (dim.is_static()) return Value(dim.value());
  return Value(std::move(dim));
}

Value Value::tuple(std::vector<Value> items) {
  return SequenceValue{false, std::make_shared<const std::vector<Value>>(std::move(items))};
}

Value Value::list(std::vector<Value> items) {
  return SequenceValue{true, std::make_shared<const std::vector<Value>>(std::move(items))};
}

const std::vector<Value>* Value::items() const noexcept {
  const auto* sequence = as<SequenceValue>();
  return sequence != nullptr ? sequence->items.get() : nullptr;
}

bool Value::is_number() const noexcept { return is<bool>() || is<std::int64_t>() || is<double>(); }

bool Value::is_runtime() const noexcept {
  if (is<ExprRef>()) return true;
  const std::vector<Value>* list = items();
  return list != nullptr && std::any_of(list->begin(), list->end(),
                                        [](const Value& item) { return item.is_runtime(); });
}

namespace {

struct Describer {
  std::string operator()(const NoneValue&) const { return "None"; }
  std::string operator()(const EllipsisValue&) const { return "'...'"; }
  std::string operator()(const PoisonedValue&) const { return "a refused definition"; }
  std::string operator()(const LoopLocalValue&) const { return "a value inside of a loop"; }
  std::string operator()(bool value) const { return value ? "True" : "False"; }
  std::string operator()(std::int64_t value) const { return fmt::format("the int {}", value); }
  std::string operator()(double value) const { return "the float " + float_text(value); }
  std::string operator()(const std::string& value) const {
    return "the string " + python_string_literal(value);
  }
  std::string operator()(DType value) const { return fmt::format("the dtype {}", value.name()); }
  std::string operator()(StorageKind value) const {
    return fmt::format("the storage {}", storage_name(value));
  }
  std::string operator()(const Dim& value) const {
    return fmt::format("the dimension {}", value.text());
  }
  std::string operator()(const TypeValue& value) const {
    return fmt::format("the type {}", type_text(value.type));
  }
  std::string operator()(const LayoutRef&) const { return "a layout"; }
  std::string operator()(const ShardAttr&) const { return "a shard attribute"; }
  std::string operator()(const Ref<const Topology>&) const { return "a Topology"; }
  std::string operator()(const MeshRef&) const { return "a Mesh"; }
  std::string operator()(const MeshAxisValue&) const { return "an axis of a Mesh"; }
  std::string operator()(const PatternRef& value) const { return value->repr(); }
  std::string operator()(const TargetRef&) const { return "a Target"; }
  std::string operator()(const CallableRef& value) const {
    return fmt::format("the function '{}'", callable_name(*value));
  }
  std::string operator()(const ModuleRef& value) const {
    return fmt::format("the Module '{}'", value->name());
  }
  std::string operator()(const OpGroup* value) const {
    return fmt::format("the op '{}'", value->name);
  }
  std::string operator()(const EnumClassValue& value) const {
    return fmt::format("the enumeration {}", value.name);
  }
  std::string operator()(const EnumMember& value) const {
    return fmt::format("{}.{}", value.enum_name, value.name);
  }
  std::string operator()(const NamespaceValue& value) const {
    return fmt::format("the module {}", value.path);
  }
  std::string operator()(const Builtin* value) const { return fmt::format("'{}'", value->name); }
  std::string operator()(const SequenceValue& value) const {
    return fmt::format("a {} of {}", value.is_list ? "list" : "tuple",
                       counted(value.items->size(), "item"));
  }
  std::string operator()(const ExprRef& value) const {
    return fmt::format("a value of type {}", type_text(value->type()));
  }
  std::string operator()(const HostObjectRef& value) const { return value->describe(); }
};

}  // namespace

std::string describe(const Value& value) { return std::visit(Describer(), value.storage()); }

std::optional<Dim> as_dim_value(const Value& value) {
  if (const auto* integer = value.as<std::int64_t>()) return Dim(*integer);
  if (const auto* dim = value.as<Dim>()) return *dim;
  const auto* expr = value.as<ExprRef>();
  if (expr == nullptr) return std::nullopt;
  if (const auto* dim = expr_cast<DimValue>(*expr)) return dim->dim();
  const auto* var = expr_cast<Var>(*expr);
  const TensorType* type = var != nullptr ? as_tensor(var->type()) : nullptr;
  if (type == nullptr || type->rank() != 0 || !type->dtype().is_integer()) return std::nullopt;
  return var->dim();
}

std::optional<Shape> as_shape_value(const Value& value) {
  const std::vector<Value>* items = value.items();
  if (items == nullptr) return std::nullopt;
  Shape shape;
  for (const Value& item : *items) {
    std::optional<Dim> dim = as_dim_value(item);
    if (!dim) return std::nullopt;
    shape.push_back(std::move(*dim));
  }
  return shape;
}

std::optional<IntTuple> as_int_tuple(const Value& value) {
  if (std::optional<Dim> dim = as_dim_value(value)) return IntTuple(std::move(*dim));
  const std::vector<Value>* items = value.items();
  if (items == nullptr) return std::nullopt;
  std::vector<IntTuple> parts;
  for (const Value& item : *items) {
    std::optional<IntTuple> part = as_int_tuple(item);
    if (!part) return std::nullopt;
    parts.push_back(std::move(*part));
  }
  return IntTuple(std::move(parts));
}

std::optional<double> as_float_value(const Value& value) {
  if (const auto* integer = value.as<std::int64_t>()) return static_cast<double>(*integer);
  if (const auto* number = value.as<double>()) return *number;
  return std::nullopt;
}

std::optional<DType> as_dtype_value(const Value& value) {
  if (const auto* dtype = value.as<DType>()) return *dtype;
  const auto* name = value.as<std::string>();
  if (name == nullptr) return std::nullopt;
  const std::vector<std::string>& names = DType::names();
  if (std::find(names.begin(), names.end(), *name) == names.end()) return std::nullopt;
  return DType::from_name(*name);
}

std::optional<StorageKind> as_storage_value(const Value& value) {
  if (const auto* kind = value.as<StorageKind>()) return *kind;
  const auto* name = value.as<std::string>();
  if (name == nullptr) return std::nullopt;
  const std::vector<std::string>& names = storage_names();
  if (std::find(names.begin(), names.end(), *name) == names.end()) return std::nullopt;
  return storage_from_name(*name);
}

}  // namespace tilefoundry
