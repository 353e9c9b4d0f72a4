#include "tilefoundry/text/printer.h"

#include <algorithm>
#include <unordered_map>
#include <unordered_set>
#include <utility>

#include <fmt/format.h>

#include "tilefoundry/ir/hir/dispatch.h"
#include "tilefoundry/support/text.h"
#include "tilefoundry/text/function_text.h"

namespace tilefoundry {
namespace {

constexpr const char* kStep = "    ";

// Prints one file: functions at its top level, then at most one Module.
class FilePrinter {
 public:
  explicit FilePrinter(const PythonPrintOptions& options) : script_(options) {}

  std::string function(const FunctionRef& fn) {
    collect(fn, nullptr);
    define_externals();
    script_.settle();
    print_externals("");
    return script_.text();
  }

  std::string prim_function(const PrimFunctionRef& fn) {
    script_.scan().add(*fn);
    names_.emplace(fn.get(), script_.define(fn->name(), top_names_));
    script_.settle();
    script_.body += "\n\n";
    print_prim(*fn, "", nullptr);
    return script_.text();
  }

  std::string wrapped(const FunctionRef& fn, const std::string& module_name) {
    collect(fn, nullptr);
    const std::string class_name = script_.define(module_name, top_names_);
    define_externals();
    script_.settle();
    std::vector<std::string> arguments;
    if (class_name != module_name) arguments.push_back(name_argument(module_name));
    if (externals_.size() > 1) arguments.push_back("entry=" + python_string_literal(fn->name()));
    script_.body += "\n\n";
    script_.body += module_decorator(arguments, "");
    script_.body += fmt::format("class {}:", class_name);
    print_externals(kStep);
    return script_.text();
  }

  std::string module(const ModuleRef& root) {
    collect_module(*root);
    names_.emplace(root.get(), script_.define(root->name(), top_names_));
    define_members(*root);
    define_externals();
    script_.settle();
    print_externals("");
    script_.body += "\n\n";
    print_module(*root, "");
    return script_.text();
  }

 private:
  // --- what the file holds -------------------------------------------------------------------

  // Adds `fn` behind the functions that it calls. `owner` null: nothing is a member. Explicit
  // stack: call chains may be long.
  void collect(const FunctionRef& fn, const Module* owner) {
    struct Frame {
      FunctionRef function;
      std::vector<FunctionRef> callees;
      std::size_t next = 0;
    };
    std::vector<Frame> stack;
    const auto enter = [&](const FunctionRef& function) {
      if (!collected_.insert(function.get()).second) return;
      stack.push_back({function, called_functions(*function)});
    };
    enter(fn);
    while (!stack.empty()) {
      Frame& frame = stack.back();
      if (frame.next == frame.callees.size()) {
        externals_.push_back(frame.function);
        stack.pop_back();
        continue;
      }
      const FunctionRef callee = frame.callees[frame.next++];
      if (owner != nullptr && visible(*owner, *callee) != nullptr) continue;
      enter(written_function(callee));
    }
  }

  using Members = std::unordered_map<const RefCounted*, const RefCounted*>;

  // The member or the direct child that `callee` is written as in functions of `owner`, or null.
  // Decided by identity: of the function itself or of one that it elaborates.
  const RefCounted* visible(const Module& owner, const Function& callee) {
    const auto [it, added] = members_.try_emplace(&owner);
    if (added) {
      for (const CallableRef& member : owner.functions()) {
        it->second.emplace(member.get(), member.get());
      }
      for (const ModuleRef& child : owner.children()) {
        const CallableRef entry = child->entry_function();
        if (entry) it->second.emplace(entry.get(), child.get());
      }
    }
    for (const Function* at = &callee; at != nullptr; at = at->origin().get()) {
      const auto found = it->second.find(at);
      if (found != it->second.end()) return found->second;
    }
    return nullptr;
  }

  void collect_module(const Module& module) {
    if (module.topologies()) script_.scan().add(*module.topologies());
    for (const ModuleRef& child : module.children()) collect_module(*child);
    for (const CallableRef& member : module.functions()) {
      if (const Function* function = as_function(*member)) {
        script_.scan().add(*function);
        for (const FunctionRef& callee : called_functions(*function)) {
          if (visible(module, *callee) == nullptr) collect(written_function(callee), &module);
        }
      } else if (const PrimFunction* prim = as_prim_function(*member)) {
        script_.scan().add(*prim);
      }
    }
  }

  void define_externals() {
    top_names_.insert(script_.defined().begin(), script_.defined().end());
    for (const FunctionRef& function : externals_) {
      script_.scan().add(*function);
      names_.emplace(function.get(), script_.define(function->name(), top_names_));
      define_variants(*function, top_names_);
    }
  }

  // The authored identifiers of variants, or made ones.
  void define_variants(const Function& function, NameSet& taken) {
    for (const FunctionRef& variant : function.variants()) {
      const bool usable = is_valid_name(variant->label()) && variant->label() != function.name();
      const std::string label = usable ? variant->label() : synthesized_label(*variant);
      names_.emplace(variant.get(), script_.define(label, taken));
    }
  }

  void define_members(const Module& module) {
    NameSet taken;
    for (const ModuleRef& child : module.children()) {
      names_.emplace(child.get(), script_.define(child->name(), taken));
      define_members(*child);
    }
    for (const CallableRef& member : module.functions()) {
      names_.emplace(member.get(), script_.define(callable_name(*member), taken));
    }
    for (const CallableRef& member : module.functions()) {
      const Function* function = as_function(*member);
      if (function != nullptr) define_variants(*function, taken);
    }
  }

  // --- printing ------------------------------------------------------------------------------

  // At the top of a file two empty lines go before a definition, in a class one between them.
  void print_externals(const std::string& indent) {
    const CalleeText callee = [this](const Call& call, const Function& target) {
      return external_name(call, target);
    };
    for (const FunctionRef& function : externals_) {
      script_.body += indent.empty() ? "\n\n" : "\n";
      print_function(*function, indent, callee);
    }
  }

  // A prototype is followed by its variants, an empty line between them.
  void print_function(const Function& function, const std::string& indent,
                      const CalleeText& callee) {
    const std::string& name = names_.at(&function);
    print_hir_function(script_, function, name, indent, callee);
    for (const FunctionRef& variant : function.variants()) {
      script_.body += "\n";
      print_hir_variant(script_, *variant, name, names_.at(variant.get()), indent, callee);
    }
  }

  std::string external_name(const Call& call, const Function& callee) {
    const auto it = names_.find(written_function(FunctionRef(&callee)).get());
    const bool weights_left_out = call.args().size() < callee.params().size();
    if (it == names_.end() || weights_left_out) {
      refuse_print("TF3073",
                   fmt::format("this calls {}, the entry of a child Module, whose weights only "
                               "the Module tree holds",
                               callee.name()),
                   call.span(), "print the Module that owns the child");
    }
    return it->second;
  }

  std::string member_name(const Module& owner, const Call& call, const Function& callee) {
    if (const RefCounted* member = visible(owner, callee)) return names_.at(member);
    return external_name(call, callee);
  }

  void print_module(const Module& module, const std::string& indent) {
    const std::string& class_name = names_.at(&module);
    script_.body += module_decorator(declared(module, class_name), indent);
    script_.body += fmt::format("{}class {}:\n", indent, class_name);
    const std::string inner = indent + kStep;
    bool first = true;
    const auto separate = [&] {
      if (!std::exchange(first, false)) script_.body += "\n";
    };
    for (const ModuleRef& child : module.children()) {
      separate();
      print_module(*child, inner);
    }
    for (const CallableRef& member : module.functions()) {
      separate();
      print_member(module, *member, inner);
    }
    for (const ModuleMethod& method : module.methods()) {
      separate();
      script_.body += indented_source(method.source, inner);
    }
    if (first) script_.body += inner + "pass\n";
  }

  void print_member(const Module& module, const Callable& member, const std::string& indent) {
    if (const Function* function = as_function(member)) {
      const CalleeText callee = [&](const Call& call, const Function& target) {
        return member_name(module, call, target);
      };
      print_function(*function, indent, callee);
    } else if (const PrimFunction* prim = as_prim_function(member)) {
      print_prim(*prim, indent, &module);
    }
  }

  void print_prim(const PrimFunction& prim, const std::string& indent, const Module* owner) {
    const SymbolText symbol = [&](const std::string& name) -> std::string {
      const CallableRef member = owner != nullptr ? owner->find_function(name) : nullptr;
      if (!member || as_prim_function(*member) == nullptr) return "";
      // A renamed function is called by its symbol.
      const std::string& defined = names_.at(member.get());
      return defined == name ? defined : "";
    };
    print_prim_function(script_, prim, names_.at(&prim), indent, symbol);
  }

  // Only what the Module itself declares.
  std::vector<std::string> declared(const Module& module, const std::string& class_name) {
    std::vector<std::string> arguments;
    if (class_name != module.name()) arguments.push_back(name_argument(module.name()));
    if (module.entry()) arguments.push_back("entry=" + python_string_literal(*module.entry()));
    if (module.target()) {
      script_.import_name(module.target()->provider(), module.target()->class_name());
      arguments.push_back("target=" + module.target()->repr());
    }
    if (module.topologies()) {
      arguments.push_back("topologies=" +
                          topologies_text(*module.topologies(), script_.context(nullptr)));
    }
    return arguments;
  }

  static std::string name_argument(const std::string& name) {
    return "name=" + python_string_literal(name);
  }

  std::string module_decorator(const std::vector<std::string>& arguments,
                               const std::string& indent) {
    return fmt::format("{}@{}({})\n", indent, script_.use("module"), join(arguments, ", "));
  }

  // The source of a method, moved to this indentation.
  static std::string indented_source(const std::string& source, const std::string& indent) {
    const std::size_t own = std::min(source.find_first_not_of(' '), source.size());
    std::string out;
    for (std::size_t at = 0; at < source.size();) {
      const std::size_t end = std::min(source.find('\n', at), source.size());
      std::string line = source.substr(at, end - at);
      const std::size_t blank = std::min(line.find_first_not_of(' '), line.size());
      line.erase(0, std::min(own, blank));
      out += line.empty() ? "\n" : indent + line + "\n";
      at = end + 1;
    }
    return out;
  }

  Script script_;
  NameSet top_names_;
  std::unordered_map<const RefCounted*, std::string> names_;  // as defined, by object
  std::unordered_set<const Function*> collected_;
  std::vector<FunctionRef> externals_;  // callees first
  std::unordered_map<const Module*, Members> members_;
};

void count_dialects(const Module& module, const std::string& prefix, std::vector<std::string>& hir,
                    std::vector<std::string>& tir) {
  for (const ModuleRef& child : module.children()) {
    count_dialects(*child, prefix + child->name() + ".", hir, tir);
  }
  for (const CallableRef& member : module.functions()) {
    const bool is_hir = as_function(*member) != nullptr;
    (is_hir ? hir : tir).push_back(prefix + callable_name(*member));
  }
}

}  // namespace

std::string hir_function_to_python(const FunctionRef& fn, const PythonPrintOptions& options) {
  return FilePrinter(options).function(fn);
}

std::string prim_function_to_python(const PrimFunctionRef& fn, const PythonPrintOptions& options) {
  return FilePrinter(options).prim_function(fn);
}

std::string as_script(const FunctionRef& fn, const std::string& module_name,
                      const PythonPrintOptions& options) {
  if (module_name.empty()) return hir_function_to_python(fn, options);
  return FilePrinter(options).wrapped(fn, module_name);
}

std::string as_script(const ModuleRef& module, const PythonPrintOptions& options) {
  std::vector<std::string> hir;
  std::vector<std::string> tir;
  count_dialects(*module, "", hir, tir);
  if (!hir.empty() && !tir.empty()) {
    refuse_print("TF3072",
                 fmt::format("Module {} mixes HIR functions ({}) and TIR functions ({})",
                             module->name(), join(hir, ", "), join(tir, ", ")),
                 module->meta().span, "print it before lowering, or after all of it is lowered");
  }
  return print_module_text(module, options);
}

std::string module_to_python(const FunctionRef& fn, const std::string& module_name) {
  return as_script(fn, module_name);
}

std::string print_module_text(const ModuleRef& module, const PythonPrintOptions& options) {
  return FilePrinter(options).module(module);
}

}  // namespace tilefoundry
