// The Python module `tilefoundry._core`: bindings only, no logic.
#include <string>
#include <vector>

#include <nanobind/nanobind.h>
#include <nanobind/stl/shared_ptr.h>
#include <nanobind/stl/string.h>
#include <nanobind/stl/vector.h>

#include "bindings.h"
#include "tilefoundry/driver/driver.h"
#include "tilefoundry/evaluate/evaluator.h"
#include "tilefoundry/frontend/loader.h"
#include "tilefoundry/support/files.h"
#include "tilefoundry/support/version.h"
#include "tilefoundry/text/printer.h"

namespace nb = nanobind;

namespace tilefoundry::python {
namespace {

// Handles keep the core's objects alive while Python holds them.
struct ModuleHandle {
  ModuleRef module;
};
struct FunctionHandle {
  ModuleRef module;
  FunctionRef function;
};

ModuleHandle parse_text(const std::string& text, const std::string& name,
                        const std::string& selector) {
  const nb::gil_scoped_release unlocked;
  const auto buffer = make_ref<SourceBuffer>(name, text);
  return {select(load_source(buffer), selector).module};
}

ModuleHandle parse_path(const std::string& path, const std::string& selector) {
  std::string text;
  {
    const nb::gil_scoped_release unlocked;
    text = read_file(path);
  }
  return parse_text(text, path, selector);
}

FunctionHandle entry_of(const ModuleHandle& handle) {
  const CallableRef entry = handle.module->entry_function();
  const Function* function = entry ? as_function(*entry) : nullptr;
  if (function == nullptr) throw nb::value_error("the Module has no HIR entry function");
  return {handle.module, FunctionRef(function)};
}

// Arrays travel as (dtype, shape, bytes).
nb::object to_python(const HostValue& value) {
  if (value.is_tensor()) {
    const HostTensor& tensor = value.tensor();
    nb::list shape;
    for (const std::int64_t extent : tensor.shape()) shape.append(extent);
    return nb::make_tuple(std::string(tensor.dtype().name()), nb::tuple(shape),
                          nb::bytes(tensor.data(), tensor.byte_size()));
  }
  nb::list fields;
  for (const HostValue& field : value.fields()) fields.append(to_python(field));
  return fields;
}

nb::object evaluate_function(const FunctionHandle& handle, const nb::list& arrays) {
  std::vector<HostTensor> inputs;
  for (const nb::handle item : arrays) {
    const auto entry = nb::cast<nb::tuple>(item);
    const auto bytes = nb::cast<nb::bytes>(entry[2]);
    const auto* data = reinterpret_cast<const std::byte*>(bytes.c_str());
    inputs.emplace_back(DType::from_name(nb::cast<std::string>(entry[0])),
                        nb::cast<std::vector<std::int64_t>>(entry[1]),
                        std::vector<std::byte>(data, data + bytes.size()));
  }
  HostValue value;
  {
    const nb::gil_scoped_release unlocked;
    value = evaluate(handle.module, *handle.function, inputs);
  }
  return to_python(value);
}

}  // namespace

NB_MODULE(_core, module) {
  module.attr("__version__") = std::string(version());
  bind_errors(module);
  bind_runtime(module);
  nb::class_<ModuleHandle>(module, "Module")
      .def_prop_ro("name", [](const ModuleHandle& handle) { return handle.module->name(); })
      .def_prop_ro("entry", &entry_of)
      .def("__repr__", [](const ModuleHandle& handle) {
        return "<tilefoundry.Module " + handle.module->name() + ">";
      });
  nb::class_<FunctionHandle>(module, "Function")
      .def_prop_ro("name", [](const FunctionHandle& handle) { return handle.function->name(); })
      .def("__repr__", [](const FunctionHandle& handle) {
        return "<tilefoundry.Function " + handle.function->name() + ">";
      });
  module.def("parse_text", &parse_text);
  module.def("parse_path", &parse_path);
  module.def("as_script", [](const ModuleHandle& handle) {
    const nb::gil_scoped_release unlocked;
    return as_script(handle.module);
  });
  module.def("evaluate", &evaluate_function);
  module.def("compile", [](const ModuleHandle& handle) {
    const nb::gil_scoped_release unlocked;
    return std::const_pointer_cast<RuntimeModule>(compile(handle.module));
  });
}

}  // namespace tilefoundry::python
