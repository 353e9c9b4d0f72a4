// Reproducible inputs from a counter-based generator: element i of input k is a function of (seed,
// k, i) alone, so values depend neither on threads nor on the machine.
//
// Generator: Philox4x32-10 (Salmon et al., Parallel Random Numbers: As Easy as 1, 2, 3, SC 2011).
#pragma once

#include <array>
#include <cstdint>

#include "tilefoundry/runtime/host_array.h"

namespace tilefoundry {

std::array<std::uint32_t, 4> philox4x32(std::array<std::uint32_t, 4> counter,
                                        std::array<std::uint32_t, 2> key);

// Half-open range of integer values.
struct IntegerRange {
  std::int64_t lo = 0;
  std::int64_t hi = 8;
};

// Floats are N(0, 1) (Box-Muller in double, then rounded to the type), integers uniform in the
// range, bool uniform. ValueError TF6004 for a range that is empty or leaves the type, TF6005 for a
// type without random values (the low-precision floats and the packed integers).
HostArray random_array(const std::string& dtype, std::vector<std::int64_t> shape,
                       std::uint64_t seed, std::uint32_t input, IntegerRange range = {});

}  // namespace tilefoundry
