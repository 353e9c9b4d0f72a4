#include "tilefoundry/ir/module_checks.h"

#include <map>
#include <unordered_set>

#include <fmt/format.h>

#include "tilefoundry/ir/hir/dispatch.h"
#include "tilefoundry/support/diagnostic.h"
#include "tilefoundry/support/text.h"

namespace tilefoundry {
namespace {

[[noreturn]] void refuse(const char* code, std::string message, Span span, std::string hint = "",
                         std::vector<DiagnosticNote> notes = {}) {
  throw VerifyError(Diagnostic{.code = code,
                               .message = std::move(message),
                               .span = std::move(span),
                               .notes = std::move(notes),
                               .hint = std::move(hint)});
}

Span member_span(const Callable& callable) {
  if (const Function* function = as_function(callable)) return function->meta().span;
  if (const PrimFunction* function = as_prim_function(callable)) return function->meta().span;
  return {};
}

void check_names(const ModuleParts& parts) {
  if (parts.name.empty()) refuse("TF3050", "a Module needs a name", parts.meta.span);
  std::map<std::string, Span> names;
  const auto add = [&](const std::string& name, const Span& span) {
    if (name == "__call__") {
      refuse("TF3050", fmt::format("Module {} may not define __call__", parts.name), span,
             "declare an entry function and call that");
    }
    const auto [it, added] = names.emplace(name, span);
    if (!added) {
      refuse("TF3050", fmt::format("Module {} has two members named {}", parts.name, name), span,
             "rename one of them", {{"the first is here", it->second}});
    }
  };
  for (const ModuleRef& child : parts.children) add(child->name(), child->meta().span);
  for (const CallableRef& member : parts.functions) {
    add(callable_name(*member), member_span(*member));
  }
  for (const ModuleMethod& method : parts.methods) add(method.name, parts.meta.span);
}

void check_entry(const ModuleParts& parts) {
  if (!parts.entry) return;
  std::vector<std::string> names;
  for (const CallableRef& member : parts.functions) {
    names.push_back(callable_name(*member));
    if (names.back() == *parts.entry) return;
  }
  refuse("TF3051",
         fmt::format("Module {} declares the entry \"{}\" but has no such function", parts.name,
                     *parts.entry),
         parts.meta.span,
         names.empty() ? "the Module has no function" : "its functions are " + join(names, ", "));
}

void check_targets(const ModuleParts& parts) {
  for (const ModuleRef& child : parts.children) {
    if (!child->target()) continue;
    refuse("TF3052",
           fmt::format("child Module {} of {} declares a target", child->name(), parts.name),
           child->meta().span, "only the outermost Module of a tree may declare a target");
  }
}

// Collects DimVars of types; types are interned, so each distinct type is looked at once.
class DimVarRanges {
 public:
  void add_type(const TypeRef& type, const Span& span) {
    if (!type || !types_.insert(type.get()).second) return;
    for_each_leaf(type, [&](const TensorType& leaf) {
      for (const Dim& extent : leaf.shape()) add_dim(extent, span);
    });
  }
  void add_dim(const Dim& dim, const Span& span) {
    for_each_dim_atom(dim, [&](const DimNode& node) {
      if (const DimVar* var = node.as_var()) add_var(*var, span);
    });
  }

 private:
  void add_var(const DimVar& var, const Span& span) {
    const auto [it, added] = ranges_.emplace(var.name, std::pair(var, span));
    const DimVar& first = it->second.first;
    if (added || first == var) return;
    refuse("TF3053",
           fmt::format("the dimension {} has the range [{}, {}) here and [{}, {}) elsewhere",
                       var.name, var.lo, var.hi, first.lo, first.hi),
           span, "one DimVar name has one range in a whole Module tree",
           {{"the other use is here", it->second.second}});
  }

  std::unordered_set<const Type*> types_;
  std::map<std::string, std::pair<DimVar, Span>> ranges_;
};

void collect_tree(const ModuleParts& parts, DimVarRanges& ranges) {
  for (const ModuleRef& child : parts.children) collect_tree(child->parts(), ranges);
  for (const CallableRef& member : parts.functions) {
    if (const Function* function = as_function(*member)) {
      for (const VarRef& param : function->params()) ranges.add_type(param->type(), param->span());
      ranges.add_type(function->return_type(), function->meta().span);
    } else if (const PrimFunction* prim = as_prim_function(*member)) {
      for (const VarRef& param : prim->params()) ranges.add_type(param->type(), param->span());
    }
  }
  if (!parts.topologies) return;
  for (const auto& topology : *parts.topologies) ranges.add_dim(topology->size(), parts.meta.span);
}

}  // namespace

void check_module_parts(const ModuleParts& parts) {
  check_names(parts);
  check_entry(parts);
  check_targets(parts);
  for (const CallableRef& member : parts.functions) {
    const Function* function = as_function(*member);
    if (function != nullptr && !function->variants().empty()) {
      check_partition(*function, function->meta().span);
    }
  }
  DimVarRanges ranges;
  collect_tree(parts, ranges);
}

}  // namespace tilefoundry
