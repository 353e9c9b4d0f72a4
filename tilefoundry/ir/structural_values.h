// Comparison of the values that nodes hold, under a correspondence of variables.
#pragma once

#include <optional>
#include <string>
#include <unordered_map>

#include "tilefoundry/ir/structural.h"

namespace tilefoundry {

// Which variable of the second program stands for one of the first.
class VarPairs {
 public:
  void bind(const VarRef& a, const VarRef& b);
  // Unbound variables correspond to themselves.
  bool same_var(const Var& a, const Var& b) const;
  bool same_dim(const Dim& a, const Dim& b) const;
  bool same_shape(const Shape& a, const Shape& b) const;
  bool same_layout(const LayoutRef& a, const LayoutRef& b) const;
  bool same_type(const TypeRef& a, const TypeRef& b);
  bool same_attr(const AttrValue& a, const AttrValue& b);

 private:
  Dim translated(const Dim& dim) const;
  bool reads_scalars(const TypeRef& type);

  std::unordered_map<const Var*, VarRef> pairs_;
  std::unordered_map<const Var*, const Var*> back_;
  std::unordered_map<const Type*, bool> reads_scalars_;
};

// Which part of two different types differs: {"type / shape", "(4,) versus (8,)"}.
Difference type_difference(const TypeRef& a, const TypeRef& b);
// Short text for messages.
std::string attr_brief(const AttrValue& value);
std::string versus(const std::string& a, const std::string& b);

}  // namespace tilefoundry
