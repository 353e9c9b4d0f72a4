#include <exception>
#include <string>

#include <nanobind/stl/string.h>

#include "bindings.h"
#include "tilefoundry/runtime/interrupt.h"
#include "tilefoundry/support/diagnostic.h"

namespace nb = nanobind;

namespace tilefoundry::python {
namespace {

nb::dict as_dict(const Diagnostic& diagnostic) {
  nb::dict out;
  out["code"] = diagnostic.code;
  out["message"] = diagnostic.message;
  out["hint"] = diagnostic.hint;
  if (diagnostic.span) {
    const auto place = diagnostic.span.buffer->position(diagnostic.span.begin);
    out["file"] = diagnostic.span.buffer->name();
    out["line"] = place.line;
    out["column"] = place.column;
  }
  return out;
}

void raise_error(const Error& error) {
  nb::list diagnostics;
  for (const Diagnostic& diagnostic : error.diagnostics()) diagnostics.append(as_dict(diagnostic));
  const nb::object classes = nb::module_::import_("tilefoundry.errors");
  const std::string name(error.class_name());
  const nb::object cls = nb::getattr(classes, name.c_str(), classes.attr("Error"));
  PyErr_SetObject(cls.ptr(), cls(error.what(), diagnostics).ptr());
}

// Asked while a compiler runs: whether the interpreter wants to stop. Its exception stays set.
bool python_interrupt() {
  const nb::gil_scoped_acquire locked;
  return PyErr_CheckSignals() != 0;
}

}  // namespace

void bind_errors(nb::module_&) {
  set_interrupt_probe(&python_interrupt);
  nb::register_exception_translator([](const std::exception_ptr& pointer, void*) {
    try {
      std::rethrow_exception(pointer);
    } catch (const Error& error) {
      raise_error(error);
    } catch (const Interrupted&) {
      if (PyErr_Occurred() == nullptr) PyErr_SetNone(PyExc_KeyboardInterrupt);
    } catch (const InternalError& error) {
      const nb::object classes = nb::module_::import_("tilefoundry.errors");
      PyErr_SetString(classes.attr("InternalError").ptr(), error.what());
    }
  });
}

}  // namespace tilefoundry::python
