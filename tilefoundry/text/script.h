// One file of printed text: its imports, its declarations and how global names are spelled in it.
#pragma once

#include <map>
#include <set>
#include <string>
#include <unordered_map>

#include "tilefoundry/text/names.h"
#include "tilefoundry/text/printer.h"
#include "tilefoundry/text/program_scan.h"
#include "tilefoundry/text/type_text.h"

namespace tilefoundry {

// Names that one function gives to what is visible in it.
struct FunctionNames {
  NameSet params;  // as printed
  std::unordered_map<const Var*, std::string> vars;
};

class Script {
 public:
  explicit Script(const PythonPrintOptions& options) : options_(options) {}

  const PythonPrintOptions& options() const noexcept { return options_; }

  // Before the first line: everything that will be printed.
  ProgramScan& scan() noexcept { return scan_; }
  // A name at file or class level for a function or a class: its own where it can stand.
  // `taken` are the names of its neighbours.
  std::string define(const std::string& name, NameSet& taken);
  const NameSet& defined() const noexcept { return defined_; }
  // Fixes the names of dimensions and meshes. Nothing is scanned or defined afterwards.
  void settle();

  // A public name of the language ("Tensor"), imported on first use.
  std::string use(std::string_view public_name);
  void import_name(const std::string& module, const std::string& name);
  // How a call of `op` with `args` is written in a function: `add`, `tf.exp`, `T.copy`.
  std::string op_name(const Op& op, const std::vector<ExprRef>& args, const FunctionNames& names);
  // `names` null: outside of functions.
  TextContext context(const FunctionNames* names);
  // What a local name of a function of this dialect may not be.
  const NameSet& avoided(Dialect dialect);

  std::string body;  // classes and functions, appended by the printers
  // Header, declarations and body.
  std::string text();

 private:
  std::string local_spelling(const std::string& name) const;
  std::string op_spelling(const Op& op, const std::vector<ExprRef>& args);
  void settle_declarations();

  PythonPrintOptions options_;
  ProgramScan scan_;
  NameSet defined_;  // functions, classes
  NameSet globals_;  // dimensions and meshes
  std::unordered_map<const DimNode*, std::string> dim_names_;
  std::unordered_map<const Mesh*, std::string> mesh_names_;
  std::map<std::string, std::set<std::string>> imports_;  // module to what is imported
  std::set<std::string> providers_;
  std::string declarations_;
  std::unordered_set<const void*> plain_ops_;  // aliases and classes whose name means only them
  NameSet avoided_[2];
  bool avoided_known_[2] = {false, false};
};

// A refusal of the printer.
[[noreturn]] void refuse_print(const char* code, const std::string& message, const Span& span,
                               const std::string& hint = "");

}  // namespace tilefoundry
