// The CPU as a compilation target.
#pragma once

#include <string>

#include "tilefoundry/ir/target.h"

namespace tilefoundry {

// `features`: "native" (the CPU that compiles), "none", or the compiler's names joined by ','.
// `threads`: workers that a call uses when it does not say; 0: as many as there are cores.
class CpuTarget final : public Target {
 public:
  static Ref<const CpuTarget> make(std::string features = "native", int threads = 0);

  const std::string& features() const noexcept { return features_; }
  int threads() const noexcept { return threads_; }

  const std::string& name() const override;
  // `CpuTarget()`, `CpuTarget(features="avx2,fma", threads=4)`: defaults are left out.
  std::string repr() const override;
  std::string provider() const override { return "tilefoundry.target"; }
  std::string class_name() const override { return "CpuTarget"; }
  bool equals(const Target& other) const override;

 private:
  CpuTarget(std::string features, int threads)
      : features_(std::move(features)), threads_(threads) {}
  std::string features_;
  int threads_;
};

// The target of a program that names none: `CpuTarget()`.
TargetRef default_target();

}  // namespace tilefoundry
