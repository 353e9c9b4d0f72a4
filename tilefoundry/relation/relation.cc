#include "tilefoundry/relation/relation.h"

#include <fmt/format.h>

#include "tilefoundry/relation/isl_session.h"
#include "tilefoundry/relation/isl_text.h"
#include "tilefoundry/relation/isl_view.h"

namespace tilefoundry {

AccessRelationResult::AccessRelationResult(Shape extents, std::vector<BoundaryAccess> accesses)
    : extents_(std::move(extents)),
      accesses_(std::move(accesses)),
      view_(std::make_shared<IslView>()) {}

namespace {

std::string guard_text(IslParameters& parameters, const IterGuard& guard) {
  return fmt::format("{} <= i{} < {}", parameters.affine(guard.lo).value(), guard.dim,
                     parameters.affine(guard.hi).value());
}

bool expressible(IslParameters& parameters, const BoundaryAccess& access) {
  if (access.opaque) return false;
  for (const Dim& index : access.index) {
    if (!parameters.affine(index)) return false;
  }
  for (const IterGuard& guard : access.guards) {
    if (!parameters.affine(guard.lo) || !parameters.affine(guard.hi)) return false;
  }
  return true;
}

std::string index_text(IslParameters& parameters, const BoundaryAccess& access) {
  std::vector<std::string> parts;
  for (const Dim& index : access.index) {
    parts.push_back(fmt::format("({})", parameters.affine(index).value()));
  }
  return fmt::format("[{}]", fmt::join(parts, ", "));
}

std::string universe_text(std::size_t rank) {
  std::vector<std::string> parts;
  for (std::size_t i = 0; i < rank; ++i) parts.push_back("$o" + std::to_string(i));
  return fmt::format("[{}]", fmt::join(parts, ", "));
}

std::string iter_tuple(std::size_t rank) {
  std::vector<std::string> parts;
  for (std::size_t i = 0; i < rank; ++i) parts.push_back("i" + std::to_string(i));
  return fmt::format("[{}]", fmt::join(parts, ", "));
}

std::string box_text(IslParameters& parameters, const Shape& extents) {
  std::vector<std::string> parts;
  for (std::size_t i = 0; i < extents.size(); ++i) {
    parts.push_back(fmt::format("0 <= i{} < {}", i, parameters.extent(extents[i])));
  }
  return parts.empty() ? "true" : fmt::format("{}", fmt::join(parts, " and "));
}

}  // namespace

const AccessRelationResult::IslView& AccessRelationResult::view() const {
  std::call_once(view_->once, [&] {
    if (view_->domain) return;
    IslParameters parameters;
    const std::string box = box_text(parameters, extents_);
    const std::string tuple = iter_tuple(extents_.size());
    std::vector<std::string> bodies;
    for (const BoundaryAccess& access : accesses_) {
      if (!expressible(parameters, access)) {
        bodies.push_back(
            fmt::format("{} -> {} : {}", tuple, universe_text(access.index.size()), box));
        continue;
      }
      std::string body = fmt::format("{} -> {} : {}", tuple, index_text(parameters, access), box);
      for (const IterGuard& guard : access.guards) body += " and " + guard_text(parameters, guard);
      bodies.push_back(std::move(body));
    }
    const IslSession session;
    const std::string prefix = parameters.prefix();
    const std::string ranges = parameters.ranges();
    for (const std::string& body : bodies) {
      const std::string text = fmt::format("{}{{ {}{} }}", prefix, body, ranges);
      view_->maps.push_back(session.value(*session.map(text)));
    }
    view_->param_map = parameters.map();
    const std::string text = fmt::format("{}{{ {} : {}{} }}", prefix, tuple, box, ranges);
    view_->domain = session.value(*session.set(text));
  });
  return *view_;
}

const IslSet& AccessRelationResult::domain() const { return *view().domain; }
const std::vector<IslMap>& AccessRelationResult::maps() const { return view().maps; }
const std::map<std::string, Dim>& AccessRelationResult::param_map() const {
  return view().param_map;
}

namespace {

AccessRelation classify_access(const AccessRelationResult& relation, const BoundaryAccess& access) {
  IslParameters parameters;
  const std::string box = box_text(parameters, relation.extents());
  if (!expressible(parameters, access)) return OPAQUE;
  const std::string tuple = iter_tuple(relation.extents().size());
  const std::string index = index_text(parameters, access);
  if (access.guards.empty()) {
    return IslMultiAff::parse(fmt::format("{}{{ {} -> {} }}", parameters.prefix(), tuple, index));
  }
  std::string body = fmt::format("{} -> {} : {}", tuple, index, box);
  for (const IterGuard& guard : access.guards) body += " and " + guard_text(parameters, guard);
  const std::string ranges = parameters.ranges();
  return IslMap::parse(fmt::format("{}{{ {}{} }}", parameters.prefix(), body, ranges));
}

}  // namespace

AccessRelations classify(const AccessRelationResult& relation, std::size_t input_count) {
  AccessRelations out;
  const std::vector<BoundaryAccess>& accesses = relation.accesses();
  for (std::size_t i = 0; i < accesses.size(); ++i) {
    auto& side = i < input_count ? out.inputs : out.outputs;
    side.push_back(classify_access(relation, accesses[i]));
  }
  return out;
}

}  // namespace tilefoundry
