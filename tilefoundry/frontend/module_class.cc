// `@module` classes.

#include <algorithm>
#include <array>

#include <fmt/format.h>

#include "tilefoundry/frontend/definitions.h"
#include "tilefoundry/frontend/refusals.h"

namespace tilefoundry {
namespace {

class ModuleClass {
 public:
  ModuleClass(Sema& sema, const ClassSyntax& syntax, const DefinitionSite& outer,
              Decoration decoration)
      : sema_(sema),
        syntax_(syntax),
        outer_(outer),
        decoration_(std::move(decoration)),
        scope_(outer.scope) {}

  // Null after errors.
  ModuleRef build() {
    announce_definitions(sema_, syntax_.body, scope_);
    site_ = {&scope_, &parts_.children,
             decoration_.topologies ? &*decoration_.topologies : outer_.topologies, syntax_.body,
             &prim_functions_};
    bool first = true;
    for (const StmtSyntax* stmt : syntax_.body) {
      if (sema_.sink().full()) return nullptr;
      const bool docstring = std::exchange(first, false) && is_docstring(*stmt);
      if (docstring || stmt->kind == StmtSyntaxKind::pass_statement) continue;
      try {
        member(*stmt);
      } catch (...) {
        failed_ = true;
        for_each_bound_name(*stmt,
                            [&](std::string_view name) { scope_.bind(name, PoisonedValue{}); });
        sema_.report_current(sema_.span(*stmt));
      }
    }
    if (failed_) return nullptr;
    const std::string& renamed = decoration_.renaming.name;
    parts_.name = renamed.empty() ? std::string(syntax_.name.text) : renamed;
    parts_.entry = decoration_.entry;
    parts_.target = decoration_.target;
    parts_.topologies = decoration_.topologies;
    parts_.meta = {parts_.name, sema_.span(syntax_.name.range)};
    return Module::make(std::move(parts_));
  }

 private:
  void member(const StmtSyntax& stmt) {
    if (const auto* function = stmt.as<FunctionSyntax>()) return add_function(*function);
    if (const auto* cls = stmt.as<ClassSyntax>()) return add_class(*cls);
    if (const auto* assign = stmt.as<AssignSyntax>()) return add_assignment(*assign);
    refuse("TF2085", sema_.span(stmt),
           fmt::format("{} cannot stand in the class of a Module", statement_words(stmt)),
           "a Module holds decorated functions, child Modules and methods; constants go above it");
  }

  bool is_method(const FunctionSyntax& function) const {
    if (function.decorators.empty()) return true;
    static constexpr std::array<std::string_view, 3> kPlain = {"property", "staticmethod",
                                                               "classmethod"};
    const auto* name = function.decorators[0]->as<NameSyntax>();
    return name != nullptr && std::find(kPlain.begin(), kPlain.end(), name->text) != kPlain.end();
  }

  void add_function(const FunctionSyntax& function) {
    const std::string name(function.name.text);
    if (name == "__call__") {
      refuse("TF2086", sema_.span(function.name.range), "a Module has no '__call__' of its own",
             "calling a Module calls its entry");
    }
    if (is_method(function)) {
      parts_.methods.push_back({name, method_source(function)});
      scope_.bind(name, Value());
      return;
    }
    Value value = define_function(sema_, function, site_);
    scope_.bind(name, value);
    if (value.is<PoisonedValue>()) {
      failed_ = true;
    } else if (const auto* callable = value.as<CallableRef>()) {
      add_member(*callable);
    } else if (const auto* module = value.as<ModuleRef>()) {
      add_child(name, *module);
    }
  }

  // A variant is reached through its prototype, which is a member already.
  void add_member(const CallableRef& callable) {
    const Function* function = as_function(*callable);
    if (function != nullptr && (function->is_variant() || !function->variants().empty())) return;
    parts_.functions.push_back(callable);
  }

  void add_class(const ClassSyntax& cls) {
    const std::string name(cls.name.text);
    if (cls.decorators.empty()) {
      refuse("TF2085", sema_.span(cls.name.range), fmt::format("the class '{}' is no Module", name),
             "decorate it with @module()");
    }
    const Value value = define_class(sema_, cls, site_);
    scope_.bind(name, value);
    const auto* module = value.as<ModuleRef>();
    if (module == nullptr) {
      failed_ = true;
      return;
    }
    parts_.children.push_back(*module);
  }

  // A Module that is bound to an attribute becomes a copy of that name.
  Value add_child(const std::string& name, const ModuleRef& module) {
    ModuleRef child = attach_copy(*module, name);
    parts_.children.push_back(child);
    Value value(std::move(child));
    scope_.bind(name, value);
    return value;
  }

  void add_assignment(const AssignSyntax& assign) {
    const auto* target = assign.targets[0]->as<NameSyntax>();
    Evaluator evaluator(sema_, scope_);
    evaluator.set_topologies(site_.topologies);
    const Value value = evaluator.evaluate(*assign.value);
    const std::vector<Value>* items = value.items();
    const bool modules = value.is<ModuleRef>() ||
                         (items != nullptr && !items->empty() &&
                          std::all_of(items->begin(), items->end(),
                                      [](const Value& item) { return item.is<ModuleRef>(); }));
    if (target == nullptr || assign.targets.size() != 1 || !modules) {
      refuse("TF2085", sema_.span(assign),
             fmt::format("an attribute of a Module holds a Module, not {}", describe(value)),
             "constants go above the class");
    }
    const std::string name(target->text);
    if (const auto* module = value.as<ModuleRef>()) {
      add_child(name, *module);
      return;
    }
    std::vector<Value> children;
    for (std::size_t i = 0; i < items->size(); ++i) {
      children.push_back(add_child(fmt::format("{}_{}", name, i), *(*items)[i].as<ModuleRef>()));
    }
    scope_.bind(name, value.as<SequenceValue>()->is_list ? Value::list(std::move(children))
                                                         : Value::tuple(std::move(children)));
  }

  // The lines of the method without the indentation of its first one.
  std::string method_source(const FunctionSyntax& function) const {
    const std::string& text = sema_.tree().source()->text();
    std::size_t start = function.decorated_range.begin;
    while (start > 0 && text[start - 1] != '\n') --start;
    const std::string indent = text.substr(start, function.decorated_range.begin - start);
    std::string source;
    std::size_t at = start;
    while (at < function.decorated_range.end) {
      std::size_t end = text.find('\n', at);
      end = end == std::string::npos ? text.size() : end;
      end = std::min<std::size_t>(end, function.decorated_range.end);
      std::string_view line(text.data() + at, end - at);
      if (line.starts_with(indent)) line.remove_prefix(indent.size());
      if (line.ends_with('\r')) line.remove_suffix(1);
      if (!source.empty()) source += '\n';
      source += line;
      at = end + 1;
    }
    return source;
  }

  Sema& sema_;
  const ClassSyntax& syntax_;
  const DefinitionSite& outer_;
  Decoration decoration_;
  Scope scope_;
  DefinitionSite site_;
  ModuleParts parts_;
  std::vector<PrimFunctionRef> prim_functions_;
  bool failed_ = false;
};

class PlainClass final : public HostObject {
 public:
  explicit PlainClass(std::string name) : name_(std::move(name)) {}
  std::string describe() const override { return fmt::format("the undecorated class '{}'", name_); }

 private:
  std::string name_;
};

}  // namespace

Value define_class(Sema& sema, const ClassSyntax& syntax, const DefinitionSite& site) {
  if (syntax.decorators.empty()) {
    return HostObjectRef(make_ref<PlainClass>(std::string(syntax.name.text)));
  }
  try {
    Evaluator evaluator(sema, *site.scope);
    Decoration decoration = read_decoration(sema, evaluator, syntax.decorators);
    if (decoration.kind != BuiltinKind::module) {
      refuse("TF2084", decoration.span, "this decorator is for functions",
             "write '@module()' above a class");
    }
    if (!syntax.arguments.empty()) {
      refuse("TF2087", sema.span(syntax.arguments[0].range), "a Module has no base classes",
             fmt::format("write 'class {}:'", syntax.name.text));
    }
    ModuleRef module = ModuleClass(sema, syntax, site, std::move(decoration)).build();
    if (!module) return PoisonedValue{};
    return module;
  } catch (...) {
    sema.report_current(sema.span(syntax.name.range));
    return PoisonedValue{};
  }
}

}  // namespace tilefoundry
