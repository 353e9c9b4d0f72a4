#include "tilefoundry/cli/run_inputs.h"

#include <algorithm>
#include <cmath>
#include <cstring>

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include "tilefoundry/runtime/npy.h"
#include "tilefoundry/support/diagnostic.h"
#include "tilefoundry/support/text.h"

namespace tilefoundry::cli {

RunProgram run_program(const Selection& selection) {
  RunProgram program;
  CallableRef entry = selection.function;
  if (!entry) entry = selection.module->entry_function();
  const Function* function = entry ? as_function(*entry) : nullptr;
  if (function == nullptr) {
    throw CallError(Diagnostic{
        .code = "TF6301",
        .message =
            fmt::format("Module {} has no HIR entry function to run", selection.module->name()),
        .span = selection.module->meta().span,
        .hint =
            "declare one with @module(entry=\"...\") or select a function: FILE:MODULE.FUNCTION"});
  }
  program.function = FunctionRef(function);
  program.module = selection.module;
  if (!program.module->entry() || *program.module->entry() != function->name()) {
    ModuleParts parts = program.module->parts();
    parts.entry = function->name();
    program.module = Module::make(std::move(parts));
  }
  const auto add = [&](const std::string& name, const TypeRef& type) {
    program.inputs.push_back({name, static_ref_cast<TensorType>(type)});
  };
  for (const VarRef& param : function->params()) add(param->name(), param->type());
  for (const TreeWeight& weight : tree_weights(*program.module, *function)) {
    add(weight.path, weight.param->type());
  }
  return program;
}

DimSubstitution RunProgram::substitution(const std::vector<HostArray>& values) const {
  std::map<std::string, std::int64_t> extents;
  for (std::size_t i = 0; i < inputs.size() && i < values.size(); ++i) {
    const Shape& shape = inputs[i].type->shape();
    for (std::size_t axis = 0; axis < shape.size() && axis < values[i].shape.size(); ++axis) {
      const DimVar* var = shape[axis].node() ? shape[axis].node()->as_var() : nullptr;
      if (var != nullptr) extents[var->name] = values[i].shape[axis];
    }
  }
  return [extents](const Ref<const DimNode>& node) {
    const DimVar* var = node->as_var();
    const auto it = var != nullptr ? extents.find(var->name) : extents.end();
    return it != extents.end() ? Dim(it->second) : Dim(node);
  };
}

namespace {

// The extent of a dimension for random inputs: what --dim says, else the middle of its range, kept
// small.
std::int64_t chosen_extent(const DimVar& var, const Options& options) {
  const auto it = options.dims.find(var.name);
  if (it != options.dims.end()) {
    if (it->second < var.lo || it->second >= var.hi) {
      throw CallError(Diagnostic{
          .code = "TF6206",
          .message = fmt::format("dimension {} is {}, outside its range [{}, {})", var.name,
                                 it->second, var.lo, var.hi),
          .hint = fmt::format("give --dim {}=N with {} <= N < {}", var.name, var.lo, var.hi)});
    }
    return it->second;
  }
  return std::min(var.hi - 1, std::max<std::int64_t>(var.lo, 128));
}

std::vector<std::int64_t> random_shape(const RunProgram::Input& input, const Options& options) {
  std::vector<std::int64_t> shape;
  for (const Dim& extent : input.type->shape()) {
    const Dim bound = substitute(extent, [&](const Ref<const DimNode>& node) {
      const DimVar* var = node->as_var();
      return var != nullptr ? Dim(chosen_extent(*var, options)) : Dim(node);
    });
    shape.push_back(bound.value());
  }
  return shape;
}

bool random_inputs(const Options& options) {
  return options.inputs.size() == 1 && options.inputs.front() == "random";
}

// A range is for integers, and holds one.
void check_range(const RunProgram& program, const std::string& name, const IntegerRange& range) {
  for (const RunProgram::Input& input : program.inputs) {
    const DType dtype = input.type->dtype();
    if (input.name != name || (dtype.is_integer() && range.lo < range.hi)) continue;
    throw CallError(Diagnostic{
        .code = "TF6304",
        .message = dtype.is_integer()
                       ? fmt::format("--range {}={}:{} holds no integer", name, range.lo, range.hi)
                       : fmt::format("--range names {}, whose dtype is {}", name, dtype.name()),
        .hint = dtype.is_integer() ? "LO must be below HI, which is not part of the range"
                                   : "random floats are N(0, 1); only integers take a range"});
  }
}

void check_names(const RunProgram& program, const Options& options) {
  if (!random_inputs(options) && (!options.dims.empty() || !options.ranges.empty())) {
    throw CallError(
        Diagnostic{.code = "TF6303",
                   .message = fmt::format("{} is for random inputs, and files are given",
                                          options.dims.empty() ? "--range" : "--dim"),
                   .hint = "leave it out, or give --inputs random"});
  }
  std::vector<std::string> names;
  std::vector<std::string> dims;
  for (const RunProgram::Input& input : program.inputs) {
    names.push_back(input.name);
    for (const Dim& extent : input.type->shape()) {
      for_each_dim_atom(extent, [&](const DimNode& node) {
        const DimVar* var = node.as_var();
        if (var == nullptr || std::find(dims.begin(), dims.end(), var->name) != dims.end()) return;
        dims.push_back(var->name);
      });
    }
  }
  const auto known = [](const std::vector<std::string>& list, const std::string& name,
                        const char* option, const char* what) {
    if (std::find(list.begin(), list.end(), name) != list.end()) return;
    throw CallError(Diagnostic{
        .code = "TF6302",
        .message = fmt::format("{} names {}, which is no {} of the program", option, name, what),
        .hint = list.empty() ? ""
                             : (list.size() == 1 ? "there is " : "there are ") + join(list, ", ")});
  };
  for (const auto& [name, extent] : options.dims) known(dims, name, "--dim", "dimension");
  for (const auto& [name, range] : options.ranges) {
    known(names, name, "--range", "input");
    check_range(program, name, range);
  }
}

}  // namespace

std::vector<HostArray> run_inputs(const RunProgram& program, const Options& options) {
  check_names(program, options);
  std::vector<HostArray> arrays;
  if (random_inputs(options)) {
    for (std::size_t i = 0; i < program.inputs.size(); ++i) {
      const RunProgram::Input& input = program.inputs[i];
      const auto range = options.ranges.find(input.name);
      arrays.push_back(
          random_array(std::string(input.type->dtype().name()), random_shape(input, options),
                       options.seed, static_cast<std::uint32_t>(i),
                       range != options.ranges.end() ? range->second : IntegerRange{}));
    }
    return arrays;
  }
  if (options.inputs.size() != program.inputs.size()) {
    std::vector<std::string> names;
    for (const RunProgram::Input& input : program.inputs) names.push_back(input.name);
    throw CallError(Diagnostic{
        .code = "TF6201",
        .message = fmt::format("{} takes {}, got {}", program.function->name(),
                               counted(program.inputs.size(), "input"),
                               counted(options.inputs.size(), "file")),
        .hint = "give one .npy file for each of " + join(names, ", ") + ", or `random`"});
  }
  for (const std::string& path : options.inputs) arrays.push_back(read_npy(path));
  return arrays;
}

HostTensor to_host_tensor(const HostArray& array) {
  HostTensor tensor(DType::from_name(array.dtype), array.shape);
  std::memcpy(tensor.mutable_data(), array.buffer.data(), tensor.byte_size());
  return tensor;
}

HostArray to_host_array(const HostTensor& tensor) {
  HostArray array = HostArray::make(std::string(tensor.dtype().name()), tensor.shape());
  std::memcpy(array.buffer.data(), tensor.data(), tensor.byte_size());
  return array;
}

void flatten(const HostValue& value, std::vector<HostTensor>& leaves) {
  if (value.is_tensor()) {
    leaves.push_back(value.tensor());
    return;
  }
  for (const HostValue& field : value.fields()) flatten(field, leaves);
}

nlohmann::ordered_json json_number(double value) {
  if (std::isfinite(value)) return value;
  return float_text(value);
}

}  // namespace tilefoundry::cli
