#include "tilefoundry/layout/int_tuple.h"

#include "tilefoundry/support/hash.h"
#include "tilefoundry/support/text.h"

namespace tilefoundry {

IntTuple IntTuple::flat(const Shape& leaves) {
  return IntTuple(std::vector<IntTuple>(leaves.begin(), leaves.end()));
}

Shape IntTuple::flatten() const {
  if (is_leaf()) return {leaf()};
  Shape out;
  for (const IntTuple& item : items()) {
    const Shape nested = item.flatten();
    out.insert(out.end(), nested.begin(), nested.end());
  }
  return out;
}

IntTuple IntTuple::map(const std::function<Dim(const Dim&)>& replace) const {
  if (is_leaf()) return replace(leaf());
  std::vector<IntTuple> out;
  for (const IntTuple& item : items()) out.push_back(item.map(replace));
  return out;
}

bool IntTuple::congruent(const IntTuple& other) const {
  if (is_leaf() || other.is_leaf()) return is_leaf() == other.is_leaf();
  if (items().size() != other.items().size()) return false;
  for (std::size_t i = 0; i < items().size(); ++i) {
    if (!items()[i].congruent(other.items()[i])) return false;
  }
  return true;
}

std::string IntTuple::text() const {
  if (is_leaf()) return leaf().text();
  std::vector<std::string> parts;
  for (const IntTuple& item : items()) parts.push_back(item.text());
  return "(" + join(parts, ", ") + (parts.size() == 1 ? ",)" : ")");
}

std::size_t IntTuple::hash() const {
  if (is_leaf()) return leaf().hash();
  std::size_t seed = items().size();
  for (const IntTuple& item : items()) seed = hash_mix(seed, item.hash());
  return seed;
}

}  // namespace tilefoundry
