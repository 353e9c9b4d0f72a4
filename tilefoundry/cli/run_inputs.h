// The inputs of `run`: random ones, or files; and conversions between the runtime's arrays and the
// interpreter's tensors.
#pragma once

#include <vector>

#include <nlohmann/json_fwd.hpp>

#include "tilefoundry/cli/command.h"
#include "tilefoundry/evaluate/host_tensor.h"
#include "tilefoundry/ir/module.h"
#include "tilefoundry/runtime/host_array.h"

namespace tilefoundry::cli {

// What `run` calls: an HIR function of a module, with its own parameters and the weights below.
struct RunProgram {
  ModuleRef module;  // its entry is `function`
  FunctionRef function;
  struct Input {
    std::string name;
    TensorTypeRef type;
  };
  std::vector<Input> inputs;

  // Dimensions as the extents of the given inputs.
  DimSubstitution substitution(const std::vector<HostArray>& values) const;
};

// CallError TF6301 when the selection has no entry or it is not an HIR function.
RunProgram run_program(const Selection& selection);
// Random values or the files of --inputs. Checks counts; shapes are checked by the call.
std::vector<HostArray> run_inputs(const RunProgram& program, const Options& options);

HostTensor to_host_tensor(const HostArray& array);
HostArray to_host_array(const HostTensor& tensor);
void flatten(const HostValue& value, std::vector<HostTensor>& leaves);
// Numbers that JSON cannot hold become strings.
nlohmann::ordered_json json_number(double value);

}  // namespace tilefoundry::cli
