#include "tilefoundry/inspect/machine_limits.h"

#include <gtest/gtest.h>

namespace tilefoundry {
namespace {

TEST(MachineLimits, are_positive_and_measured_once_a_size) {
  MachineLimits limits(1);
  EXPECT_EQ(limits.threads(), 1);
  const double flops = limits.flops_per_second();
  EXPECT_GT(flops, 1e8);
  EXPECT_EQ(limits.flops_per_second(), flops);
  const double small = limits.read_bytes_per_second(100e3);
  EXPECT_GT(small, 1e7);
  EXPECT_EQ(limits.read_bytes_per_second(110e3), small);
  EXPECT_GT(limits.copy_bytes_per_second(1e6), 1e7);
}

}  // namespace
}  // namespace tilefoundry
