// Hash combination for structural keys.
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <string_view>

namespace tilefoundry {

// Mixes a value into a running hash (the 64-bit finalizer of MurmurHash3).
inline std::size_t hash_mix(std::size_t seed, std::size_t value) noexcept {
  std::uint64_t mixed = seed ^ (value + 0x9e3779b97f4a7c15ULL + (seed << 6) + (seed >> 2));
  mixed ^= mixed >> 33;
  mixed *= 0xff51afd7ed558ccdULL;
  mixed ^= mixed >> 33;
  return mixed;
}

template <class... Values>
std::size_t hash_values(const Values&... values) {
  std::size_t seed = 0x51ed270b;
  ((seed = hash_mix(seed, std::hash<Values>()(values))), ...);
  return seed;
}

template <class Range>
std::size_t hash_range(std::size_t seed, const Range& range) {
  for (const auto& value : range) {
    seed = hash_mix(seed, std::hash<std::decay_t<decltype(value)>>()(value));
  }
  return seed;
}

}  // namespace tilefoundry
