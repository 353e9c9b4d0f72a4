#include "tilefoundry/ir/module.h"

#include <map>
#include <set>
#include <unordered_map>
#include <unordered_set>

#include <fmt/format.h>

#include "tilefoundry/ir/expr_visitor.h"
#include "tilefoundry/ir/hir/dispatch.h"
#include "tilefoundry/ir/module_checks.h"
#include "tilefoundry/support/diagnostic.h"

namespace tilefoundry {

ModuleRef Module::make(ModuleParts parts) {
  check_module_parts(parts);
  for (const CallableRef& member : parts.functions) {
    const Function* function = as_function(*member);
    if (function != nullptr) function->seal();
  }
  return ModuleRef(new Module(std::move(parts)));
}

CallableRef Module::find_function(std::string_view name) const {
  for (const CallableRef& function : functions()) {
    if (callable_name(*function) == name) return function;
  }
  return nullptr;
}

ModuleRef Module::find_child(std::string_view name) const {
  for (const ModuleRef& child : children()) {
    if (child->name() == name) return child;
  }
  return nullptr;
}

CallableRef Module::entry_function() const {
  if (entry()) return find_function(*entry());
  return functions().size() == 1 ? functions().front() : nullptr;
}

ModuleRef Module::with_functions(std::vector<CallableRef> functions) const {
  ModuleParts parts = parts_;
  parts.functions = std::move(functions);
  return make(std::move(parts));
}

ModuleRef Module::with_children(std::vector<ModuleRef> children) const {
  ModuleParts parts = parts_;
  parts.children = std::move(children);
  return make(std::move(parts));
}

ModuleRef Module::with_target(TargetRef target) const {
  ModuleParts parts = parts_;
  parts.target = std::move(target);
  return make(std::move(parts));
}

const Function* as_function(const Callable& callable) noexcept {
  return &callable.node_class() == &Function::function_class()
             ? static_cast<const Function*>(&callable)
             : nullptr;
}

const PrimFunction* as_prim_function(const Callable& callable) noexcept {
  return &callable.node_class() == &PrimFunction::function_class()
             ? static_cast<const PrimFunction*>(&callable)
             : nullptr;
}

const std::string& callable_name(const Callable& callable) {
  if (const Function* function = as_function(callable)) return function->name();
  if (const PrimFunction* function = as_prim_function(callable)) return function->name();
  return callable.node_class().name();
}

namespace {

using FunctionMap = std::unordered_map<const Callable*, FunctionRef>;

// Redirects calls of copied functions to the copies; instances elaborated from them are copied too.
class CallRedirector final : public ExprMutator {
 public:
  explicit CallRedirector(FunctionMap& copies) : copies_(copies) {}

 protected:
  ExprRef visit_Call(const Call& call) override {
    const Function* callee = as_function(*call.target());
    FunctionRef copy = callee != nullptr ? copy_of(*callee) : nullptr;
    if (!copy) return ExprMutator::visit_Call(call);
    bool changed = false;
    std::vector<ExprRef> args = rewrite_all(call.args(), changed);
    return Call::make(copy, std::move(args), call.type(), call.meta(), call.scope());
  }

 private:
  FunctionRef copy_of(const Function& callee) {
    const auto it = copies_.find(&callee);
    if (it != copies_.end()) return it->second;
    if (!callee.origin()) return nullptr;
    const auto origin = copies_.find(callee.origin().get());
    if (origin == copies_.end()) return nullptr;
    FunctionRef copy =
        callee.copy(callee.params(), callee.body(), callee.return_type(), origin->second);
    copies_.emplace(&callee, copy);
    return copy;
  }

  FunctionMap& copies_;
};

FunctionRef copy_function(const Function& function, FunctionMap& copies) {
  if (!function.is_prototype()) {
    ExprRef body = CallRedirector(copies).visit(function.body());
    return function.copy(function.params(), std::move(body), function.return_type(),
                         function.origin());
  }
  std::vector<FunctionRef> variants;
  for (const FunctionRef& variant : function.variants()) {
    ExprRef body = variant->body();
    if (body) body = CallRedirector(copies).visit(body);
    variants.push_back(variant->copy(variant->params(), std::move(body), variant->return_type(),
                                     variant->origin()));
  }
  return function.with_variants(std::move(variants));
}

ModuleRef copy_tree(const Module& module, const std::string& name, FunctionMap& copies) {
  ModuleParts parts = module.parts();
  parts.name = name;
  for (ModuleRef& child : parts.children) child = copy_tree(*child, child->name(), copies);
  for (CallableRef& member : parts.functions) {
    const Function* function = as_function(*member);
    if (function == nullptr) continue;
    FunctionRef copy = copy_function(*function, copies);
    copies.emplace(function, copy);
    member = copy;
  }
  return Module::make(std::move(parts));
}

}  // namespace

ModuleRef attach_copy(const Module& module, const std::string& attribute) {
  FunctionMap copies;
  return copy_tree(module, attribute, copies);
}

ModuleRef child_of_entry(const Module& owner, const Function& callee) {
  for (const ModuleRef& child : owner.children()) {
    const CallableRef entry = child->entry_function();
    if (entry && (entry.get() == &callee || entry.get() == callee.origin().get())) return child;
  }
  return nullptr;
}

std::vector<TreeWeight> tree_weights(const Module& owner, const Function& function) {
  struct Frame {
    const Module* owner;
    std::string prefix;
    std::vector<ExprRef> calls;
    std::size_t next = 0;
  };
  std::vector<TreeWeight> weights;
  std::set<std::string> paths;
  std::set<std::pair<const Module*, const Function*>> seen;
  std::vector<Frame> stack;
  const auto enter = [&](const Module& module, const Function& callee, std::string prefix) {
    if (!seen.emplace(&module, &callee).second) return;
    stack.push_back({&module, std::move(prefix), post_order(callee.bodies())});
  };
  enter(owner, function, "");
  while (!stack.empty()) {
    Frame& frame = stack.back();
    if (frame.next == frame.calls.size()) {
      stack.pop_back();
      continue;
    }
    const Call* call = expr_cast<Call>(frame.calls[frame.next++]);
    const Function* callee = call != nullptr ? as_function(*call->target()) : nullptr;
    if (callee == nullptr) continue;
    const Module& here = *frame.owner;
    std::string prefix = frame.prefix;
    const ModuleRef child = child_of_entry(here, *callee);
    if (!child) {
      enter(here, *callee, std::move(prefix));
      continue;
    }
    prefix += child->name() + ".";
    if (call->args().size() < callee->params().size()) {
      for (const VarRef& param : callee->params()) {
        std::string path = prefix + param->name();
        if (param->is_const() && paths.insert(path).second) weights.push_back({path, param});
      }
    }
    enter(*child, *callee, std::move(prefix));
  }
  return weights;
}

}  // namespace tilefoundry
