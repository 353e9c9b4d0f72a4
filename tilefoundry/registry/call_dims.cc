#include "tilefoundry/registry/call_dims.h"

namespace tilefoundry {

bool CallDims::bind(const TypeRef& parameter, const TypeRef& argument) {
  const TupleType* fields = as_tuple(parameter);
  const TupleType* given = as_tuple(argument);
  if (fields != nullptr && given != nullptr) {
    if (fields->fields().size() != given->fields().size()) return false;
    for (std::size_t i = 0; i < fields->fields().size(); ++i) {
      if (!bind(fields->fields()[i], given->fields()[i])) return false;
    }
    return true;
  }
  const TensorType* wanted = as_tensor(parameter);
  const TensorType* got = as_tensor(argument);
  if (wanted == nullptr || got == nullptr || wanted->rank() != got->rank()) return false;
  for (std::size_t axis = 0; axis < wanted->rank(); ++axis) {
    const Dim& extent = wanted->shape()[axis];
    const DimVar* var = extent.node() ? extent.node()->as_var() : nullptr;
    if (var == nullptr) continue;
    const auto [it, added] = dims_.emplace(var->name, got->shape()[axis]);
    if (!added && !(it->second == got->shape()[axis])) return false;
  }
  return true;
}

const Dim* CallDims::find(const std::string& dim_var) const {
  const auto it = dims_.find(dim_var);
  return it == dims_.end() ? nullptr : &it->second;
}

Dim CallDims::apply(const Dim& dim) const {
  return substitute(dim, [this](const Ref<const DimNode>& node) {
    const DimVar* var = node->as_var();
    const Dim* value = var != nullptr ? find(var->name) : nullptr;
    return value != nullptr ? *value : Dim(node);
  });
}

TypeRef CallDims::apply(const TypeRef& type) const {
  return substitute_dims(type, [this](const Ref<const DimNode>& node) { return apply(Dim(node)); });
}

bool call_types_fit(const std::vector<TypeRef>& parameters, const std::vector<TypeRef>& arguments) {
  if (parameters.size() != arguments.size()) return false;
  if (parameters == arguments) return true;
  CallDims dims;
  for (std::size_t i = 0; i < parameters.size(); ++i) {
    if (!dims.bind(parameters[i], arguments[i])) return false;
  }
  for (std::size_t i = 0; i < parameters.size(); ++i) {
    if (dims.apply(parameters[i]) != arguments[i]) return false;
  }
  return true;
}

}  // namespace tilefoundry
