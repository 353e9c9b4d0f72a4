// The machine a program runs on: topology levels and the execution domains over them.
#pragma once

#include <string>
#include <vector>

#include "tilefoundry/layout/int_tuple.h"
#include "tilefoundry/support/interner.h"

namespace tilefoundry {

class AnyLayout;

// One level of the machine, for example Topology("cta", 132).
class Topology final : public Interned<Topology> {
 public:
  // Throws ValueError (TF3013) for an empty name or a static size below 1.
  static Ref<const Topology> make(std::string name, Dim size);

  const std::string& name() const noexcept { return name_; }
  const Dim& size() const noexcept { return size_; }

  std::size_t structural_hash() const;
  bool structural_equal(const Topology& other) const;

 private:
  Topology(std::string name, Dim size) : name_(std::move(name)), size_(std::move(size)) {}
  std::string name_;
  Dim size_;
};

using Topologies = std::vector<Ref<const Topology>>;

// A named execution domain over one or more levels, outermost first. A compile-time constant.
class Mesh final : public Interned<Mesh> {
 public:
  // `names` is empty or has one name per axis of the layout's domain. Throws ValueError (TF3014).
  static Ref<const Mesh> make(Topologies topologies, Ref<const AnyLayout> layout,
                              std::vector<std::string> names = {});

  const Topologies& topologies() const noexcept { return topologies_; }
  const Ref<const AnyLayout>& layout() const noexcept { return layout_; }
  const std::vector<std::string>& names() const noexcept { return names_; }
  std::size_t rank() const;
  // Replaces every dimension; the same object when nothing changes.
  Ref<const Mesh> with_dims(const std::function<Dim(const Dim&)>& replace) const;

  std::size_t structural_hash() const;
  bool structural_equal(const Mesh& other) const;

 private:
  Mesh(Topologies topologies, Ref<const AnyLayout> layout, std::vector<std::string> names);
  Topologies topologies_;
  Ref<const AnyLayout> layout_;
  std::vector<std::string> names_;
};

using MeshRef = Ref<const Mesh>;

}  // namespace tilefoundry
