#include "tilefoundry/text/type_text.h"

#include <cmath>

#include <fmt/format.h>

#include "tilefoundry/support/diagnostic.h"
#include "tilefoundry/support/text.h"

namespace tilefoundry {
namespace {

std::string spelled(std::string_view name, const TextContext& context) {
  return context.public_name ? context.public_name(name) : std::string(name);
}

std::string tuple_text(const std::vector<std::string>& parts) {
  return fmt::format("({}{})", fmt::join(parts, ", "), parts.size() == 1 ? "," : "");
}

std::string quoted(std::string_view text) { return python_string_literal(text); }

std::string int_tuple_text(const IntTuple& tuple, const TextContext& context) {
  if (tuple.is_leaf()) return dim_text(tuple.leaf(), context);
  std::vector<std::string> parts;
  for (const IntTuple& item : tuple.items()) parts.push_back(int_tuple_text(item, context));
  return tuple_text(parts);
}

std::string shard_attr_text(const ShardAttr& attr, const TextContext& context) {
  switch (attr.kind) {
    case ShardKind::split: return fmt::format("{}({})", spelled("Split", context), attr.axis);
    case ShardKind::broadcast: return spelled("Broadcast", context) + "()";
    case ShardKind::partial:
      return fmt::format("{}({})", spelled("Partial", context), quoted(attr.reduction));
    case ShardKind::dynamic: return spelled("Dynamic", context) + "()";
  }
  return "";
}

std::string named_mesh_text(const MeshRef& mesh, const TextContext& context) {
  std::string name = context.mesh_name ? context.mesh_name(mesh) : std::string();
  return name.empty() ? mesh_text(*mesh, context) : name;
}

std::string plain_layout_text(const Layout& layout, const TextContext& context) {
  std::string out = fmt::format("{}(shape={}", spelled("Layout", context),
                                int_tuple_text(layout.shape(), context));
  if (layout.strides() != nullptr) {
    out += ", strides=" + int_tuple_text(*layout.strides(), context);
  }
  return out + ")";
}

std::string verbose_layout_text(const LayoutRef& layout, const TextContext& context) {
  if (!layout) return "None";
  switch (layout->kind()) {
    case LayoutKind::plain: return plain_layout_text(static_cast<const Layout&>(*layout), context);
    case LayoutKind::composed: {
      const auto& composed = static_cast<const ComposedLayout&>(*layout);
      return fmt::format("{}(inner={}, offset={}, outer={})", spelled("ComposedLayout", context),
                         verbose_layout_text(composed.inner(), context),
                         dim_text(composed.offset(), context),
                         verbose_layout_text(composed.outer(), context));
    }
    case LayoutKind::shard: {
      const auto& shard = static_cast<const ShardLayout&>(*layout);
      std::vector<std::string> attrs;
      for (const ShardAttr& attr : shard.attrs()) attrs.push_back(shard_attr_text(attr, context));
      return fmt::format("{}(layout={}, attrs={}, mesh={})", spelled("ShardLayout", context),
                         verbose_layout_text(shard.layout(), context), tuple_text(attrs),
                         named_mesh_text(shard.mesh(), context));
    }
  }
  return "";
}

}  // namespace

std::string dim_text(const Dim& dim, const TextContext& context) {
  if (dim.is_static()) return std::to_string(dim.value());
  std::string text = dim.text(context.atom_name);
  // The function may go by another name here; every use of it is written "ceildiv(".
  constexpr std::string_view kCeildiv = "ceildiv";
  if (context.public_name && text.find("ceildiv(") != std::string::npos) {
    const std::string name = context.public_name(kCeildiv);
    for (std::size_t at = text.find("ceildiv("); name != kCeildiv && at != std::string::npos;
         at = text.find("ceildiv(", at + name.size())) {
      text.replace(at, kCeildiv.size(), name);
    }
  }
  return text;
}

std::string dims_text(const Shape& shape, const TextContext& context) {
  std::string out = "(";
  for (std::size_t i = 0; i < shape.size(); ++i) {
    if (i > 0) out += ", ";
    out += dim_text(shape[i], context);
  }
  return out + (shape.size() == 1 ? ",)" : ")");
}

std::string layout_text(const LayoutRef& layout, const TextContext& context) {
  return verbose_layout_text(layout, context);
}

std::string topologies_text(const Topologies& topologies, const TextContext& context) {
  std::vector<std::string> parts;
  for (const auto& topology : topologies) {
    parts.push_back(fmt::format("{}({}, {})", spelled("Topology", context),
                                quoted(topology->name()), dim_text(topology->size(), context)));
  }
  return tuple_text(parts);
}

std::string mesh_text(const Mesh& mesh, const TextContext& context) {
  std::string out =
      fmt::format("{}(topologies={}, layout={}", spelled("Mesh", context),
                  topologies_text(mesh.topologies(), context), layout_text(mesh.layout(), context));
  if (!mesh.names().empty()) {
    std::vector<std::string> names;
    for (const std::string& name : mesh.names()) names.push_back(quoted(name));
    out += ", names=" + tuple_text(names);
  }
  return out + ")";
}

std::string tensor_text(const TensorType& type, std::string_view head, const TextContext& context) {
  std::string out = spelled(head, context);
  out += "[";
  out += dims_text(type.shape(), context);
  out += ", ";
  out += quoted(type.dtype().name());
  if (type.layout()) out += ", " + layout_text(type.layout(), context);
  if (type.storage() != StorageKind::gmem) out += ", " + quoted(storage_name(type.storage()));
  return out + "]";
}

namespace {

std::string tuple_type_text(const TupleType& tuple, const TextContext& context,
                            std::string (*field_text)(const TypeRef&, const TextContext&)) {
  std::vector<std::string> fields;
  for (const TypeRef& field : tuple.fields()) fields.push_back(field_text(field, context));
  const std::string inner = fields.empty() ? "()" : join(fields, ", ");
  return fmt::format("{}[{}]", spelled("Tuple", context), inner);
}

std::string compact_tensor_text(const TensorType& type, const TextContext& context) {
  if (type.layout()) return tensor_text(type, "Tensor", context);
  std::string out = std::string(type.dtype().name()) + "[";
  for (std::size_t i = 0; i < type.rank(); ++i) {
    out += (i > 0 ? ", " : "") + dim_text(type.shape()[i], context);
  }
  out += "]";
  if (type.storage() != StorageKind::gmem) out += fmt::format(" @{}", storage_name(type.storage()));
  return out;
}

}  // namespace

std::string type_text(const TypeRef& type, const TextContext& context) {
  if (const TensorType* tensor = as_tensor(type)) return tensor_text(*tensor, "Tensor", context);
  if (const TupleType* tuple = as_tuple(type)) return tuple_type_text(*tuple, context, type_text);
  if (type && type->kind() == TypeKind::callable) {
    const auto& callable = static_cast<const CallableType&>(*type);
    std::vector<std::string> parameters;
    for (const TypeRef& field : callable.parameters()) {
      parameters.push_back(type_text(field, context));
    }
    return fmt::format("Callable[[{}], {}]", fmt::join(parameters, ", "),
                       type_text(callable.return_type(), context));
  }
  return "None";
}

std::string compact_type_text(const TypeRef& type, const TextContext& context) {
  if (const TensorType* tensor = as_tensor(type)) return compact_tensor_text(*tensor, context);
  if (const TupleType* tuple = as_tuple(type)) {
    return tuple_type_text(*tuple, context, compact_type_text);
  }
  return type_text(type, context);
}

std::string float_expression(double value) {
  if (std::isnan(value)) return std::signbit(value) ? "float(\"-nan\")" : "float(\"nan\")";
  if (std::isinf(value)) return value < 0 ? "float(\"-inf\")" : "float(\"inf\")";
  return float_text(value);
}

namespace {

struct AttrPrinter {
  const TextContext& context;

  std::string operator()(std::monostate) const { return "None"; }
  std::string operator()(bool value) const { return value ? "True" : "False"; }
  std::string operator()(std::int64_t value) const { return std::to_string(value); }
  std::string operator()(double value) const { return float_expression(value); }
  std::string operator()(const std::string& value) const { return quoted(value); }
  std::string operator()(DType value) const { return quoted(value.name()); }
  std::string operator()(StorageKind value) const { return quoted(storage_name(value)); }
  std::string operator()(const Dim& value) const { return dim_text(value, context); }
  std::string operator()(const Shape& value) const { return dims_text(value, context); }
  std::string operator()(const AttrInts& value) const {
    std::vector<std::string> parts;
    for (const std::int64_t item : value) parts.push_back(std::to_string(item));
    return tuple_text(parts);
  }
  std::string operator()(const TypeRef& value) const { return type_text(value, context); }
  std::string operator()(const LayoutRef& value) const { return layout_text(value, context); }
  std::string operator()(const MeshRef& value) const { return named_mesh_text(value, context); }
};

}  // namespace

std::string attr_text(const AttrValue& value, const TextContext& context) {
  return std::visit(AttrPrinter{context}, value);
}

}  // namespace tilefoundry
