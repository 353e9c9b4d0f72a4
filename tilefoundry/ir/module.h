// Modules: a tree of named function collections.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "tilefoundry/ir/hir/function.h"
#include "tilefoundry/ir/target.h"
#include "tilefoundry/ir/tir/prim_function.h"

namespace tilefoundry {

class Module;
using ModuleRef = Ref<const Module>;

// A plain Python method, kept as its source so that printing is lossless.
struct ModuleMethod {
  std::string name;
  std::string source;
  friend bool operator==(const ModuleMethod&, const ModuleMethod&) = default;
};

struct ModuleParts {
  std::string name;
  std::vector<CallableRef> functions;  // Function or PrimFunction, definition order
  std::vector<ModuleRef> children;     // each named by the attribute that holds it
  std::vector<ModuleMethod> methods;
  std::optional<std::string> entry;
  TargetRef target;                      // null: inherited or undeclared
  std::optional<Topologies> topologies;  // nullopt inherits, empty declares none
  Metadata meta;
};

class Module final : public RefCounted {
 public:
  // Checks member names, the entry, the children (no declared target below the root), that one
  // DimVar name has one range in the whole tree and that the variants of a prototype leave no gap;
  // throws VerifyError (TF3050..TF3055, TF3428). Seals the prototypes among its members.
  static ModuleRef make(ModuleParts parts);

  const std::string& name() const noexcept { return parts_.name; }
  const std::vector<CallableRef>& functions() const noexcept { return parts_.functions; }
  const std::vector<ModuleRef>& children() const noexcept { return parts_.children; }
  const std::vector<ModuleMethod>& methods() const noexcept { return parts_.methods; }
  const std::optional<std::string>& entry() const noexcept { return parts_.entry; }
  const TargetRef& target() const noexcept { return parts_.target; }
  const std::optional<Topologies>& topologies() const noexcept { return parts_.topologies; }
  const Metadata& meta() const noexcept { return parts_.meta; }
  const ModuleParts& parts() const noexcept { return parts_; }

  // Null on a miss.
  CallableRef find_function(std::string_view name) const;
  ModuleRef find_child(std::string_view name) const;
  // The declared entry, else the only function; null when neither decides.
  CallableRef entry_function() const;

  ModuleRef with_functions(std::vector<CallableRef> functions) const;
  ModuleRef with_children(std::vector<ModuleRef> children) const;
  ModuleRef with_target(TargetRef target) const;

 private:
  explicit Module(ModuleParts parts) : parts_(std::move(parts)) {}
  ModuleParts parts_;
};

// A function's name, whichever dialect it is in.
const std::string& callable_name(const Callable& callable);
// The target as an HIR function / a prim function, or null.
const Function* as_function(const Callable& callable) noexcept;
const PrimFunction* as_prim_function(const Callable& callable) noexcept;

// A copy of `module` under another name whose functions are objects of their own: attaching one
// Module under two attributes gives two callees. Calls between its members follow the copies.
ModuleRef attach_copy(const Module& module, const std::string& attribute);

// A weight that a call of a child's entry leaves out: its path in the tree ("up.weight") and the
// child's parameter. In order of first use, each once.
struct TreeWeight {
  std::string path;
  VarRef param;
};
// The weights that `function`, a member of `owner`, needs from the modules below.
std::vector<TreeWeight> tree_weights(const Module& owner, const Function& function);
// The direct child whose entry is exactly `callee` or the origin of it; null when there is none.
ModuleRef child_of_entry(const Module& owner, const Function& callee);

}  // namespace tilefoundry
