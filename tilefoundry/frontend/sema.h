// What the steps from syntax tree to IR share: one file's tree, its diagnostics, its op names.
#pragma once

#include <memory>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "tilefoundry/frontend/syntax.h"
#include "tilefoundry/ir/op_class.h"
#include "tilefoundry/ops/function_call.h"
#include "tilefoundry/support/diagnostic_sink.h"

namespace tilefoundry {

// A name of an op with its candidates, in resolution order.
struct OpGroup {
  Dialect dialect;
  std::string name;
  std::vector<OpCandidate> candidates;
};

// Thrown where a value is used whose definition was refused before; reports nothing.
struct PoisonedUse {};

// Throws ParseError.
[[noreturn]] void refuse(const char* code, Span span, std::string message, std::string hint = "");

class Sema {
 public:
  Sema(const SyntaxTree& tree, DiagnosticSink& sink) : tree_(tree), sink_(sink) {}
  Sema(const Sema&) = delete;
  Sema& operator=(const Sema&) = delete;

  const SyntaxTree& tree() const noexcept { return tree_; }
  DiagnosticSink& sink() noexcept { return sink_; }
  Span span(const ExprSyntax& node) const { return tree_.span(node); }
  Span span(const StmtSyntax& node) const { return tree_.span(node); }
  Span span(TextRange range) const { return tree_.span(range); }

  // The ops of a DSL name, else the op of a class name in CamelCase; null when there is neither.
  const OpGroup* op_group(Dialect dialect, std::string_view name);

  // The memo of elaborated callees of the Modules of this file.
  FunctionInstances& instances() noexcept { return instances_; }

  // Inside a catch block: reports the Error that is being handled, giving `place` to diagnostics
  // without one. Swallows PoisonedUse; anything else is thrown again.
  void report_current(const Span& place);

 private:
  const SyntaxTree& tree_;
  DiagnosticSink& sink_;
  FunctionInstances instances_;
  std::unordered_map<std::string, std::unique_ptr<const OpGroup>> groups_[2];
};

// "did you mean 'x'?", or nothing.
std::string did_you_mean(std::string_view word, const std::vector<std::string>& candidates);

}  // namespace tilefoundry
