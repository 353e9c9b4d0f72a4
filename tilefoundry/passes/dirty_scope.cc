#include "tilefoundry/passes/dirty_scope.h"

#include <map>
#include <unordered_set>

#include "tilefoundry/ir/tir/stmt_visitor.h"
#include "tilefoundry/registry/typeinfer.h"
#include "tilefoundry/registry/verify.h"

namespace tilefoundry {
namespace {

void collect_functions(const Module& module, const std::string& path,
                       std::map<std::string, CallableRef>& functions) {
  for (const ModuleRef& child : module.children()) {
    collect_functions(*child, path + child->name() + ".", functions);
  }
  for (const CallableRef& member : module.functions()) {
    functions.emplace(path + callable_name(*member), member);
  }
}

// What a caller relies on: dialect, parameter types and result or output count, target.
bool same_interface(const Callable& a, const Callable& b) {
  const Function* f = as_function(a);
  const Function* g = as_function(b);
  if ((f == nullptr) != (g == nullptr)) return false;
  const auto same_params = [](const auto& x, const auto& y) {
    if (x.params().size() != y.params().size()) return false;
    for (std::size_t i = 0; i < x.params().size(); ++i) {
      if (x.params()[i]->type() != y.params()[i]->type()) return false;
    }
    return true;
  };
  if (f != nullptr) return same_params(*f, *g) && f->return_type() == g->return_type();
  const PrimFunction* p = as_prim_function(a);
  const PrimFunction* q = as_prim_function(b);
  return same_params(*p, *q) && p->output_count() == q->output_count() &&
         same_target(p->target(), q->target());
}

class CalleeCollector final : public StmtVisitor {
 public:
  std::set<std::string> symbols;

 protected:
  void visit_Evaluate(const Evaluate& stmt) override {
    if (stmt.callee()) symbols.insert(stmt.callee()->symbol());
  }
};

bool calls_any(const Callable& member, const std::string& path,
               const std::set<std::string>& broken) {
  if (broken.empty()) return false;
  if (const PrimFunction* prim = as_prim_function(member)) {
    CalleeCollector calls;
    calls.visit(prim->body());
    for (const std::string& symbol : calls.symbols) {
      if (broken.contains(path + symbol)) return true;
    }
    return false;
  }
  const Function* function = as_function(member);
  if (function == nullptr) return false;
  for (const ExprRef& expr : post_order(function->bodies())) {
    const Call* call = expr_cast<Call>(expr);
    const Function* callee = call != nullptr ? as_function(*call->target()) : nullptr;
    if (callee != nullptr && broken.contains(path + callee->name())) return true;
  }
  return false;
}

struct DirtyScope {
  const std::map<std::string, CallableRef>& before;
  const std::set<std::string>& broken;  // interfaces that changed
  const std::optional<std::set<std::string>>& reported;
  bool whole_module;

  bool is_dirty(const CallableRef& member, const std::string& path) const {
    if (whole_module) return true;
    const std::string name = path + callable_name(*member);
    const auto it = before.find(name);
    if (it == before.end() || it->second != member) return true;
    if (reported && (reported->contains(name) || reported->contains(callable_name(*member)))) {
      return true;
    }
    return calls_any(*member, path, broken);
  }
};

ModuleRef check_tree(const ModuleRef& module, const std::string& path, const DirtyScope& scope) {
  ModuleParts parts = module->parts();
  bool changed = false;
  for (ModuleRef& child : parts.children) {
    ModuleRef checked = check_tree(child, path + child->name() + ".", scope);
    changed = changed || checked != child;
    child = std::move(checked);
  }
  for (CallableRef& member : parts.functions) {
    if (!scope.is_dirty(member, path)) continue;
    CallableRef checked = member;
    if (const Function* function = as_function(*member)) {
      checked = retype(FunctionRef(function), module);
    } else if (const PrimFunction* prim = as_prim_function(*member)) {
      checked = verify_prim_function(PrimFunctionRef(prim), module);
    }
    changed = changed || checked != member;
    member = std::move(checked);
  }
  return changed ? Module::make(std::move(parts)) : module;
}

}  // namespace

ModuleRef check_dirty_scope(const ModuleRef& before, const ModuleRef& after,
                            const std::optional<std::set<std::string>>& reported,
                            bool whole_module) {
  if (before == after && !whole_module && !reported) return after;
  std::map<std::string, CallableRef> old_functions;
  std::map<std::string, CallableRef> new_functions;
  collect_functions(*before, "", old_functions);
  collect_functions(*after, "", new_functions);
  std::set<std::string> broken;
  for (const auto& [name, function] : old_functions) {
    const auto it = new_functions.find(name);
    if (it == new_functions.end() || !same_interface(*function, *it->second)) broken.insert(name);
  }
  return check_tree(after, "", {old_functions, broken, reported, whole_module});
}

}  // namespace tilefoundry
