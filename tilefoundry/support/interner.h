// Interning: equal values are one object, and a value that nobody holds leaves its table.
//
// `T` derives from `Interned<T>` and has `std::size_t structural_hash() const` and
// `bool structural_equal(const T&) const`. `Interned<T>::intern(new T(...))` returns the one
// object. Safe from several threads; the table is split into shards by hash.
#pragma once

#include <array>
#include <cstddef>
#include <mutex>
#include <unordered_set>

#include "tilefoundry/support/ref.h"

namespace tilefoundry {

template <class T>
class Interned : public RefCounted {
 public:
  std::size_t interned_hash() const noexcept { return hash_; }

  // Takes ownership of `candidate`; deletes it when an equal value exists.
  static Ref<const T> intern(T* candidate) {
    candidate->hash_ = candidate->structural_hash();
    Shard& shard = shard_of(candidate->hash_);
    Ref<const T> existing;
    {
      const std::lock_guard<std::mutex> lock(shard.mutex);
      const auto [first, last] = shard.values.equal_range(candidate);
      for (auto it = first; it != last; ++it) {
        if ((*it)->try_retain()) {
          existing = Ref<const T>::adopt(*it);
          break;
        }
      }
      if (!existing) {
        shard.values.insert(candidate);
        return Ref<const T>(candidate);
      }
    }
    candidate->discard();
    return existing;
  }

 protected:
  void on_last_release() const noexcept override {
    Shard& shard = shard_of(hash_);
    {
      const std::lock_guard<std::mutex> lock(shard.mutex);
      const auto self = static_cast<const T*>(this);
      const auto [first, last] = shard.values.equal_range(self);
      for (auto it = first; it != last; ++it) {
        if (*it == self) {
          shard.values.erase(it);
          break;
        }
      }
    }
    this->destroy();
  }

 private:
  // Frees a candidate that never entered the table.
  void discard() const noexcept { this->destroy(); }

  struct Hash {
    std::size_t operator()(const T* value) const noexcept { return value->interned_hash(); }
  };
  struct Equal {
    bool operator()(const T* a, const T* b) const noexcept {
      return a == b || a->structural_equal(*b);
    }
  };
  struct Shard {
    std::mutex mutex;
    std::unordered_multiset<const T*, Hash, Equal> values;
  };
  static constexpr std::size_t kShards = 64;

  static Shard& shard_of(std::size_t hash) {
    // Never destroyed: interned values may die after static destructors ran.
    static auto* shards = new std::array<Shard, kShards>();
    return (*shards)[(hash >> 7) % kShards];
  }

  std::size_t hash_ = 0;
};

}  // namespace tilefoundry
