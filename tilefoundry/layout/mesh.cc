#include "tilefoundry/layout/mesh.h"

#include <set>

#include <fmt/format.h>

#include "tilefoundry/layout/layout.h"
#include "tilefoundry/support/diagnostic.h"
#include "tilefoundry/support/hash.h"

namespace tilefoundry {

Ref<const Topology> Topology::make(std::string name, Dim size) {
  if (name.empty()) {
    throw ValueError(Diagnostic{.code = "TF3013", .message = "a Topology needs a name"});
  }
  if (size.is_static() && size.value() < 1) {
    throw ValueError(
        Diagnostic{.code = "TF3013",
                   .message = fmt::format("Topology \"{}\" has size {}", name, size.value()),
                   .hint = "a level of the machine has at least one unit"});
  }
  return intern(new Topology(std::move(name), std::move(size)));
}

std::size_t Topology::structural_hash() const { return hash_values(name_, size_); }

bool Topology::structural_equal(const Topology& other) const {
  return name_ == other.name_ && size_ == other.size_;
}

Mesh::Mesh(Topologies topologies, Ref<const AnyLayout> layout, std::vector<std::string> names)
    : topologies_(std::move(topologies)), layout_(std::move(layout)), names_(std::move(names)) {}

Ref<const Mesh> Mesh::make(Topologies topologies, Ref<const AnyLayout> layout,
                           std::vector<std::string> names) {
  const auto refuse = [](std::string message, std::string hint) {
    throw ValueError(
        Diagnostic{.code = "TF3014", .message = std::move(message), .hint = std::move(hint)});
  };
  if (topologies.empty()) refuse("a Mesh needs at least one topology", "");
  if (!layout) refuse("a Mesh needs a layout", "write Mesh((\"cta\",), Layout((132,), (1,)))");
  const std::size_t rank = layout->domain().size();
  if (rank == 0) refuse("a Mesh needs at least one axis", "");
  if (!names.empty() && names.size() != rank) {
    refuse(fmt::format("a Mesh of {} axes got {} names", rank, names.size()),
           "give one name per axis");
  }
  if (std::set<std::string>(names.begin(), names.end()).size() != names.size()) {
    refuse("a Mesh names one axis twice", "axis names are distinct");
  }
  return intern(new Mesh(std::move(topologies), std::move(layout), std::move(names)));
}

std::size_t Mesh::rank() const { return layout_->domain().size(); }

Ref<const Mesh> Mesh::with_dims(const std::function<Dim(const Dim&)>& replace) const {
  Topologies levels;
  for (const Ref<const Topology>& level : topologies_) {
    levels.push_back(Topology::make(level->name(), replace(level->size())));
  }
  return make(std::move(levels), layout_->with_dims(replace), names_);
}

std::size_t Mesh::structural_hash() const {
  return hash_range(hash_range(hash_values(layout_), topologies_), names_);
}

bool Mesh::structural_equal(const Mesh& other) const {
  return topologies_ == other.topologies_ && layout_ == other.layout_ && names_ == other.names_;
}

}  // namespace tilefoundry
