// Dimensions as isl text, and the parameters that such a text needs.
#pragma once

#include <map>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "tilefoundry/dims/dim.h"

namespace tilefoundry {

// The parameters of one relation, in order of first appearance.
class IslParameters {
 public:
  // An extent: a number, a DimVar's own name, or the opaque name of the whole expression.
  std::string extent(const Dim& dim);
  // A quasi-affine expression over i0, i1... and parameters; nothing when there is none. Symbolic
  // terms become parameters as extents do.
  std::optional<std::string> affine(const Dim& dim);

  // "[S, $0] -> ", or nothing without parameters.
  std::string prefix() const;
  // " and 1 <= S <= 3 and ..." for every parameter with a known end.
  std::string ranges() const;
  std::map<std::string, Dim> map() const;

 private:
  std::string name_of(const Dim& dim);
  const std::string* known(const Dim& dim) const;
  std::optional<std::string> term(const DimTerm& term);
  std::optional<std::string> iteration_factor(const DimNode& node);

  std::vector<std::pair<std::string, Dim>> parameters_;
  std::size_t opaque_ = 0;
};

}  // namespace tilefoundry
