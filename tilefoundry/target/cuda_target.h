// An NVIDIA GPU as a compilation target.
#pragma once

#include <string>

#include "tilefoundry/ir/target.h"

namespace tilefoundry {

class CudaTarget final : public Target {
 public:
  static Ref<const CudaTarget> make(std::string arch = "sm_90");

  const std::string& arch() const noexcept { return arch_; }

  const std::string& name() const override;
  // `CudaTarget()`, `CudaTarget(arch="sm_80")`.
  std::string repr() const override;
  std::string provider() const override { return "tilefoundry.target"; }
  std::string class_name() const override { return "CudaTarget"; }
  bool equals(const Target& other) const override;

 private:
  explicit CudaTarget(std::string arch) : arch_(std::move(arch)) {}
  std::string arch_;
};

}  // namespace tilefoundry
