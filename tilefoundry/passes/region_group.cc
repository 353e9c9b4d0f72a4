#include "tilefoundry/passes/region_group.h"

#include <algorithm>
#include <optional>

#include <fmt/format.h>

namespace tilefoundry {
namespace {

// Roots that one leaf writes and that some leaf touches in more than one place.
std::unordered_map<const Var*, bool> written_roots(const std::vector<const Leaf*>& leaves) {
  std::unordered_map<const Var*, bool> written;
  for (const Leaf* leaf : leaves) {
    for (const auto& [root, store] : leaf->roots) {
      if (store) written.emplace(root, true);
    }
  }
  return written;
}

int dim_on_axis(const Leaf& leaf, const Var* root, int axis) {
  for (std::size_t d = 0; d < leaf.dims.size(); ++d) {
    const auto it = leaf.dims[d].axes.find(root);
    if (it != leaf.dims[d].axes.end() && it->second == axis) return static_cast<int>(d);
  }
  return -1;
}

// Follows one dimension of the first leaf through all buffers that the leaves write.
class Propagation {
 public:
  Propagation(const std::vector<const Leaf*>& leaves,
              const std::unordered_map<const Var*, bool>& written,
              const std::unordered_map<const Var*, std::vector<std::size_t>>& touching)
      : leaves_(leaves), written_(written), touching_(touching) {}

  std::optional<GroupDim> run(std::size_t anchor, std::size_t dim) {
    chosen_.assign(leaves_.size(), -1);
    GroupDim out;
    out.extent = leaves_[anchor]->dims[dim].extent;
    if (!choose(anchor, static_cast<int>(dim), out)) return std::nullopt;
    while (!pending_.empty()) {
      const Var* root = pending_.back();
      pending_.pop_back();
      for (const std::size_t i : touching_.at(root)) {
        const int at = dim_on_axis(*leaves_[i], root, out.axes.at(root));
        if (at < 0) {
          failed_ = root;
          return std::nullopt;
        }
        if (!choose(i, at, out)) return std::nullopt;
      }
    }
    for (std::size_t i = 0; i < leaves_.size(); ++i) {
      if (chosen_[i] < 0) return std::nullopt;
      const LeafDim& at = leaves_[i]->dims[static_cast<std::size_t>(chosen_[i])];
      if (leaves_[i]->tile) out.tail = std::min(out.tail, at.tail);
      out.leaf_dims.push_back(static_cast<std::size_t>(chosen_[i]));
    }
    return out;
  }
  // The buffer at which the last run ended, or null.
  const Var* failed() const { return failed_; }

 private:
  bool choose(std::size_t leaf, int dim, GroupDim& out) {
    if (chosen_[leaf] >= 0) {
      if (chosen_[leaf] != dim) failed_ = leaves_[leaf]->roots.begin()->first;
      return chosen_[leaf] == dim;
    }
    chosen_[leaf] = dim;
    const LeafDim& at = leaves_[leaf]->dims[static_cast<std::size_t>(dim)];
    if (at.extent != out.extent) return false;
    for (const auto& [root, store] : leaves_[leaf]->roots) {
      if (!written_.contains(root)) continue;
      const auto axis = at.axes.find(root);
      if (axis == at.axes.end()) {
        failed_ = root;
        return false;
      }
      const auto [it, fresh] = out.axes.emplace(root, axis->second);
      if (it->second != axis->second) {
        failed_ = root;
        return false;
      }
      if (fresh) pending_.push_back(root);
    }
    return true;
  }

  const std::vector<const Leaf*>& leaves_;
  const std::unordered_map<const Var*, bool>& written_;
  const std::unordered_map<const Var*, std::vector<std::size_t>>& touching_;
  std::vector<int> chosen_;
  std::vector<const Var*> pending_;
  const Var* failed_ = nullptr;
};

}  // namespace

std::vector<GroupDim> common_dims(const std::vector<const Leaf*>& leaves, std::string& why) {
  std::vector<GroupDim> out;
  if (leaves.empty()) return out;
  const auto written = written_roots(leaves);
  std::unordered_map<const Var*, std::vector<std::size_t>> touching;
  for (std::size_t i = 0; i < leaves.size(); ++i) {
    for (const auto& [root, store] : leaves[i]->roots) touching[root].push_back(i);
  }
  std::size_t anchor = 0;
  for (std::size_t i = 1; i < leaves.size(); ++i) {
    if (leaves[i]->dims.size() < leaves[anchor]->dims.size()) anchor = i;
  }
  why = "nothing is cut along the same dimension";
  for (std::size_t d = 0; d < leaves[anchor]->dims.size(); ++d) {
    Propagation propagation(leaves, written, touching);
    if (std::optional<GroupDim> dim = propagation.run(anchor, d)) {
      out.push_back(std::move(*dim));
    } else if (propagation.failed() != nullptr) {
      why = fmt::format("{} is not addressed by one dimension on one axis everywhere",
                        propagation.failed()->name());
    }
  }
  return out;
}

}  // namespace tilefoundry
