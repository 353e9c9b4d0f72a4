// isl values that own their context: safe to keep, copy and compare in any thread. Only the
// sources of this folder include isl itself.
#pragma once

#include <memory>
#include <string>
#include <vector>

namespace tilefoundry {

class IslSet {
 public:
  // Throws ValueError (TF3061) with isl's message for text that does not parse.
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
  explicit IslMultiAff(std::string text) : text_(std::move(text)) {}
  std::string text_;
};

}  // namespace tilefoundry
