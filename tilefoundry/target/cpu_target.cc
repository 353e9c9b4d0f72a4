#include "tilefoundry/target/cpu_target.h"

#include <fmt/format.h>

#include <vector>

#include "tilefoundry/support/diagnostic.h"
#include "tilefoundry/support/text.h"

namespace tilefoundry {

Ref<const CpuTarget> CpuTarget::make(std::string features, int threads) {
  if (threads < 0 || threads > 256) {
    throw ValueError(
        Diagnostic{.code = "TF5011",
                   .message = fmt::format("{} threads are not between 0 and 256", threads),
                   .hint = "0 means as many as there are cores"});
  }
  if (features.empty()) features = "none";
  return Ref<const CpuTarget>(new CpuTarget(std::move(features), threads));
}

const std::string& CpuTarget::name() const {
  static const std::string kName = "cpu";
  return kName;
}

std::string CpuTarget::repr() const {
  std::vector<std::string> fields;
  if (features_ != "native") {
    fields.push_back("features=" + python_string_literal(features_));
  }
  if (threads_ != 0) fields.push_back(fmt::format("threads={}", threads_));
  return "CpuTarget(" + join(fields, ", ") + ")";
}

bool CpuTarget::equals(const Target& other) const {
  const auto* cpu = dynamic_cast<const CpuTarget*>(&other);
  return cpu != nullptr && cpu->features_ == features_ && cpu->threads_ == threads_;
}

TargetRef default_target() {
  static const auto* target = new TargetRef(CpuTarget::make());
  return *target;
}

}  // namespace tilefoundry
