#include <gtest/gtest.h>

#include "tilefoundry/support/diagnostic.h"
#include "tilefoundry/target/cpu_target.h"
#include "tilefoundry/target/cuda_target.h"

namespace tilefoundry {
namespace {

TEST(Target, defaults_print_without_fields) {
  EXPECT_EQ(CpuTarget::make()->repr(), "CpuTarget()");
  EXPECT_EQ(CudaTarget::make()->repr(), "CudaTarget()");
  EXPECT_EQ(default_target()->repr(), "CpuTarget()");
  EXPECT_EQ(CpuTarget::make("avx2,fma", 4)->repr(), "CpuTarget(features=\"avx2,fma\", threads=4)");
  EXPECT_EQ(CudaTarget::make("sm_80")->repr(), "CudaTarget(arch=\"sm_80\")");
}

TEST(Target, equality_is_by_value_and_class) {
  EXPECT_TRUE(same_target(CpuTarget::make(), default_target()));
  EXPECT_FALSE(same_target(CpuTarget::make("avx2"), default_target()));
  EXPECT_FALSE(same_target(CpuTarget::make("native", 2), default_target()));
  EXPECT_TRUE(same_target(CudaTarget::make("sm_90"), CudaTarget::make()));
  EXPECT_FALSE(same_target(CudaTarget::make("sm_80"), CudaTarget::make()));
  EXPECT_FALSE(same_target(CpuTarget::make(), CudaTarget::make()));
}

TEST(Target, unfit_fields_are_refused) {
  EXPECT_THROW(CpuTarget::make("native", -1), ValueError);
  for (const char* arch : {"", "90", "sm_", "sm_x", "sm_9", "sm_90aa", "compute_90"}) {
    EXPECT_THROW(CudaTarget::make(arch), ValueError) << arch;
  }
  EXPECT_EQ(CudaTarget::make("sm_90a")->arch(), "sm_90a");
}

}  // namespace
}  // namespace tilefoundry
