#include "tilefoundry/relation/isl.h"

#include "tilefoundry/relation/isl_session.h"

namespace tilefoundry {

IslSet IslSet::parse(const std::string& text) {
  const IslSession session;
  return session.value(*session.set(text));
}

bool operator==(const IslSet& a, const IslSet& b) {
  if (a.text_ == b.text_) return true;
  const IslSession session;
  return session.truth(isl_set_is_equal(session.set(a.text_).get(), session.set(b.text_).get()));
}

bool IslSet::is_subset_of(const IslSet& other) const {
  const IslSession session;
  return session.truth(isl_set_is_subset(session.set(text_).get(), session.set(other.text_).get()));
}

bool IslSet::is_empty() const {
  const IslSession session;
  return session.truth(isl_set_is_empty(session.set(text_).get()));
}

std::size_t IslSet::rank() const {
  const IslSession session;
  return static_cast<std::size_t>(
      session.count(isl_set_dim(session.set(text_).get(), isl_dim_set)));
}

std::vector<std::string> IslSet::parameters() const {
  const IslSession session;
  const IslPtr<isl_set> set = session.set(text_);
  std::vector<std::string> names;
  const int count = session.count(isl_set_dim(set.get(), isl_dim_param));
  for (int i = 0; i < count; ++i) {
    names.push_back(
        isl_decode_names(isl_set_get_dim_name(set.get(), isl_dim_param, static_cast<unsigned>(i))));
  }
  return names;
}

IslMap IslMap::parse(const std::string& text) {
  const IslSession session;
  return session.value(*session.map(text));
}

bool operator==(const IslMap& a, const IslMap& b) {
  if (a.text_ == b.text_) return true;
  const IslSession session;
  return session.truth(isl_map_is_equal(session.map(a.text_).get(), session.map(b.text_).get()));
}

IslSet IslMap::domain() const {
  const IslSession session;
  return session.value(*session.own(isl_map_domain(session.map(text_).release())));
}

IslSet IslMap::range() const {
  const IslSession session;
  return session.value(*session.own(isl_map_range(session.map(text_).release())));
}

IslMap IslMap::reverse() const {
  const IslSession session;
  return session.value(*session.own(isl_map_reverse(session.map(text_).release())));
}

IslMap IslMap::intersect_domain(const IslSet& domain) const {
  const IslSession session;
  IslPtr<isl_map> map = session.map(text_);
  IslPtr<isl_set> set = session.set(domain.text());
  return session.value(*session.own(isl_map_intersect_domain(map.release(), set.release())));
}

bool IslMap::is_single_valued() const {
  const IslSession session;
  return session.truth(isl_map_is_single_valued(session.map(text_).get()));
}

bool IslMap::is_injective() const {
  const IslSession session;
  return session.truth(isl_map_is_injective(session.map(text_).get()));
}

std::size_t IslMap::domain_rank() const {
  const IslSession session;
  return static_cast<std::size_t>(session.count(isl_map_dim(session.map(text_).get(), isl_dim_in)));
}

std::size_t IslMap::range_rank() const {
  const IslSession session;
  return static_cast<std::size_t>(
      session.count(isl_map_dim(session.map(text_).get(), isl_dim_out)));
}

IslMultiAff IslMultiAff::parse(const std::string& text) {
  const IslSession session;
  return session.value(*session.multi_aff(text));
}

bool operator==(const IslMultiAff& a, const IslMultiAff& b) {
  return a.text_ == b.text_ || a.as_map() == b.as_map();
}

IslMap IslMultiAff::as_map() const {
  const IslSession session;
  isl_multi_aff* value = session.multi_aff(text_).release();
  return session.value(*session.own(isl_map_from_multi_aff(value)));
}

}  // namespace tilefoundry
