// Access relations of ops (visitor-registry seed 4.1, 4.2).
//
// An op's iteration domain is a box of extents; each boundary value (inputs, then outputs) has an
// index expression per axis over the iteration variables `iter(0)`, `iter(1)`... This skeleton is
// what typing and lowering read; the isl values are built from it on first use.
#pragma once

#include <map>
#include <memory>
#include <string>
#include <variant>
#include <vector>

#include "tilefoundry/dims/dim.h"
#include "tilefoundry/relation/isl.h"

namespace tilefoundry {

// The k-th iteration variable as a dimension; prints as `i<k>`.
Dim iter(std::size_t k);
// k when the node is `iter(k)`, else -1.
int iter_index(const DimNode& node);
// k when the dimension is exactly `iter(k)`, else -1.
int as_iter(const Dim& dim);

// Restricts an access to lo <= iter(dim) < hi: an input of `concat` covers part of the domain.
struct IterGuard {
  std::size_t dim;
  Dim lo;
  Dim hi;
  friend bool operator==(const IterGuard&, const IterGuard&) = default;
};

// How one boundary value is addressed.
struct BoundaryAccess {
  Shape index;  // one expression per axis
  std::vector<IterGuard> guards;
  // Data-dependent or outside the affine framework: `index` does not hold.
  bool opaque = false;

  static BoundaryAccess of(Shape index) { return {std::move(index), {}, false}; }
  static BoundaryAccess opaque_access() { return {{}, {}, true}; }
  friend bool operator==(const BoundaryAccess&, const BoundaryAccess&) = default;
};

// The forward relation of one call. Holds no tensor shape.
class AccessRelationResult {
 public:
  AccessRelationResult(Shape extents, std::vector<BoundaryAccess> accesses);
  // From isl values, as a handler outside the tree may give them; recovers the skeleton. Throws
  // ValueError (TF3060) when the domain is not a box or a map is not quasi-affine.
  static AccessRelationResult from_isl(IslSet domain, std::vector<IslMap> maps,
                                       std::map<std::string, Dim> param_map);

  const Shape& extents() const noexcept { return extents_; }
  const std::vector<BoundaryAccess>& accesses() const noexcept { return accesses_; }

  // The bounded iteration domain. A bare DimVar extent is a parameter of its name with its range;
  // any other symbolic extent (and a name that isl reserves) an opaque parameter `$0`, `$1`...,
  // numbered by first appearance; only its bounds enter isl. Symbolic terms of the indices are
  // parameters too, bounded alike.
  const IslSet& domain() const;
  // One map per boundary from the domain to the tensor's index space. A boundary that is opaque or
  // not quasi-affine maps to the universe of its rank (`index.size()`).
  const std::vector<IslMap>& maps() const;
  // Parameter name to the dimension it stands for; exactly the parameters of `domain()`.
  const std::map<std::string, Dim>& param_map() const;

 private:
  struct IslView;  // built once, shared by copies
  const IslView& view() const;
  Shape extents_;
  std::vector<BoundaryAccess> accesses_;
  std::shared_ptr<IslView> view_;
};

// The extents that boundary `boundary` needs so that every index is in range, under its guards: the
// end of an iteration variable, 1 for a constant 0, the largest value plus 1 otherwise.
Shape boundary_shape(const AccessRelationResult& relation, std::size_t boundary);

// Per-boundary classification (seed 4.2).
struct OpaqueRelation {
  friend bool operator==(OpaqueRelation, OpaqueRelation) { return true; }
};
inline constexpr OpaqueRelation OPAQUE{};
using AccessRelation = std::variant<IslMultiAff, IslMap, OpaqueRelation>;

struct AccessRelations {
  std::vector<AccessRelation> inputs;
  std::vector<AccessRelation> outputs;
};

// The classification that follows from a forward relation: a multi_aff where the access is a
// single-valued function of the iteration, a map where it is guarded, OPAQUE where it is opaque.
// `input_count` of the accesses are inputs.
AccessRelations classify(const AccessRelationResult& relation, std::size_t input_count);

}  // namespace tilefoundry
