// Constructors of compilation targets.

#include "tilefoundry/frontend/builtins.h"
#include "tilefoundry/target/cpu_target.h"
#include "tilefoundry/target/cuda_target.h"

namespace tilefoundry {
namespace {

using Bound = std::vector<const CallArg*>;

Value make_cpu_target(const Bound& args, const CallArgs&, const BuiltinContext&) {
  const std::string features = args[0] == nullptr ? "native" : string_argument(*args[0]);
  const std::int64_t threads = args[1] == nullptr ? 0 : int_argument(*args[1]);
  if (threads < 0 || threads > INT32_MAX) refuse_argument(*args[1], "a count of threads");
  return TargetRef(CpuTarget::make(features, static_cast<int>(threads)));
}

Value make_cuda_target(const Bound& args, const CallArgs&, const BuiltinContext&) {
  if (args[0] == nullptr) return TargetRef(CudaTarget::make());
  return TargetRef(CudaTarget::make(string_argument(*args[0])));
}

Value make_default_target(const Bound&, const CallArgs&, const BuiltinContext&) {
  return default_target();
}

}  // namespace

void add_target_builtins(std::vector<Builtin>& table) {
  constexpr auto kFunction = BuiltinKind::function;
  table.push_back({"CpuTarget", kFunction, {"features=\"native\"", "threads=0"}, make_cpu_target});
  table.push_back({"CudaTarget", kFunction, {"arch=\"sm_90\""}, make_cuda_target});
  table.push_back({"default_target", kFunction, {}, make_default_target});
}

}  // namespace tilefoundry
