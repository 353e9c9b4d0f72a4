// The parts of the Python module.
#pragma once

#include <nanobind/nanobind.h>

namespace tilefoundry::python {

// Failures of the core become the exception classes of tilefoundry.errors, with their diagnostics.
void bind_errors(nanobind::module_& module);
// RuntimeModule and calls with borrowed arrays.
void bind_runtime(nanobind::module_& module);

}  // namespace tilefoundry::python
