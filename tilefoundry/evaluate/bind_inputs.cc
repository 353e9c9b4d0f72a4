#include "tilefoundry/evaluate/bind_inputs.h"

#include <functional>

#include <fmt/format.h>

#include "tilefoundry/support/diagnostic.h"
#include "tilefoundry/types/type.h"

namespace tilefoundry {
namespace {

[[noreturn]] void fail(const char* code, std::string message, std::string hint = "") {
  throw CallError(Diagnostic{.code = code, .message = std::move(message), .hint = std::move(hint)});
}

std::string extents_text(const std::vector<std::int64_t>& shape) {
  return shape_text(Shape(shape.begin(), shape.end()));
}

// "parameter 'x' (Tensor[(S, 4), f32])"
std::string described(const Parameter& param) {
  const TensorType* type = as_tensor(param.type);
  if (type == nullptr) return fmt::format("parameter '{}' (a tuple)", param.name);
  return fmt::format("parameter '{}' ({} of shape {})", param.name, type->dtype().name(),
                     shape_text(type->shape()));
}

// Leaves of a parameter beside the tensors given for them.
struct Leaf {
  const Parameter* param;
  const TensorType* type;
  const HostTensor* tensor;
};

void collect_leaves(const Parameter& param, const TypeRef& type, const HostValue& value,
                    std::vector<Leaf>& leaves) {
  if (const TensorType* tensor = as_tensor(type)) {
    if (!value.is_tensor()) {
      fail("TF6018", fmt::format("{} got a tuple, wanted one tensor", described(param)));
    }
    leaves.push_back({&param, tensor, &value.tensor()});
    return;
  }
  const TupleType* tuple = as_tuple(type);
  if (tuple == nullptr || value.is_tensor() || value.fields().size() != tuple->fields().size()) {
    fail("TF6018", fmt::format("{} got a value of another structure", described(param)));
  }
  for (std::size_t i = 0; i < tuple->fields().size(); ++i) {
    collect_leaves(param, tuple->fields()[i], value.fields()[i], leaves);
  }
}

void check_form(const Leaf& leaf) {
  const HostTensor& got = *leaf.tensor;
  if (got.dtype() != leaf.type->dtype()) {
    fail("TF6013",
         fmt::format("{} got dtype {}, wanted {}", described(*leaf.param), got.dtype().name(),
                     leaf.type->dtype().name()),
         fmt::format("convert it to {}", leaf.type->dtype().name()));
  }
  if (got.shape().size() != leaf.type->rank()) {
    fail("TF6014",
         fmt::format("{} got rank {} (shape {}), wanted rank {}", described(*leaf.param),
                     got.shape().size(), extents_text(got.shape()), leaf.type->rank()),
         "reshape it to the wanted rank");
  }
}

void bind_dimension(const Leaf& leaf, std::size_t axis, DimBindings& dims) {
  const Dim& dim = leaf.type->shape()[axis];
  const DimVar* var = dim.is_static() ? nullptr : dim.node()->as_var();
  if (var == nullptr) return;
  const std::int64_t got = leaf.tensor->shape()[axis];
  const auto [it, added] = dims.try_emplace(var->name, got);
  if (!added && it->second != got) {
    fail("TF6016",
         fmt::format("axis {} of {} makes the dimension {} {}, an earlier parameter makes it {}",
                     axis, described(*leaf.param), var->name, got, it->second),
         fmt::format("give {} one extent in all inputs", var->name));
  }
  if (got < var->lo || got >= var->hi) {
    fail("TF6017",
         fmt::format("axis {} of {} makes the dimension {} {}, outside its range {} <= {} < {}",
                     axis, described(*leaf.param), var->name, got, var->lo, var->name, var->hi),
         fmt::format("use an extent from {} to {}", var->lo, var->hi - 1));
  }
}

void check_extents(const Leaf& leaf, const DimBindings& dims) {
  for (std::size_t axis = 0; axis < leaf.type->rank(); ++axis) {
    const Dim& dim = leaf.type->shape()[axis];
    const std::int64_t wanted = extent_under(dim, dims);
    const std::int64_t got = leaf.tensor->shape()[axis];
    if (got == wanted) continue;
    const std::string because =
        dim.is_static() ? "" : fmt::format(" ({} is {} here)", dim.text(), wanted);
    fail("TF6015",
         fmt::format("axis {} of {} got extent {}, wanted {}{}", axis, described(*leaf.param), got,
                     wanted, because),
         "pass an array of the wanted shape");
  }
}

}  // namespace

std::string binding_name(const DimNode& node) {
  if (const DimVar* var = node.as_var()) return var->name;
  const DimAtom* atom = node.as_atom();
  TF_CHECK(atom != nullptr, "a dimension that is no atom has no binding");
  // No identifier contains '%'.
  return fmt::format("%{}", atom->dim_serial());
}

std::int64_t extent_under(const Dim& dim, const DimBindings& dims) {
  if (dim.is_static()) return dim.value();
  const Dim value = substitute(dim, [&](const Ref<const DimNode>& node) -> Dim {
    const auto it = dims.find(binding_name(*node));
    if (it != dims.end()) return it->second;
    fail("TF6011",
         fmt::format("the extent {} is not determined: {} has no value", dim.text(),
                     Dim(node).text()),
         "give some parameter the bare dimension as an extent");
  });
  TF_CHECK(value.is_static(), "a dimension stays symbolic under its bindings");
  return value.value();
}

DimBindings bind_parameters(const std::vector<Parameter>& params,
                            const std::vector<HostValue>& values, const DimBindings& outer) {
  TF_CHECK(params.size() == values.size(), "values and parameters differ in number");
  std::vector<Leaf> leaves;
  for (std::size_t i = 0; i < params.size(); ++i) {
    collect_leaves(params[i], params[i].type, values[i], leaves);
  }
  DimBindings dims;
  for (const Leaf& leaf : leaves) {
    check_form(leaf);
    for (std::size_t axis = 0; axis < leaf.type->rank(); ++axis) bind_dimension(leaf, axis, dims);
  }
  for (std::size_t i = 0; i < params.size(); ++i) {
    const TensorType* type = as_tensor(params[i].type);
    if (params[i].var == nullptr || type == nullptr || type->rank() != 0 ||
        !type->dtype().is_integer()) {
      continue;
    }
    dims[binding_name(*params[i].var->dim().node())] = values[i].tensor().int_at(0);
  }
  dims.insert(outer.begin(), outer.end());
  for (const Leaf& leaf : leaves) check_extents(leaf, dims);
  return dims;
}

}  // namespace tilefoundry
