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

// What a value may deviate by: `depth` ops on the longest path to it, the summed lengths of the
// reductions there, and the coarsest rounding. One flipped rounding to bf16 is as large when the
// value is cast to f32 afterwards.
struct ErrorModel {
  std::int64_t depth = 0;
  double reduction_length = 0;  // summed along the longest path
  double rounding = 0;          // largest unit roundoff of 16-bit results on a path; 0 without
  ErrorBound bound(DType dtype) const;
};
// One model per tensor that the function returns, tuples flattened. `extents` gives a value to
// every dimension that occurs in the function.
std::vector<ErrorModel> error_models(const Function& function, const DimSubstitution& extents);

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
