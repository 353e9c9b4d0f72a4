// Comparing results with the reference interpreter, within bounds computed from the program.
//
// Generated code and the evaluator round every op's result alike; they differ in the order of
// reductions and in the last bits of transcendental functions. For f32 that shifts an element by a
// few units in the last place per op plus a random walk over each reduction. For 16-bit floats the
// same shifts only flip the rounding of a few elements, so the root mean square is held as well: an
// intermediate result that was not rounded moves nearly every element.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "tilefoundry/evaluate/host_tensor.h"
#include "tilefoundry/ir/module.h"

namespace tilefoundry {

// Relative to max(|reference element|, root mean square of the reference).
struct ErrorBound {
  double largest = 0;  // of any element; 0: exact
  double rms = 0;      // root mean square over all elements
};

// What a function's results may deviate by: `depth` ops on the longest path, and the summed lengths
// of its reductions, for one dtype.
struct ErrorModel {
  std::int64_t depth = 0;
  double reduction_length = 0;  // summed along the longest path
  ErrorBound bound(DType dtype) const;
};
// `extents` gives a value to every dimension that occurs in the function.
ErrorModel error_model(const Function& function, const DimSubstitution& extents);

struct Comparison {
  double reference_norm = 0;  // Euclidean
  double largest_absolute = 0;
  double largest_relative = 0;  // as ErrorBound measures
  double rms_relative = 0;
  std::int64_t mismatches = 0;  // elements beyond the bound; nan equals nan, inf equals inf
  bool passed = false;
};
// The two have one dtype and shape.
Comparison compare_tensors(const HostTensor& reference, const HostTensor& result,
                           const ErrorBound& bound);

}  // namespace tilefoundry
