#include <algorithm>
#include <cmath>

#include "tilefoundry/passes/region_group.h"

namespace tilefoundry {
namespace {

// Nanoseconds on one thread: a byte from beyond L2, a byte in L2, one element of a product's right
// operand put in order, a multiply-add; the start of a block, of a parallel loop.
constexpr double kFarByte = 0.02;
constexpr double kNearByte = 0.005;
constexpr double kOrder = 0.1;
constexpr double kMultiplyAdd = 0.02;
constexpr double kBlockStart = 300;
constexpr double kLoopStart = 4000;
// The parts of L2 that a block's own buffers, and one window that stays for several blocks, may
// fill.
constexpr double kOwnShare = 0.75;
constexpr double kWindowShare = 0.25;
// Extents that are known at run time only are taken as each of these, where their range allows it;
// the estimates are added, the small one as often as its weight says.
struct Scenario {
  std::int64_t extent;
  double weight;
};
constexpr Scenario kScenarios[] = {{1, 8}, {1024, 1}};
// Rows of a block where the extent is known at run time only.
constexpr std::int64_t kMostDynamicRows = 64;

double value_of(const Dim& dim, std::int64_t nominal) {
  const Dim fixed = substitute(dim, [&](const Ref<const DimNode>& node) -> Dim {
    if (const DimVar* var = node->as_var()) {
      return Dim(std::max<std::int64_t>(var->lo, std::min<std::int64_t>(nominal, var->hi - 1)));
    }
    return Dim(1);
  });
  return fixed.is_static() ? static_cast<double>(std::max<std::int64_t>(fixed.value(), 1)) : 1.0;
}

// A buffer that a leaf touches.
struct Operand {
  const Var* buffer;
  double elements;
  double bytes;
  bool is_private;
  bool contracted;              // fusing the nests leaves a row of it at most
  bool ordered;                 // put in order before it is multiplied
  std::vector<bool> addressed;  // by each dimension of the group
};

struct LeafCost {
  double trips;
  double work;
  std::vector<Operand> operands;
};

class Model {
 public:
  Model(const RegionGroup& group, const std::unordered_map<const Var*, bool>& is_private,
        const BlockFacts& facts, std::int64_t nominal)
      : group_(group), facts_(facts), nominal_(nominal) {
    // Touched by a tile op, or both inside and outside of a serial loop: never only a row.
    std::unordered_map<const Var*, bool> kept;
    std::unordered_map<const Var*, Dim> trips;
    for (const Leaf* leaf : group.leaves) {
      for (const auto& [buffer, written] : leaf->buffers) {
        const auto [it, fresh] = trips.emplace(buffer, leaf->trips);
        if (leaf->tile || it->second != leaf->trips) kept.emplace(buffer, true);
      }
    }
    for (std::size_t i = 0; i < group.leaves.size(); ++i) {
      const Leaf& leaf = *group.leaves[i];
      LeafCost cost{value(leaf.trips), leaf.tile ? value(leaf.work) * kMultiplyAdd : 0, {}};
      for (const auto& [buffer, written] : leaf.buffers) {
        Operand operand = describe(leaf, i, buffer);
        operand.is_private = is_private.contains(buffer);
        operand.contracted = operand.is_private && !kept.contains(buffer);
        operand.ordered = leaf.reduces && !written && !is_row_addressed(leaf, buffer);
        cost.operands.push_back(std::move(operand));
      }
      leaves_.push_back(std::move(cost));
    }
    for (const GroupDim& dim : group.dims) extents_.push_back(value(dim.extent));
  }

  // All leaves one after the other, each over its whole range.
  double whole() const {
    double cost = 0;
    for (const LeafCost& leaf : leaves_) {
      double one = leaf.work;
      for (const Operand& operand : leaf.operands) {
        one += operand.bytes * (operand.contracted ? kNearByte : kFarByte) +
               (operand.ordered ? operand.elements * kOrder : 0);
      }
      cost += leaf.trips * (one / facts_.threads + kLoopStart);
    }
    return cost;
  }

  // Block by block, with the blocks that the group's dimensions have now.
  double by_blocks() const {
    const double l2 = static_cast<double>(facts_.l2_bytes);
    const bool near = footprint() <= kOwnShare * l2;
    double block = kBlockStart;
    for (const LeafCost& leaf : leaves_) {
      double one = leaf.work * share(std::vector<bool>(extents_.size(), true));
      for (const Operand& operand : leaf.operands) {
        const double part = share(operand.addressed);
        const double bytes = operand.bytes * part;
        const bool close = operand.contracted || (near && operand.is_private);
        const bool stays = near && bytes <= kWindowShare * l2;
        const double times = stays ? repeats(operand) : 1;
        one += bytes * (close ? kNearByte : kNearByte + (kFarByte - kNearByte) / times);
        if (operand.ordered) one += operand.elements * part * kOrder;
      }
      block += leaf.trips * one;
    }
    return block * std::ceil(blocks() / facts_.threads) + kLoopStart;
  }

  double blocks() const {
    double count = 1;
    for (std::size_t d = 0; d < extents_.size(); ++d) count *= blocks_of(d);
    return count;
  }

 private:
  double value(const Dim& dim) const { return value_of(dim, nominal_); }

  Operand describe(const Leaf& leaf, std::size_t number, const Var* buffer) const {
    const TensorType& type = *as_tensor(buffer->type());
    Operand out{buffer, 1, 0, false, false, false, {}};
    for (const Dim& extent : type.shape()) out.elements *= value(extent);
    out.bytes = out.elements * std::max(1.0, static_cast<double>(type.dtype().bits()) / 8);
    for (const GroupDim& dim : group_.dims) {
      const LeafDim& at = leaf.dims[dim.leaf_dims[number]];
      out.addressed.push_back(at.buffer_axes.contains(buffer));
    }
    return out;
  }

  static bool is_row_addressed(const Leaf& leaf, const Var* buffer) {
    return std::any_of(leaf.dims.begin(), leaf.dims.end(), [&](const LeafDim& dim) {
      return dim.tail == 1 && dim.buffer_axes.contains(buffer);
    });
  }

  double blocks_of(std::size_t d) const {
    const std::int64_t block = group_.dims[d].block;
    return block == 0 ? 1 : std::ceil(extents_[d] / static_cast<double>(block));
  }

  // What one block has of something that the dimensions address.
  double share(const std::vector<bool>& addressed) const {
    double part = 1;
    for (std::size_t d = 0; d < extents_.size(); ++d) {
      const std::int64_t block = group_.dims[d].block;
      if (block != 0 && addressed[d]) {
        part *= std::min(1.0, static_cast<double>(block) / extents_[d]);
      }
    }
    return part;
  }

  // How many blocks in a row use the same window.
  double repeats(const Operand& operand) const {
    double count = 1;
    for (std::size_t d = extents_.size(); d-- > 0;) {
      if (group_.dims[d].block == 0) continue;
      if (operand.addressed[d]) break;
      count *= blocks_of(d);
    }
    return count;
  }

  // Bytes of the private buffers of one block.
  double footprint() const {
    std::unordered_map<const Var*, double> bytes;
    for (const LeafCost& leaf : leaves_) {
      for (const Operand& operand : leaf.operands) {
        if (!operand.is_private || operand.contracted) continue;
        bytes[operand.buffer] = operand.bytes * share(operand.addressed);
      }
    }
    double sum = 0;
    for (const auto& [buffer, size] : bytes) sum += size;
    return sum;
  }

  const RegionGroup& group_;
  const BlockFacts& facts_;
  std::int64_t nominal_;
  std::vector<LeafCost> leaves_;
  std::vector<double> extents_;
};

std::vector<std::int64_t> candidates(const GroupDim& dim) {
  if (dim.extent.is(1)) return {0};
  if (dim.tail >= 2) return {1};
  std::vector<std::int64_t> sizes{0};
  for (const std::int64_t size : {512, 256, 128, 64, 32, 16}) {
    if (dim.tail == 0 && size < 64) continue;
    if (!dim.extent.is_static() && size > kMostDynamicRows) continue;
    if (!dim.extent.is_static() || size < dim.extent.value()) sizes.push_back(size);
  }
  return sizes;
}

// Whether every extent of a leaf's buffers is known.
bool is_static(const Leaf* leaf) {
  return std::all_of(leaf->buffers.begin(), leaf->buffers.end(), [](const auto& entry) {
    const Shape& shape = as_tensor(entry.first->type())->shape();
    return std::all_of(shape.begin(), shape.end(), [](const Dim& dim) { return dim.is_static(); });
  });
}

}  // namespace

void choose_blocks(RegionGroup& group, const std::unordered_map<const Var*, bool>& is_private,
                   const BlockFacts& facts) {
  const bool fixed = std::all_of(group.leaves.begin(), group.leaves.end(), is_static);
  std::vector<std::pair<Model, double>> models;
  for (const Scenario& scenario : kScenarios) {
    models.emplace_back(Model(group, is_private, facts, scenario.extent), scenario.weight);
    if (fixed) break;
  }
  const auto sum = [&](double (Model::*cost)() const) {
    double total = 0;
    for (const auto& [model, weight] : models) total += (model.*cost)() * (fixed ? 1 : weight);
    return total;
  };
  for (GroupDim& dim : group.dims) dim.block = 0;
  group.cost = sum(&Model::whole);
  group.cut = false;
  if (group.dims.empty() || !group.has_seed) return;
  std::vector<std::vector<std::int64_t>> sizes;
  for (const GroupDim& dim : group.dims) sizes.push_back(candidates(dim));
  std::vector<std::size_t> at(group.dims.size(), 0);
  std::vector<std::int64_t> best(group.dims.size(), 0);
  while (true) {
    for (std::size_t d = 0; d < at.size(); ++d) group.dims[d].block = sizes[d][at[d]];
    const double cost = sum(&Model::by_blocks);
    if (models.back().first.blocks() > 1 && cost < group.cost) {
      group.cost = cost;
      group.cut = true;
      for (std::size_t d = 0; d < at.size(); ++d) best[d] = group.dims[d].block;
    }
    std::size_t d = 0;
    while (d < at.size() && ++at[d] == sizes[d].size()) at[d++] = 0;
    if (d == at.size()) break;
  }
  for (std::size_t d = 0; d < at.size(); ++d) group.dims[d].block = best[d];
}

}  // namespace tilefoundry
