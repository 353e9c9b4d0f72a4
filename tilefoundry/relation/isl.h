// isl values that own their context: safe to keep, copy and compare in any thread. Only the
// sources of this folder include isl itself.
//
// A value is its canonical text in isl's notation. Beyond isl's own, a name may start with `$` and
// hold non-ASCII letters. Every operation works in a context of its own under a work budget:
// ValueError TF3062 when it is spent, TF3061 with isl's message for any other failure.
#pragma once

#include <cstddef>
#include <string>
#include <utility>
#include <vector>

namespace tilefoundry {

class IslSession;

class IslSet {
 public:
  static IslSet parse(const std::string& text);
  const std::string& text() const noexcept { return text_; }
  // Equality as sets, whatever the texts or contexts.
  friend bool operator==(const IslSet& a, const IslSet& b);
  bool is_subset_of(const IslSet& other) const;
  bool is_empty() const;
  // Number of set dimensions and the names of the parameters.
  std::size_t rank() const;
  std::vector<std::string> parameters() const;

 private:
  friend class IslSession;
  explicit IslSet(std::string text) : text_(std::move(text)) {}
  std::string text_;
};

class IslMap {
 public:
  static IslMap parse(const std::string& text);
  const std::string& text() const noexcept { return text_; }
  friend bool operator==(const IslMap& a, const IslMap& b);
  IslSet domain() const;
  IslSet range() const;
  IslMap reverse() const;
  IslMap intersect_domain(const IslSet& domain) const;
  bool is_single_valued() const;
  bool is_injective() const;
  std::size_t domain_rank() const;
  std::size_t range_rank() const;

 private:
  friend class IslSession;
  explicit IslMap(std::string text) : text_(std::move(text)) {}
  std::string text_;
};

class IslMultiAff {
 public:
  static IslMultiAff parse(const std::string& text);
  const std::string& text() const noexcept { return text_; }
  friend bool operator==(const IslMultiAff& a, const IslMultiAff& b);
  IslMap as_map() const;

 private:
  friend class IslSession;
  explicit IslMultiAff(std::string text) : text_(std::move(text)) {}
  std::string text_;
};

}  // namespace tilefoundry
