#include "tilefoundry/target/cuda_target.h"

#include <fmt/format.h>

#include "tilefoundry/support/diagnostic.h"
#include "tilefoundry/support/text.h"

namespace tilefoundry {
namespace {

// "sm_" and digits, perhaps with the letter of a specialized architecture: "sm_90a".
bool is_arch(const std::string& text) {
  if (text.rfind("sm_", 0) != 0 || text.size() < 5) return false;
  std::size_t end = text.find_first_not_of("0123456789", 3);
  if (end == std::string::npos) return true;
  return end >= 5 && end + 1 == text.size() && (text[end] == 'a' || text[end] == 'f');
}

}  // namespace

Ref<const CudaTarget> CudaTarget::make(std::string arch) {
  if (!is_arch(arch)) {
    throw ValueError(Diagnostic{
        .code = "TF5012",
        .message = fmt::format("{} is not a CUDA architecture", python_string_literal(arch)),
        .hint = "write it as the compiler does: \"sm_90\""});
  }
  return Ref<const CudaTarget>(new CudaTarget(std::move(arch)));
}

const std::string& CudaTarget::name() const {
  static const std::string kName = "cuda";
  return kName;
}

std::string CudaTarget::repr() const {
  return arch_ == "sm_90" ? "CudaTarget()"
                          : "CudaTarget(arch=" + python_string_literal(arch_) + ")";
}

bool CudaTarget::equals(const Target& other) const {
  const auto* cuda = dynamic_cast<const CudaTarget*>(&other);
  return cuda != nullptr && cuda->arch_ == arch_;
}

}  // namespace tilefoundry
