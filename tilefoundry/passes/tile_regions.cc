#include "tilefoundry/passes/tile_regions.h"

#include <algorithm>
#include <set>

#include <fmt/format.h>

#include "tilefoundry/ir/tir/ops.h"
#include "tilefoundry/passes/region_rewrite.h"
#include "tilefoundry/support/diagnostic.h"
#include "tilefoundry/support/text.h"

namespace tilefoundry {
namespace {

// How many earlier groups a unit is compared with, and how many leaves a group holds.
constexpr std::size_t kWindow = 24;
constexpr std::size_t kMostLeaves = 64;

struct Shared {
  const ViewAxes& views;
  const RegionOptions& options;
  std::set<std::string>& names;  // of block loops of the function so far
  std::vector<std::string>& remarks;
};

// Two units that stay apart.
struct Refusal {
  std::size_t first;
  std::size_t second;
  std::string why;
};

bool is_alloc(const BlockItem& item) {
  const auto* call = item.is_let() ? expr_cast<Call>(item.value) : nullptr;
  return call != nullptr && call->op<AllocTensor>() != nullptr;
}

// Allocations, constants and views of those; what depends on nothing that is `pinned`.
bool is_movable(const BlockItem& item, const std::unordered_set<const Var*>& pinned) {
  if (is_alloc(item) || expr_cast<Constant>(item.value) != nullptr) return true;
  const auto* call = expr_cast<Call>(item.value);
  if (call == nullptr || call->op<TensorView>() == nullptr) return false;
  if (pinned.contains(expr_cast<Var>(call->args()[0]))) return false;
  bool fixed = true;
  for (const Dim& start : index_dims(call->args(), 1)) {
    for_each_dim_atom(start, [&](const DimNode& node) {
      const auto* var = node.as_atom() ? dynamic_cast<const Var*>(node.as_atom()) : nullptr;
      fixed = fixed && !pinned.contains(var);
    });
  }
  return fixed;
}

using Roots = std::unordered_map<const Var*, bool>;

bool share_memory(const Roots& a, const Roots& b) {
  if (a.size() > b.size()) return share_memory(b, a);
  return std::any_of(a.begin(), a.end(), [&](const auto& touched) {
    const auto it = b.find(touched.first);
    return it != b.end() && (touched.second || it->second);
  });
}

// Whether the two may not change places.
bool conflict(const RegionUnit& a, const RegionUnit& b) {
  if (a.barrier || b.barrier) return true;
  if (a.item.is_let() && b.uses.contains(a.item.var.get())) return true;
  if (b.item.is_let() && a.uses.contains(b.item.var.get())) return true;
  return share_memory(a.roots, b.roots);
}

class BlockTiler {
 public:
  explicit BlockTiler(Shared shared) : shared_(shared) {}

  // Recurses on the nesting of loops only.
  StmtRef run(const StmtRef& body) {
    split(block_items(body));
    make_groups();
    bool changed = false;
    Block rest;
    for (std::size_t g = 0; g < groups_.size(); ++g) {
      if (groups_[g].cut) {
        changed = emit_blocks(groups_[g], rest) || changed;
      } else {
        changed = emit_units(groups_[g], rest) || changed;
      }
    }
    if (!changed) return body;
    Block out;
    for (const BlockItem& item : leading_) {
      if (!moved_.contains(item.var.get())) out.push_back(item);
    }
    std::move(rest.begin(), rest.end(), std::back_inserter(out));
    return make_block(out);
  }

 private:
  void split(const Block& items) {
    std::unordered_set<const Var*> pinned;
    for (const BlockItem& item : items) {
      if (item.is_let() && is_movable(item, pinned)) {
        leading_.push_back(item);
        if (is_alloc(item)) allocated_.insert(item.var.get());
        continue;
      }
      if (item.is_let()) pinned.insert(item.var.get());
      units_.push_back(make_region_unit(item, shared_.views));
    }
    for (const RegionUnit& unit : units_) {
      for (const auto& [root, written] : unit.roots) ++uses_[root];
      for (const Var* var : unit.uses) {
        if (!unit.roots.contains(shared_.views.root(var))) ++uses_[shared_.views.root(var)];
      }
    }
  }

  // Where no product or serial loop is near, nests are left to fuse_loops.
  std::vector<bool> near_seeds() const {
    std::vector<bool> near(units_.size(), false);
    for (std::size_t i = 0; i < units_.size(); ++i) {
      if (!units_[i].is_seed) continue;
      const std::size_t end = std::min(units_.size(), i + kWindow + 1);
      for (std::size_t k = i > kWindow ? i - kWindow : 0; k < end; ++k) near[k] = true;
    }
    return near;
  }

  void make_groups() {
    const std::vector<bool> near = near_seeds();
    for (std::size_t i = 0; i < units_.size(); ++i) {
      RegionGroup alone;
      alone.units = {i};
      alone.roots = units_[i].roots;
      for (const Leaf& leaf : units_[i].leaves) alone.leaves.push_back(&leaf);
      alone.has_seed = units_[i].is_seed;
      std::string why;
      if (near[i]) alone.dims = common_dims(alone.leaves, why);
      if (alone.has_seed) price(alone);
      std::size_t at = groups_.size();
      groups_.push_back(std::move(alone));
      if (units_[i].leaves.empty() || !near[i]) continue;
      const std::size_t least = at > kWindow ? at - kWindow : 0;
      for (std::size_t p = at; p-- > least;) join(p, at);
    }
  }

  // Whether a group may move past all groups between two places.
  bool clear(const RegionGroup& moved, std::size_t from, std::size_t to) const {
    for (std::size_t k = from + 1; k < to; ++k) {
      for (const std::size_t i : moved.units) {
        for (const std::size_t j : groups_[k].units) {
          if (conflict(units_[i], units_[j])) return false;
        }
      }
    }
    return true;
  }

  // Joins group p with the later group `at` where that is legal and pays. Nests join among
  // themselves where they lose no dimension: they are fused anyway.
  void join(std::size_t p, std::size_t& at) {
    RegionGroup& first = groups_[p];
    RegionGroup& second = groups_[at];
    if (first.leaves.empty() || !share_memory(first.roots, second.roots)) return;
    if (first.leaves.size() + second.leaves.size() > kMostLeaves) {
      return refuse(first, second, "the group would be too large");
    }
    std::string why;
    RegionGroup both;
    both.units = first.units;
    both.units.insert(both.units.end(), second.units.begin(), second.units.end());
    both.leaves = first.leaves;
    both.leaves.insert(both.leaves.end(), second.leaves.begin(), second.leaves.end());
    both.has_seed = first.has_seed || second.has_seed;
    both.roots = first.roots;
    for (const auto& [root, written] : second.roots) both.roots[root] |= written;
    both.dims = common_dims(both.leaves, why);
    if (both.dims.empty()) return refuse(first, second, why);
    if (!both.has_seed && both.dims.size() < std::min(first.dims.size(), second.dims.size())) {
      return;
    }
    if (both.has_seed) {
      for (RegionGroup* group : {&first, &second, &both}) {
        if (group->cost < 0) price(*group);
      }
    }
    if (both.has_seed && !both.cut) return refuse(first, second, "no blocks of both are faster");
    if (both.has_seed && both.cost >= first.cost + second.cost) {
      return refuse(first, second,
                    fmt::format("block by block it would take {:.0f} us, apart {:.0f} us",
                                both.cost / 1000, (first.cost + second.cost) / 1000));
    }
    if (clear(first, p, at)) {
      groups_[at] = std::move(both);
      groups_.erase(groups_.begin() + static_cast<std::ptrdiff_t>(p));
      --at;
    } else if (clear(second, p, at)) {
      groups_[p] = std::move(both);
      groups_.erase(groups_.begin() + static_cast<std::ptrdiff_t>(at));
      at = p;
    } else {
      refuse(first, second, "what stands between them depends on both");
    }
  }

  void refuse(const RegionGroup& first, const RegionGroup& second, std::string why) {
    if (!first.has_seed && !second.has_seed) return;
    refusals_.push_back({first.units.back(), second.units.front(), std::move(why)});
  }

  // The buffers that only the group touches.
  std::unordered_map<const Var*, bool> private_roots(const RegionGroup& group) const {
    std::unordered_map<const Var*, std::size_t> inside;
    std::unordered_map<const Var*, bool> out;
    for (const std::size_t i : group.units) {
      for (const auto& [root, written] : units_[i].roots) ++inside[root];
      for (const VarRef& buffer : units_[i].allocs) out.emplace(buffer.get(), true);
    }
    for (const auto& [root, count] : inside) {
      if (allocated_.contains(root) && uses_.at(root) == count) out.emplace(root, true);
    }
    return out;
  }

  void price(RegionGroup& group) const {
    choose_blocks(group, private_roots(group), shared_.options.facts);
  }

  bool emit_units(const RegionGroup& group, Block& out) {
    bool changed = false;
    for (const std::size_t i : group.units) {
      BlockItem item = units_[i].item;
      if (const auto* loop = item.is_let() ? nullptr : stmt_cast<For>(item.stmt)) {
        StmtRef body = BlockTiler(shared_).run(loop->body());
        if (body != loop->body()) {
          item = BlockItem::of(loop->with_body(std::move(body)));
          changed = true;
        }
      }
      report_refusals(group, i);
      out.push_back(std::move(item));
    }
    return changed;
  }

  bool emit_blocks(RegionGroup& group, Block& out) {
    const std::vector<std::string> names = loop_names(group);
    set_blocks(group, names);
    if (!group.cut) return emit_units(group, out);
    std::vector<VarRef> temporaries;
    const auto is_private = private_roots(group);
    for (const BlockItem& item : leading_) {
      const Var* buffer = item.var.get();
      if (!is_alloc(item) || !is_private.contains(buffer)) continue;
      if (shared_.views.has_views(buffer) || as_tensor(buffer->type())->layout()) continue;
      temporaries.push_back(item.var);
      moved_.insert(buffer);
    }
    std::vector<const RegionUnit*> members;
    for (const std::size_t i : group.units) members.push_back(&units_[i]);
    out.push_back(BlockItem::of(rewrite_region(group, members, temporaries, names, shared_.views)));
    report_group(group, names);
    return true;
  }

  // The sizes that were asked for.
  void set_blocks(RegionGroup& group, const std::vector<std::string>& names) const {
    for (std::size_t d = 0; d < names.size(); ++d) {
      const auto it = shared_.options.blocks.find(names[d]);
      if (it == shared_.options.blocks.end()) continue;
      const Dim& extent = group.dims[d].extent;
      const bool whole = extent.is_static() && it->second >= extent.value();
      group.dims[d].block = whole ? 0 : it->second;
    }
    group.cut = std::any_of(group.dims.begin(), group.dims.end(),
                            [](const GroupDim& dim) { return dim.block != 0; });
  }

  // The last buffer that the group writes and the axis of it that each dimension addresses.
  std::vector<std::string> loop_names(const RegionGroup& group) {
    std::vector<std::string> names;
    const Var* last = nullptr;
    for (const auto& [root, written] : group.leaves.back()->roots) {
      if (written) last = root;
    }
    for (const GroupDim& dim : group.dims) {
      const auto it = dim.axes.find(last);
      const int axis = it == dim.axes.end() ? 0 : it->second;
      const std::string base = last == nullptr ? "block" : last->name();
      std::string name = fmt::format("{}_axis{}", base, axis);
      for (int copy = 2; !shared_.names.insert(name).second; ++copy) {
        name = fmt::format("{}_axis{}_{}", base, axis, copy);
      }
      names.push_back(std::move(name));
    }
    return names;
  }

  void report_group(const RegionGroup& group, const std::vector<std::string>& names) {
    std::string blocks;
    for (std::size_t d = 0; d < names.size(); ++d) {
      const std::string extent = group.dims[d].extent.text();
      blocks += fmt::format("{}{} = {} of {}", d == 0 ? "" : ", ", names[d],
                            group.dims[d].block == 0 ? extent : std::to_string(group.dims[d].block),
                            extent);
    }
    std::string joined;
    for (const std::size_t i : group.units) {
      joined += (joined.empty() ? "" : ", ") + units_[i].label;
    }
    shared_.remarks.push_back(fmt::format("blocks {}: {}", blocks, joined));
    for (const std::size_t i : group.units) report_refusals(group, i);
  }

  // Why a unit of a group stayed apart from earlier ones.
  void report_refusals(const RegionGroup& group, std::size_t unit) {
    for (std::size_t r = 0; r < refusals_.size(); ++r) {
      const Refusal& refusal = refusals_[r];
      if (refusal.second != unit) continue;
      const bool joined =
          std::find(group.units.begin(), group.units.end(), refusal.first) != group.units.end();
      const bool again =
          std::any_of(refusals_.begin() + static_cast<std::ptrdiff_t>(r) + 1, refusals_.end(),
                      [&](const Refusal& later) {
                        return later.first == refusal.first && later.second == refusal.second;
                      });
      if (joined || again) continue;
      shared_.remarks.push_back(fmt::format("{} is not joined with {}: {}", units_[unit].label,
                                            units_[refusal.first].label, refusal.why));
    }
  }

  Shared shared_;
  Block leading_;
  std::vector<RegionUnit> units_;
  std::unordered_set<const Var*> allocated_;
  std::unordered_map<const Var*, std::size_t> uses_;  // units that touch each root
  std::vector<RegionGroup> groups_;
  std::vector<Refusal> refusals_;
  std::unordered_set<const Var*> moved_;
};

class TileRegionsPass final : public PrimFuncPass {
 public:
  explicit TileRegionsPass(RegionOptions options) : options_(std::move(options)) {}

  const std::string& name() const override {
    static const std::string text = "tile_regions";
    return text;
  }
  const std::vector<std::string>& requires_passes() const override {
    static const std::vector<std::string> names = {"hir_to_tir"};
    return names;
  }
  PrimFunctionRef run_prim_func(const PrimFunctionRef& function, const ModuleRef& module) override {
    const TargetRef& target = function->target() ? function->target() : module->target();
    if (target && target->name() != "cpu") return function;
    std::set<std::string> names;
    const ViewAxes views(function->body());
    std::vector<std::string> remarks;
    StmtRef body = BlockTiler({views, options_, names, remarks}).run(function->body());
    for (const std::string& remark : remarks) {
      remarks_.push_back(fmt::format("{}: {}", function->name(), remark));
    }
    names_.merge(names);
    return body == function->body() ? function : function->with_body(std::move(body));
  }

  ModuleRef run(const ModuleRef& module) override {
    names_.clear();
    remarks_.clear();
    for (const auto& [name, size] : options_.blocks) {
      check(size >= 1, "TF4471", fmt::format("the block size {} of {} is less than 1", size, name),
            "a block has at least one element");
    }
    ModuleRef result = PrimFuncPass::run(module);
    const std::vector<std::string> known(names_.begin(), names_.end());
    for (const auto& [name, size] : options_.blocks) {
      const std::string close = closest_match(name, known, 3);
      const std::string hint = close.empty() ? "" : fmt::format("did you mean \"{}\"? ", close);
      check(names_.contains(name), "TF4470", fmt::format("there is no block loop \"{}\"", name),
            known.empty() ? "this program has no block loops"
                          : fmt::format("{}the block loops are {}", hint, join(known, ", ")));
    }
    return result;
  }

  const std::vector<std::string>& remarks() const override { return remarks_; }

 private:
  static void check(bool fine, const char* code, std::string message, std::string hint) {
    if (fine) return;
    throw PassError(
        Diagnostic{.code = code, .message = std::move(message), .hint = std::move(hint)});
  }

  RegionOptions options_;
  std::set<std::string> names_;  // of block loops, in the last run
  std::vector<std::string> remarks_;
};

}  // namespace

std::shared_ptr<Pass> make_tile_regions(RegionOptions options) {
  return std::make_shared<TileRegionsPass>(std::move(options));
}

}  // namespace tilefoundry
