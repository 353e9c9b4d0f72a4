#include "tilefoundry/ir/structural_values.h"

#include <fmt/format.h>

#include "tilefoundry/support/text.h"

namespace tilefoundry {
namespace {

// Dimension arithmetic over run-time scalars: the only dimensions that hold variables.
bool dim_reads_scalars(const Dim& dim) {
  bool found = false;
  for_each_dim_atom(dim, [&](const DimNode& node) { found = found || node.as_var() == nullptr; });
  return found;
}

const Var* var_of(const DimNode& node) { return dynamic_cast<const Var*>(node.as_atom()); }

}  // namespace

void VarPairs::bind(const VarRef& a, const VarRef& b) {
  pairs_.insert_or_assign(a.get(), b);
  back_.insert_or_assign(b.get(), a.get());
}

bool VarPairs::same_var(const Var& a, const Var& b) const {
  const auto it = pairs_.find(&a);
  const auto back = back_.find(&b);
  if (it == pairs_.end() && back == back_.end()) return &a == &b;
  return it != pairs_.end() && back != back_.end() && it->second.get() == &b && back->second == &a;
}

Dim VarPairs::translated(const Dim& dim) const {
  return substitute(dim, [&](const Ref<const DimNode>& node) {
    const Var* var = node->as_var() == nullptr ? var_of(*node) : nullptr;
    const auto it = pairs_.find(var);
    return it != pairs_.end() ? it->second->dim() : Dim(node);
  });
}

bool VarPairs::same_dim(const Dim& a, const Dim& b) const {
  if (a.is_static() || !dim_reads_scalars(a)) return a == b;
  return translated(a) == b;
}

bool VarPairs::same_shape(const Shape& a, const Shape& b) const {
  if (a.size() != b.size()) return false;
  for (std::size_t i = 0; i < a.size(); ++i) {
    if (!same_dim(a[i], b[i])) return false;
  }
  return true;
}

bool VarPairs::same_layout(const LayoutRef& a, const LayoutRef& b) const {
  if (!a || !b) return a == b;
  return a->with_dims([&](const Dim& dim) { return translated(dim); }) == b;
}

bool VarPairs::reads_scalars(const TypeRef& type) {
  const auto [it, added] = reads_scalars_.try_emplace(type.get(), false);
  if (!added) return it->second;
  bool found = false;
  for_each_leaf(type, [&](const TensorType& leaf) {
    for (const Dim& extent : leaf.shape()) found = found || dim_reads_scalars(extent);
    if (!leaf.layout()) return;
    leaf.layout()->with_dims([&](const Dim& dim) {
      found = found || dim_reads_scalars(dim);
      return dim;
    });
  });
  return reads_scalars_[type.get()] = found;
}

bool VarPairs::same_type(const TypeRef& a, const TypeRef& b) {
  if (!a || !b) return a == b;
  if (!reads_scalars(a)) return a == b;
  return substitute_dims(
             a, [&](const Ref<const DimNode>& node) { return translated(Dim(node)); }) == b;
}

bool VarPairs::same_attr(const AttrValue& a, const AttrValue& b) {
  if (a.index() != b.index()) return false;
  if (const auto* dim = std::get_if<Dim>(&a)) return same_dim(*dim, std::get<Dim>(b));
  if (const auto* shape = std::get_if<Shape>(&a)) return same_shape(*shape, std::get<Shape>(b));
  if (const auto* type = std::get_if<TypeRef>(&a)) return same_type(*type, std::get<TypeRef>(b));
  if (const auto* layout = std::get_if<LayoutRef>(&a))
    return same_layout(*layout, std::get<LayoutRef>(b));
  return attr_equal(a, b);
}

std::string versus(const std::string& a, const std::string& b) { return a + " versus " + b; }

namespace {

std::string layout_kind_name(const LayoutRef& layout) {
  if (!layout) return "None";
  switch (layout->kind()) {
    case LayoutKind::plain: return "Layout";
    case LayoutKind::composed: return "ComposedLayout";
    case LayoutKind::shard: return "ShardLayout";
  }
  return "";
}

std::string strides_brief(const Layout& layout) {
  return layout.strides() != nullptr ? layout.strides()->text() : "undecided";
}

std::string shard_attrs_brief(const ShardLayout& layout) {
  std::vector<std::string> parts;
  for (const ShardAttr& attr : layout.attrs()) {
    switch (attr.kind) {
      case ShardKind::split: parts.push_back(fmt::format("Split({})", attr.axis)); break;
      case ShardKind::broadcast: parts.push_back("Broadcast()"); break;
      case ShardKind::partial: parts.push_back(fmt::format("Partial({})", attr.reduction)); break;
      case ShardKind::dynamic: parts.push_back("Dynamic()"); break;
    }
  }
  return "(" + join(parts, ", ") + ")";
}

std::string topologies_brief(const Topologies& topologies) {
  std::vector<std::string> parts;
  for (const auto& topology : topologies) {
    parts.push_back(fmt::format("{}: {}", topology->name(), topology->size().text()));
  }
  return "(" + join(parts, ", ") + ")";
}

Difference layout_difference(const LayoutRef& a, const LayoutRef& b);

Difference below(const std::string& step, Difference inner) {
  inner.path = step + (inner.path.empty() ? "" : " / " + inner.path);
  return inner;
}

Difference mesh_difference(const Mesh& a, const Mesh& b) {
  if (a.topologies() != b.topologies()) {
    return {"topologies",
            versus(topologies_brief(a.topologies()), topologies_brief(b.topologies()))};
  }
  if (a.layout() != b.layout()) return below("layout", layout_difference(a.layout(), b.layout()));
  return {"names", versus("(" + join(a.names(), ", ") + ")", "(" + join(b.names(), ", ") + ")")};
}

Difference layout_difference(const LayoutRef& a, const LayoutRef& b) {
  if (!a || !b || a->kind() != b->kind()) {
    return {"", versus(layout_kind_name(a), layout_kind_name(b))};
  }
  if (a->kind() == LayoutKind::plain) {
    const auto& x = static_cast<const Layout&>(*a);
    const auto& y = static_cast<const Layout&>(*b);
    if (x.shape() != y.shape()) return {"shape", versus(x.shape().text(), y.shape().text())};
    return {"strides", versus(strides_brief(x), strides_brief(y))};
  }
  if (a->kind() == LayoutKind::composed) {
    const auto& x = static_cast<const ComposedLayout&>(*a);
    const auto& y = static_cast<const ComposedLayout&>(*b);
    if (x.inner() != y.inner()) return below("inner", layout_difference(x.inner(), y.inner()));
    if (x.outer() != y.outer()) return below("outer", layout_difference(x.outer(), y.outer()));
    return {"offset", versus(x.offset().text(), y.offset().text())};
  }
  const auto& x = static_cast<const ShardLayout&>(*a);
  const auto& y = static_cast<const ShardLayout&>(*b);
  if (x.layout() != y.layout()) return below("layout", layout_difference(x.layout(), y.layout()));
  if (x.attrs() != y.attrs()) return {"attrs", versus(shard_attrs_brief(x), shard_attrs_brief(y))};
  return below("mesh", mesh_difference(*x.mesh(), *y.mesh()));
}

std::string type_kind_name(const TypeRef& type) {
  if (!type) return "no type";
  switch (type->kind()) {
    case TypeKind::tensor: return "Tensor";
    case TypeKind::tuple: return "Tuple";
    case TypeKind::unit: return "None";
    case TypeKind::callable: return "Callable";
  }
  return "";
}

std::string type_brief(const TypeRef& type) {
  const TensorType* tensor = as_tensor(type);
  if (tensor == nullptr) return type_kind_name(type);
  return fmt::format("{}{}", tensor->dtype().name(), shape_text(tensor->shape()));
}

Difference fields_difference(const std::vector<TypeRef>& a, const std::vector<TypeRef>& b) {
  if (a.size() != b.size()) {
    return {"", versus(counted(a.size(), "field"), counted(b.size(), "field"))};
  }
  for (std::size_t i = 0; i < a.size(); ++i) {
    if (a[i] != b[i]) return below(fmt::format("field {}", i), type_difference(a[i], b[i]));
  }
  return {"", "they differ"};
}

}  // namespace

Difference type_difference(const TypeRef& a, const TypeRef& b) {
  if (!a || !b || a->kind() != b->kind()) {
    return {"type", versus(type_kind_name(a), type_kind_name(b))};
  }
  if (const TensorType* x = as_tensor(a)) {
    const TensorType* y = as_tensor(b);
    if (x->dtype() != y->dtype()) {
      return {"type / dtype",
              versus(std::string(x->dtype().name()), std::string(y->dtype().name()))};
    }
    if (x->shape() != y->shape()) {
      return {"type / shape", versus(shape_text(x->shape()), shape_text(y->shape()))};
    }
    if (x->storage() != y->storage()) {
      return {"type / storage", versus(std::string(storage_name(x->storage())),
                                       std::string(storage_name(y->storage())))};
    }
    return below("type", below("layout", layout_difference(x->layout(), y->layout())));
  }
  if (const TupleType* x = as_tuple(a)) {
    return below("type", fields_difference(x->fields(), as_tuple(b)->fields()));
  }
  if (a->kind() == TypeKind::callable) {
    return below("type", fields_difference(static_cast<const CallableType&>(*a).parameters(),
                                           static_cast<const CallableType&>(*b).parameters()));
  }
  return {"type", "they differ"};
}

namespace {

struct Brief {
  std::string operator()(std::monostate) const { return "None"; }
  std::string operator()(bool value) const { return value ? "True" : "False"; }
  std::string operator()(std::int64_t value) const { return std::to_string(value); }
  std::string operator()(double value) const { return float_text(value); }
  std::string operator()(const std::string& value) const { return python_string_literal(value); }
  std::string operator()(DType value) const { return std::string(value.name()); }
  std::string operator()(StorageKind value) const { return std::string(storage_name(value)); }
  std::string operator()(const Dim& value) const { return value.text(); }
  std::string operator()(const Shape& value) const { return shape_text(value); }
  std::string operator()(const AttrInts& value) const {
    return shape_text(Shape(value.begin(), value.end()));
  }
  std::string operator()(const TypeRef& value) const { return type_brief(value); }
  std::string operator()(const LayoutRef& value) const { return layout_kind_name(value); }
  std::string operator()(const MeshRef& value) const {
    return "Mesh" + topologies_brief(value->topologies());
  }
};

}  // namespace

std::string attr_brief(const AttrValue& value) { return std::visit(Brief(), value); }

}  // namespace tilefoundry
