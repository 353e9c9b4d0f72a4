#include "tilefoundry/passes/mark_profile.h"

#include <set>

#include "tilefoundry/ir/tir/block.h"
#include "tilefoundry/ir/tir/ops.h"

namespace tilefoundry {
namespace {

// Visits every prim function of a tree with the path of its Module, "up.".
void for_each_function(
    const ModuleRef& root,
    const std::function<void(const PrimFunction&, const std::string& path)>& visit) {
  std::vector<std::pair<ModuleRef, std::string>> pending{{root, ""}};
  while (!pending.empty()) {
    const auto [module, path] = std::move(pending.back());
    pending.pop_back();
    for (const CallableRef& member : module->functions()) {
      if (const PrimFunction* function = as_prim_function(*member)) visit(*function, path);
    }
    for (const ModuleRef& child : module->children()) {
      pending.emplace_back(child, path + child->name() + ".");
    }
  }
}

bool is_site(const BlockItem& item) {
  if (item.is_let()) return false;
  switch (item.stmt->kind()) {
    case StmtKind::for_loop:
    case StmtKind::while_loop:
    case StmtKind::if_else: return true;
    case StmtKind::evaluate: {
      const auto& evaluate = static_cast<const Evaluate&>(*item.stmt);
      return evaluate.callable() && evaluate.op<ProfileMark>() == nullptr;
    }
    default: return false;
  }
}

// "up.forward" and "forward" both name the member `forward` of something: a loop that calls either
// keeps every function of that name unmarked.
std::string last_part(const std::string& symbol) { return symbol.substr(symbol.rfind('.') + 1); }

// The names that a statement calls.
void add_callees(const StmtRef& root, std::set<std::string>& names) {
  std::vector<StmtRef> pending{root};
  while (!pending.empty()) {
    const StmtRef stmt = std::move(pending.back());
    pending.pop_back();
    for (const BlockItem& item : block_items(stmt)) {
      if (item.is_let()) continue;
      const auto* evaluate = stmt_cast<Evaluate>(item.stmt);
      if (evaluate != nullptr && evaluate->callee()) {
        names.insert(last_part(evaluate->callee()->symbol()));
      }
      for_each_child_stmt(*item.stmt, [&](const StmtRef& child) { pending.push_back(child); });
    }
  }
}

std::set<std::string> called_by_sites(const ModuleRef& module) {
  std::set<std::string> names;
  for_each_function(module, [&](const PrimFunction& function, const std::string&) {
    for (const BlockItem& item : block_items(function.body())) {
      if (is_site(item)) add_callees(item.stmt, names);
    }
  });
  for (std::size_t before = 0; before != names.size();) {
    before = names.size();
    for_each_function(module, [&](const PrimFunction& function, const std::string&) {
      if (names.contains(last_part(function.name()))) add_callees(function.body(), names);
    });
  }
  return names;
}

class Marker {
 public:
  Marker(std::set<std::string> unmarked, std::int64_t sites)
      : unmarked_(std::move(unmarked)), sites_(sites) {}

  // Sites are few: recursion is on the depth of the module tree.
  ModuleRef mark(const ModuleRef& module) {
    ModuleParts parts = module->parts();
    for (CallableRef& member : parts.functions) {
      const PrimFunction* function = as_prim_function(*member);
      if (function == nullptr || unmarked_.contains(last_part(function->name()))) continue;
      member = function->with_body(mark_body(function->body()));
    }
    for (ModuleRef& child : parts.children) child = mark(child);
    return Module::make(std::move(parts));
  }
  std::int64_t next() const { return next_; }

 private:
  StmtRef mark_body(const StmtRef& body) {
    Block out;
    for (BlockItem& item : block_items(body)) {
      if (!is_site(item)) {
        out.push_back(std::move(item));
        continue;
      }
      ProfileMark mark{.site = next_++, .sites = sites_};
      out.push_back(BlockItem::of(Evaluate::make(make_op(mark), {})));
      out.push_back(std::move(item));
      mark.end = true;
      out.push_back(BlockItem::of(Evaluate::make(make_op(mark), {})));
    }
    return make_block(out);
  }

  std::set<std::string> unmarked_;
  std::int64_t sites_;
  std::int64_t next_ = 0;
};

}  // namespace

const std::string& MarkProfilePass::name() const {
  static const std::string name = "mark_profile";
  return name;
}

ModuleRef MarkProfilePass::run(const ModuleRef& module) {
  const std::set<std::string> unmarked = called_by_sites(module);
  std::int64_t sites = 0;
  for_each_function(module, [&](const PrimFunction& function, const std::string&) {
    if (unmarked.contains(last_part(function.name()))) return;
    for (const BlockItem& item : block_items(function.body())) sites += is_site(item) ? 1 : 0;
  });
  if (sites == 0) return module;
  return Marker(unmarked, sites).mark(module);
}

std::vector<ProfileSite> profile_sites(const ModuleRef& module) {
  std::vector<ProfileSite> sites;
  for_each_function(module, [&](const PrimFunction& function, const std::string& path) {
    const bool whole = function.name().rfind(path, 0) == 0;
    const ProfileMark* open = nullptr;
    for (const BlockItem& item : block_items(function.body())) {
      if (item.is_let()) continue;
      const auto* evaluate = stmt_cast<Evaluate>(item.stmt);
      const ProfileMark* mark = evaluate != nullptr ? evaluate->op<ProfileMark>() : nullptr;
      if (mark != nullptr) {
        open = mark->end ? nullptr : mark;
        if (open != nullptr) sites.resize(static_cast<std::size_t>(open->sites));
      } else if (open != nullptr) {
        sites[static_cast<std::size_t>(open->site)] = {
            whole ? function.name() : path + function.name(), item.stmt};
      }
    }
  });
  return sites;
}

}  // namespace tilefoundry
