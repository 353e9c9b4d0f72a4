#include "tilefoundry/frontend/loader.h"

#include <algorithm>
#include <utility>

#include <fmt/format.h>

#include "tilefoundry/frontend/definitions.h"
#include "tilefoundry/frontend/parser.h"
#include "tilefoundry/frontend/prim_body.h"
#include "tilefoundry/frontend/public_names.h"
#include "tilefoundry/frontend/refusals.h"
#include "tilefoundry/ir/hir/dispatch.h"
#include "tilefoundry/support/text.h"

namespace tilefoundry {
namespace {

constexpr std::string_view kPythonDoor = "the Python door loads such files: import it from Python";

class FileLoader {
 public:
  FileLoader(Sema& sema, LoadedFile& file) : sema_(sema), file_(file), scope_(nullptr) {}

  void run() {
    const SyntaxBlock body = sema_.tree().statements();
    announce_definitions(sema_, body, scope_);
    site_ = {&scope_, nullptr, nullptr, body, &prim_functions_};
    for (const StmtSyntax* stmt : body) {
      if (sema_.sink().full()) return;
      try {
        statement(*stmt);
      } catch (...) {
        for_each_bound_name(*stmt,
                            [&](std::string_view name) { scope_.bind(name, PoisonedValue{}); });
        sema_.report_current(sema_.span(*stmt));
      }
    }
    if (!sema_.sink().has_errors()) verify();
  }

 private:
  // What can be checked only when every callee is known.
  void verify() {
    for (const FunctionRef& function : file_.functions) {
      if (function->variants().empty()) continue;
      try {
        check_partition(*function, function->meta().span);
      } catch (...) {
        sema_.report_current(function->meta().span);
      }
    }
    for (const ModuleRef& module : file_.modules) {
      verify_prim_functions(sema_, module, module->meta().span);
    }
    if (file_.prim_functions.empty()) return;
    ModuleParts parts;
    parts.name = "file";
    for (const PrimFunctionRef& function : file_.prim_functions) {
      parts.functions.emplace_back(function);
    }
    verify_prim_functions(sema_, Module::make(std::move(parts)), Span{file_.source, 0, 0});
  }

  void statement(const StmtSyntax& stmt) {
    switch (stmt.kind) {
      case StmtSyntaxKind::import_statement: return import(*stmt.as<ImportSyntax>());
      case StmtSyntaxKind::import_from: return import_from(*stmt.as<ImportFromSyntax>());
      case StmtSyntaxKind::function: {
        const auto& function = *stmt.as<FunctionSyntax>();
        return define(function.name.text, define_function(sema_, function, site_));
      }
      case StmtSyntaxKind::class_definition: {
        const auto& cls = *stmt.as<ClassSyntax>();
        return define(cls.name.text, define_class(sema_, cls, site_));
      }
      case StmtSyntaxKind::assign: return assign(*stmt.as<AssignSyntax>());
      case StmtSyntaxKind::annotated_assign: {
        const auto& annotated = *stmt.as<AnnotatedAssignSyntax>();
        if (annotated.value != nullptr) return bind(*annotated.target, evaluate(*annotated.value));
        return;
      }
      case StmtSyntaxKind::pass_statement: return;
      case StmtSyntaxKind::if_statement:
        if (is_main_guard(*stmt.as<IfSyntax>())) return;
        break;
      case StmtSyntaxKind::expression:
        if (is_docstring(stmt)) return;
        break;
      default: break;
    }
    refuse("TF2100", sema_.span(stmt),
           fmt::format("{} cannot stand in a file that is loaded without Python",
                       statement_words(stmt)),
           std::string(kPythonDoor));
  }

  Value evaluate(const ExprSyntax& node) { return Evaluator(sema_, scope_).evaluate(node); }

  void assign(const AssignSyntax& stmt) {
    const Value value = evaluate(*stmt.value);
    for (const ExprSyntax* target : stmt.targets) bind(*target, value);
  }

  void bind(const ExprSyntax& target, const Value& value) {
    bind_target(sema_, target, value, scope_);
  }

  void define(std::string_view name, const Value& value) {
    scope_.bind(name, value);
    forget(name);
    if (const auto* module = value.as<ModuleRef>()) {
      file_.modules.push_back(*module);
    } else if (const auto* callable = value.as<CallableRef>()) {
      const Function* function = as_function(**callable);
      if (function != nullptr) {
        // A variant is reached through its prototype.
        if (!function->is_variant()) file_.functions.emplace_back(function);
      } else if (const PrimFunction* prim = as_prim_function(**callable)) {
        file_.prim_functions.emplace_back(prim);
      }
    }
  }

  // An earlier definition of the same name is out of reach.
  void forget(std::string_view name) {
    const auto same = [&](const auto& item) { return item->name() == name; };
    std::erase_if(file_.modules, same);
    std::erase_if(file_.functions, same);
    std::erase_if(file_.prim_functions, same);
  }

  // `if __name__ == "__main__":`
  static bool is_main_guard(const IfSyntax& stmt) {
    const auto* compare = stmt.branches[0].condition->as<CompareSyntax>();
    if (compare == nullptr || compare->steps.size() != 1) return false;
    const auto* name = compare->first->as<NameSyntax>();
    return name != nullptr && name->text == "__name__" &&
           compare->steps[0].op == CompareOperator::equal;
  }

  void require_module(std::string_view path, TextRange place) {
    if (is_public_module(path)) return;
    const bool ours = path == "tilefoundry" || path.starts_with("tilefoundry.");
    std::string hint(kPythonDoor);
    if (ours) hint = did_you_mean(path, public_modules());
    refuse("TF2005", sema_.span(place),
           ours ? fmt::format("there is no module '{}'", path)
                : fmt::format("the module '{}' cannot be imported without Python", path),
           std::move(hint));
  }

  void import(const ImportSyntax& stmt) {
    for (const ImportNameSyntax& name : stmt.names) {
      require_module(name.name.text, name.name.range);
      const std::string path(name.name.text);
      if (!name.alias.text.empty()) {
        scope_.bind(name.alias.text, NamespaceValue{path});
      } else {
        const std::string top = path.substr(0, path.find('.'));
        scope_.bind(top, NamespaceValue{top});
      }
    }
  }

  void import_from(const ImportFromSyntax& stmt) {
    if (stmt.module.text == "__future__") return;
    if (stmt.level > 0) {
      refuse("TF2005", sema_.span(stmt), "relative imports need Python", std::string(kPythonDoor));
    }
    require_module(stmt.module.text, stmt.module.range);
    if (stmt.is_star) {
      for (const std::string& name : public_names(stmt.module.text)) {
        if (auto value = public_name(sema_, stmt.module.text, name)) scope_.bind(name, *value);
      }
      return;
    }
    for (const ImportNameSyntax& name : stmt.names) {
      const std::string_view bound = name.alias.text.empty() ? name.name.text : name.alias.text;
      std::optional<Value> value = public_name(sema_, stmt.module.text, name.name.text);
      if (value) {
        scope_.bind(bound, std::move(*value));
        continue;
      }
      scope_.bind(bound, PoisonedValue{});
      std::string hint = did_you_mean(name.name.text, public_names(stmt.module.text));
      sema_.sink().report(
          {.code = "TF2002",
           .message = fmt::format("'{}' has no name '{}'", stmt.module.text, name.name.text),
           .span = sema_.span(name.name.range),
           .notes = {},
           .hint = std::move(hint)});
    }
  }

  Sema& sema_;
  LoadedFile& file_;
  Scope scope_;
  DefinitionSite site_;
  std::vector<PrimFunctionRef> prim_functions_;
};

}  // namespace

LoadedFile load_source(const Ref<const SourceBuffer>& source) {
  LoadedFile file;
  file.source = source;
  DiagnosticSink sink;
  const SyntaxTree tree = parse_source(source, sink);
  sink.raise_if_errors();
  Sema sema(tree, sink);
  FileLoader(sema, file).run();
  sink.raise_if_errors();
  if (file.modules.empty() && file.functions.empty() && file.prim_functions.empty()) {
    refuse("TF2090", Span{source, 0, 0}, "the file defines neither a Module nor a function",
           "decorate a function with @func, or a class with @module()");
  }
  return file;
}

}  // namespace tilefoundry
