// The iteration variables as dimensions.
#include <array>
#include <deque>
#include <mutex>

#include "tilefoundry/dims/dim_arithmetic.h"
#include "tilefoundry/relation/relation.h"

namespace tilefoundry {
namespace {

// Above every serial that a variable of a program can get: iteration variables sort last.
constexpr std::uint64_t kFirstSerial = std::uint64_t{1} << 63;

class IterAtom final : public RefCounted, public DimAtom {
 public:
  explicit IterAtom(std::size_t index) : index_(index) {}
  std::string dim_name() const override { return "i" + std::to_string(index_); }
  std::uint64_t dim_serial() const override { return kFirstSerial + index_; }
  const RefCounted& dim_owner() const override { return *this; }

 private:
  std::size_t index_;
};

Dim make_iter(std::size_t k) {
  const auto atom = make_ref<IterAtom>(k);
  return dim_atom(*atom);
}

constexpr std::size_t kCommon = 16;

std::array<Dim, kCommon> make_common() {
  std::array<Dim, kCommon> out;
  for (std::size_t k = 0; k < kCommon; ++k) out[k] = make_iter(k);
  return out;
}

Dim uncommon_iter(std::size_t k) {
  static auto* mutex = new std::mutex();
  static auto* iters = new std::deque<Dim>();
  const std::lock_guard<std::mutex> lock(*mutex);
  while (iters->size() <= k) iters->push_back(make_iter(kCommon + iters->size()));
  return (*iters)[k];
}

}  // namespace

Dim iter(std::size_t k) {
  static const auto* common = new std::array<Dim, kCommon>(make_common());
  return k < kCommon ? (*common)[k] : uncommon_iter(k - kCommon);
}

int iter_index(const DimNode& node) {
  const DimAtom* atom = node.as_atom();
  if (atom == nullptr || atom->dim_serial() < kFirstSerial) return -1;
  return static_cast<int>(atom->dim_serial() - kFirstSerial);
}

int as_iter(const Dim& dim) { return dim.node() ? iter_index(*dim.node()) : -1; }

namespace {

// First and past-the-last values of the iteration variables.
struct IterRanges {
  Shape lo;
  Shape hi;
};

// The extreme value of an index; exact where each variable occurs once.
Dim extreme(const Dim& index, const IterRanges& ranges, bool maximize);

Dim extreme_of_node(const DimNode& node, const IterRanges& ranges, bool maximize) {
  const int k = iter_index(node);
  if (k >= 0) {
    const auto at = static_cast<std::size_t>(k);
    return maximize ? ranges.hi.at(at) - 1 : ranges.lo.at(at);
  }
  const DimApply* apply = node.as_apply();
  if (apply == nullptr) return Dim(Ref<const DimNode>(&node));
  const Dim& first = apply->operands.front();
  switch (apply->op) {
    case DimOp::floordiv: return floordiv(extreme(first, ranges, maximize), apply->operands[1]);
    case DimOp::mod: {
      if (!maximize) return 0;
      const Dim top = apply->operands[1] - 1;
      const DimBounds low = dim_bounds(extreme(first, ranges, false));
      return low.lo && *low.lo >= 0 ? dim_min(extreme(first, ranges, true), top) : top;
    }
    case DimOp::min:
    case DimOp::max: {
      std::vector<Dim> operands;
      for (const Dim& operand : apply->operands) {
        operands.push_back(extreme(operand, ranges, maximize));
      }
      return dim_apply(apply->op, operands);
    }
  }
  return first;
}

bool depends_on_iteration(const Dim& dim) {
  bool found = false;
  for_each_dim_atom(dim, [&](const DimNode& node) { found = found || iter_index(node) >= 0; });
  return found;
}

Dim extreme(const Dim& index, const IterRanges& ranges, bool maximize) {
  if (!depends_on_iteration(index)) return index;
  const DimSum sum = dim_as_sum(index);
  Dim total = sum.constant;
  for (const DimTerm& term : sum.terms) {
    const bool same_direction = term.coefficient >= 0;
    Dim product = term.coefficient;
    for (const auto& factor : term.factors) {
      product = product * extreme_of_node(*factor, ranges, maximize == same_direction);
    }
    total = total + product;
  }
  return total;
}

}  // namespace

Shape boundary_shape(const AccessRelationResult& relation, std::size_t boundary) {
  const BoundaryAccess& access = relation.accesses().at(boundary);
  IterRanges ranges{Shape(relation.extents().size(), Dim(0)), relation.extents()};
  for (const IterGuard& guard : access.guards) {
    ranges.lo.at(guard.dim) = guard.lo;
    ranges.hi.at(guard.dim) = guard.hi;
  }
  Shape shape;
  for (const Dim& index : access.index) {
    const int k = as_iter(index);
    shape.push_back(k >= 0 ? ranges.hi.at(static_cast<std::size_t>(k))
                           : extreme(index, ranges, true) + 1);
  }
  return shape;
}

}  // namespace tilefoundry
