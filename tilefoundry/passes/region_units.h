// What region tiling works on: the statements of a block, cut into leaves (loop nests and tile ops)
// with the dimensions that they may be cut along.
#pragma once

#include <string>
#include <unordered_map>
#include <unordered_set>
#include <vector>

#include "tilefoundry/ir/tir/block.h"
#include "tilefoundry/passes/view_axes.h"

namespace tilefoundry {

// A dimension of a leaf whose parts can run by themselves: everything that the leaf writes is
// addressed by it on one axis.
struct LeafDim {
  Dim extent;
  const For* loop = nullptr;  // of a nest
  int iter = -1;              // of a tile op's relation
  int tail = 2;  // fewest axes that follow the one it addresses in what is written, at most 2
  std::unordered_map<const Var*, int> axes;         // of root buffers
  std::unordered_map<const Var*, int> buffer_axes;  // of buffers as they are named
};

struct Leaf {
  StmtRef stmt;
  bool tile = false;
  bool reduces = false;  // a tile op with iterations that its result does not have
  std::vector<LeafDim> dims;
  std::unordered_map<const Var*, bool> roots;    // touched, and whether written
  std::unordered_map<const Var*, bool> buffers;  // the same as they are named
  Dim work = 0;                                  // of a tile op: points of its iteration domain
  Dim trips = 1;                                 // of the serial loops around it, within its unit
};

// One item of a block.
struct RegionUnit {
  BlockItem item;
  std::string label;                           // how remarks name it
  std::vector<Leaf> leaves;                    // none: it cannot be cut
  bool barrier = false;                        // nothing moves past it
  bool is_seed = false;                        // a tile op or a serial loop over several leaves
  std::vector<VarRef> allocs;                  // in the bodies of its serial loops
  std::unordered_map<const Var*, bool> roots;  // touched, and whether written
  std::unordered_set<const Var*> uses;         // every variable that it reads, bounds included
};

RegionUnit make_region_unit(const BlockItem& item, const ViewAxes& views);

// Whether a statement may end the call, or is code that nothing is known about.
bool may_end_call(const StmtRef& stmt);

}  // namespace tilefoundry
