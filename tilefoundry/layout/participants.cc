#include "tilefoundry/layout/participants.h"

#include <fmt/format.h>

#include "tilefoundry/layout/algebra.h"
#include "tilefoundry/support/diagnostic.h"

namespace tilefoundry {
namespace {

[[noreturn]] void refuse(std::string message, std::string hint) {
  throw VerifyError(
      Diagnostic{.code = "TF3112", .message = std::move(message), .hint = std::move(hint)});
}

}  // namespace

Barrier classify_barrier(const Mesh& mesh) {
  if (mesh.topologies().size() != 1) {
    refuse(fmt::format("a barrier over {} levels at once has no instruction",
                       mesh.topologies().size()),
           "synchronize one level: the threads of a block, or the ctas of the grid");
  }
  const Topology& level = *mesh.topologies().front();
  if (!level.size().is_static()) {
    refuse(
        fmt::format("the size {} of level \"{}\" is not known", level.size().text(), level.name()),
        "a barrier needs a static mesh");
  }
  const std::vector<std::int64_t> units = image(*mesh.layout());
  const std::int64_t size = level.size().value();
  const auto count = static_cast<std::int64_t>(units.size());
  if (units.empty() || units.front() < 0 || units.back() >= size) {
    refuse(fmt::format("participants of the barrier lie outside level \"{}\" of size {}",
                       level.name(), size),
           "slice a mesh that covers the level");
  }
  const std::int64_t first = units.front();
  if (units.back() - first + 1 != count) {
    refuse(fmt::format("the {} participants between {} {} and {} are not neighbours", count,
                       level.name(), first, units.back()),
           "a barrier meets one contiguous interval of threads");
  }
  if (level.name() == "cta") {
    if (count == size) return {BarrierKind::grid, first, count};
    refuse(fmt::format("a barrier over {} of {} ctas has no instruction", count, size),
           "synchronize the whole grid");
  }
  if (level.name() != "thread") {
    refuse(fmt::format("level \"{}\" has no barrier", level.name()),
           "barriers exist for \"thread\" and \"cta\"");
  }
  if (count == size && size == kWarpSize) return {BarrierKind::warp, first, count};
  if (count == size && size > kWarpSize) return {BarrierKind::block, first, count};
  const std::int64_t lane = first % kWarpSize;
  if (lane + count <= kWarpSize) {
    const std::uint32_t ones =
        count == kWarpSize ? ~std::uint32_t{0} : (std::uint32_t{1} << count) - 1;
    return {BarrierKind::lanes, first, count, ones << lane};
  }
  if (lane == 0 && count % kWarpSize == 0) return {BarrierKind::warp_range, first, count};
  refuse(fmt::format("threads {} to {} are parts of several warps", first, first + count - 1),
         "name whole warps, or lanes inside one warp");
}

}  // namespace tilefoundry
