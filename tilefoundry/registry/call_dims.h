// What the dimensions of a callee's parameters are at one call.
#pragma once

#include <map>
#include <string>

#include "tilefoundry/types/type.h"

namespace tilefoundry {

class CallDims {
 public:
  // Takes every DimVar that stands as a bare extent of a parameter from the argument. False when
  // the ranks differ or one DimVar would get two values.
  bool bind(const TypeRef& parameter, const TypeRef& argument);

  // Null when the call does not bind it.
  const Dim* find(const std::string& dim_var) const;
  // The callee's dimensions as the caller has them; what is not bound stays.
  TypeRef apply(const TypeRef& type) const;
  Dim apply(const Dim& dim) const;

 private:
  std::map<std::string, Dim> dims_;
};

// Whether arguments of the types `arguments` fit parameters of the types `parameters` exactly, the
// dimensions of the parameters being what the arguments make them.
bool call_types_fit(const std::vector<TypeRef>& parameters, const std::vector<TypeRef>& arguments);

}  // namespace tilefoundry
