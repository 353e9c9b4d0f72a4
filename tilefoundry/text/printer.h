// The printer: IR as source text of the language (design 3, inspection seed 2).
//
// Canonical text loads again as a structurally equal program, and printing that gives the same
// text. Linear in the size of the program; no recursion on the depth of a graph.
#pragma once

#include <string>

#include "tilefoundry/ir/module.h"

namespace tilefoundry {

struct PythonPrintOptions {
  // Appends each value's type as a comment to its line; the code stays as it is.
  bool show_types = false;
};

// All of them throw ValueError for what the language cannot say: TF3070 a constant that is no
// scalar of an arithmetic dtype, TF3071 a name that a parameter hides, TF3072 a Module of both
// dialects, TF3073 a call of a child Module in a function printed alone, TF3074 other nodes.

// Imports, the functions that `fn` calls, and `fn` itself.
std::string hir_function_to_python(const FunctionRef& fn, const PythonPrintOptions& options = {});
std::string prim_function_to_python(const PrimFunctionRef& fn,
                                    const PythonPrintOptions& options = {});

// A function, or with `module_name` a `@module()` class of that name that holds it (and the
// functions it calls, with `fn` as the entry).
std::string as_script(const FunctionRef& fn, const std::string& module_name = "",
                      const PythonPrintOptions& options = {});
// The whole tree, of one dialect.
std::string as_script(const ModuleRef& module, const PythonPrintOptions& options = {});
std::string module_to_python(const FunctionRef& fn, const std::string& module_name = "M");

// A Module of either or both dialects, each function in its own: dumps and reproducers.
std::string print_module_text(const ModuleRef& module, const PythonPrintOptions& options = {});

}  // namespace tilefoundry
