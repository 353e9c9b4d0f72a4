// Binding of values to a function's parameters: checks, and the dimensions that they decide.
#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <vector>

#include "tilefoundry/evaluate/host_tensor.h"
#include "tilefoundry/ir/expr.h"

namespace tilefoundry {

using DimBindings = std::map<std::string, std::int64_t>;

// The name of a run-time scalar or DimVar in the bindings.
std::string binding_name(const DimNode& node);
// The value of a dimension; CallError (TF6011) names an atom without a binding.
std::int64_t extent_under(const Dim& dim, const DimBindings& dims);

struct Parameter {
  std::string name;  // as a user knows it: "x", "up.weight"
  TypeRef type;
  const Var* var;
};
// Checks every value against its parameter's type and binds the DimVars and integer scalars;
// `outer` answers for dimensions that no parameter decides. CallError: TF6013 (dtype), TF6014
// (rank), TF6015 (extent), TF6016 (disagreement), TF6017 (range), TF6018 (tuple against tensor).
DimBindings bind_parameters(const std::vector<Parameter>& params,
                            const std::vector<HostValue>& values, const DimBindings& outer);

}  // namespace tilefoundry
