// The text of types, layouts and attribute values: expressions of the language.
//
// Canonical text reads back to the same object; compact text is for labels only.
#pragma once

#include <functional>
#include <string>
#include <string_view>

#include "tilefoundry/ir/attr.h"
#include "tilefoundry/types/type.h"

namespace tilefoundry {

// What a surrounding print decides: how names are spelled. Every part may be left empty.
struct TextContext {
  // A DimVar or a run-time scalar; empty: its own name.
  std::function<std::string(const DimNode&)> atom_name;
  // A mesh with a definition elsewhere; empty, or an empty answer: the mesh in full.
  std::function<std::string(const MeshRef&)> mesh_name;
  // How a public name of the language ("Tensor", "Layout") is spelled; empty: as it is.
  std::function<std::string(std::string_view)> public_name;
};

// `Tensor[(4, 64), "f32", Layout(...), "smem"]`, `Tuple[...]`, `None` for no value.
std::string type_text(const TypeRef& type, const TextContext& context = {});
// `head` stands for Tensor: "ConstTensor" in the annotation of a weight.
std::string tensor_text(const TensorType& type, std::string_view head, const TextContext& context);
// `bf16[4, 64] @smem`; the canonical text when a layout has no compact form.
std::string compact_type_text(const TypeRef& type, const TextContext& context = {});

std::string dim_text(const Dim& dim, const TextContext& context);
// "(4, S)", "(4,)", "()".
std::string dims_text(const Shape& shape, const TextContext& context);
// The one place that chooses between sugar and the verbose form of a layout.
std::string layout_text(const LayoutRef& layout, const TextContext& context = {});
// The definition of a mesh, `Mesh(topologies=..., layout=..., names=...)`.
std::string mesh_text(const Mesh& mesh, const TextContext& context = {});
std::string topologies_text(const Topologies& topologies, const TextContext& context = {});

// A float64 as an expression that reads back to the same bits: `float("nan")` where there is no
// literal.
std::string float_expression(double value);
// An attribute value as it stands behind `name=`.
std::string attr_text(const AttrValue& value, const TextContext& context = {});

}  // namespace tilefoundry
