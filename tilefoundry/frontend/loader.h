// The native door: a file's text to the Modules and functions that it defines, without Python.
#pragma once

#include <string_view>
#include <vector>

#include "tilefoundry/ir/module.h"
#include "tilefoundry/support/source.h"

namespace tilefoundry {

struct LoadedFile {
  Ref<const SourceBuffer> source;
  // In the order of the file; a later definition of a name replaces an earlier one.
  std::vector<ModuleRef> modules;
  std::vector<FunctionRef> functions;           // bare ones
  std::vector<PrimFunctionRef> prim_functions;  // bare ones
};

// Reads, checks and types a whole file. Throws the class of the first error, with every independent
// error of the file (up to 20) in its diagnostics: ParseError, VerifyError, ValueError.
// A file that defines neither a Module nor a function is an error too (TF2090).
LoadedFile load_source(const Ref<const SourceBuffer>& source);

struct Selection {
  // A bare function is wrapped, with the functions that it calls, in a Module named after it.
  ModuleRef module;
  // The function to work on: the one that was named, else the Module's entry; null when a Module
  // decides on none.
  CallableRef function;
  // The target that the Module declares or inherits from its owners in the file, or null.
  TargetRef target;
};

// `selector` names a Module of the file, then child Modules by dots, then a function; or a bare
// function. Empty: the file's last Module, else its only function. Throws ParseError (TF2091) for
// a name that is not there and TF2092 when an empty one does not decide.
Selection select(const LoadedFile& file, std::string_view selector);

}  // namespace tilefoundry
