// Diagnostics, the exceptions that carry them, and their renderings.
//
// A user-facing failure is an exception of a named class that carries at least one Diagnostic.
// A broken invariant of the compiler itself is an `InternalError`, thrown by `TF_CHECK`.
#pragma once

#include <exception>
#include <string>
#include <string_view>
#include <vector>

#include "tilefoundry/support/source.h"

namespace tilefoundry {

enum class Severity { error, warning, note };

struct DiagnosticNote {
  std::string message;
  Span span;
};

struct Diagnostic {
  std::string code;  // stable, "TF1203"
  std::string message;
  Span span;
  std::vector<DiagnosticNote> notes;
  std::string hint;  // what to write instead; empty when there is nothing useful to say
  Severity severity = Severity::error;
};

struct RenderOptions {
  bool color = false;
  bool unicode = true;
};

// "file:line:col: error[TF1203]: message", the source line with a caret, notes and the hint.
// Ends with a newline.
std::string render(const Diagnostic& diagnostic, const RenderOptions& options = {});

// One JSON object per diagnostic: code, severity, message, hint, file, line, column, end_line,
// end_column, notes. The array is `{"schema": "tilefoundry.diagnostics", "schema_version": 1,
// ...}`.
std::string diagnostics_json(const std::vector<Diagnostic>& diagnostics);

// Base of every failure that a user can cause.
class Error : public std::exception {
 public:
  explicit Error(Diagnostic diagnostic);
  // The first is the one that is raised; `diagnostics` is not empty.
  explicit Error(std::vector<Diagnostic> diagnostics);

  const std::vector<Diagnostic>& diagnostics() const noexcept { return diagnostics_; }
  const Diagnostic& diagnostic() const noexcept { return diagnostics_.front(); }
  // The rendered text of all diagnostics.
  const char* what() const noexcept override { return text_.c_str(); }
  // The class name shown to users, "VerifyError".
  virtual std::string_view class_name() const noexcept { return "Error"; }
  // Throws a copy of the same class with other diagnostics.
  [[noreturn]] virtual void raise(std::vector<Diagnostic> diagnostics) const;

 private:
  std::vector<Diagnostic> diagnostics_;
  std::string text_;
};

template <class Derived, class Base = Error>
class NamedError : public Base {
 public:
  using Base::Base;
  std::string_view class_name() const noexcept override { return Derived::kName; }
  [[noreturn]] void raise(std::vector<Diagnostic> diagnostics) const override {
    throw Derived(std::move(diagnostics));
  }
};

// The text is not a program of the language.
class ParseError : public NamedError<ParseError> {
 public:
  static constexpr std::string_view kName = "ParseError";
  using NamedError::NamedError;
};
// A node breaks a rule of the IR: typing, verification, sharding.
class VerifyError : public NamedError<VerifyError> {
 public:
  static constexpr std::string_view kName = "VerifyError";
  using NamedError::NamedError;
};
// Registered twice, a key of the wrong kind, an unknown op or target name.
class RegistryError : public NamedError<RegistryError> {
 public:
  static constexpr std::string_view kName = "RegistryError";
  using NamedError::NamedError;
};
// A pass, a pipeline or a public verb refuses its input.
class PassError : public NamedError<PassError> {
 public:
  static constexpr std::string_view kName = "PassError";
  using NamedError::NamedError;
};
// Code generation refuses a program.
class CodegenError : public NamedError<CodegenError> {
 public:
  static constexpr std::string_view kName = "CodegenError";
  using NamedError::NamedError;
};
// A compiler, a linker or another tool of this machine is missing or failed.
class ToolchainError : public NamedError<ToolchainError> {
 public:
  static constexpr std::string_view kName = "ToolchainError";
  using NamedError::NamedError;
};
// A call of a compiled module or of the evaluator with unfit arguments.
class CallError : public NamedError<CallError> {
 public:
  static constexpr std::string_view kName = "CallError";
  using NamedError::NamedError;
};
// A value (dimension, layout, dtype name) cannot be built as asked.
class ValueError : public NamedError<ValueError> {
 public:
  static constexpr std::string_view kName = "ValueError";
  using NamedError::NamedError;
};
// A file cannot be read or written.
class FileError : public NamedError<FileError> {
 public:
  static constexpr std::string_view kName = "FileError";
  using NamedError::NamedError;
};

// A broken invariant of the compiler. User input never reaches one.
class InternalError : public std::exception {
 public:
  InternalError(const char* file, int line, const std::string& message);
  const char* what() const noexcept override { return text_.c_str(); }

 private:
  std::string text_;
};

[[noreturn]] void internal_error(const char* file, int line, const std::string& message);

}  // namespace tilefoundry

// Checks an invariant of the compiler; never for conditions that user input can break.
#define TF_CHECK(condition, message)                                              \
  do {                                                                            \
    if (!(condition)) ::tilefoundry::internal_error(__FILE__, __LINE__, message); \
  } while (false)
