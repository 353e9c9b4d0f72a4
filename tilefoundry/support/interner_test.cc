#include "tilefoundry/support/interner.h"

#include <gtest/gtest.h>

#include <atomic>
#include <thread>
#include <vector>

#include "tilefoundry/support/hash.h"

namespace tilefoundry {
namespace {

std::atomic<int> alive = 0;

class Pair : public Interned<Pair> {
 public:
  Pair(int number, Ref<const Pair> next) : number_(number), next_(std::move(next)) { ++alive; }
  ~Pair() override { --alive; }

  int number() const { return number_; }
  std::size_t structural_hash() const { return hash_values(number_, next_); }
  bool structural_equal(const Pair& other) const {
    return number_ == other.number_ && next_ == other.next_;
  }

 private:
  int number_;
  Ref<const Pair> next_;
};

Ref<const Pair> pair(int number, Ref<const Pair> next = nullptr) {
  return Pair::intern(new Pair(number, std::move(next)));
}

TEST(Interner, equal_values_are_one_object) {
  const auto first = pair(1, pair(2));
  const auto second = pair(1, pair(2));
  EXPECT_EQ(first, second);
  EXPECT_NE(first, pair(1));
  EXPECT_NE(first, pair(2, pair(2)));
  EXPECT_EQ(alive, 2);
}

TEST(Interner, a_value_that_nobody_holds_leaves_its_table) {
  {
    const auto value = pair(41, pair(42));
  }
  EXPECT_EQ(alive, 0);
  const auto again = pair(41);
  EXPECT_EQ(again->number(), 41);
  EXPECT_EQ(alive, 1);
}

// A hash that always collides: only structural equality tells values apart.
class Colliding : public Interned<Colliding> {
 public:
  explicit Colliding(int number) : number_(number) {}
  std::size_t structural_hash() const { return 5; }
  bool structural_equal(const Colliding& other) const { return number_ == other.number_; }

 private:
  int number_;
};

TEST(Interner, colliding_hashes_do_not_merge_values) {
  const auto one = Colliding::intern(new Colliding(1));
  const auto two = Colliding::intern(new Colliding(2));
  EXPECT_NE(one, two);
  EXPECT_EQ(one, Colliding::intern(new Colliding(1)));
  EXPECT_EQ(two, Colliding::intern(new Colliding(2)));
}

TEST(Interner, threads_agree_on_objects_while_values_die) {
  constexpr int kRounds = 5'000;
  std::atomic<int> disagreements = 0;
  std::vector<std::thread> threads;
  for (int t = 0; t < 4; ++t) {
    threads.emplace_back([&disagreements] {
      for (int i = 0; i < kRounds; ++i) {
        const int number = i % 7;
        const auto first = pair(number, pair(number + 100));
        const auto second = pair(number, pair(number + 100));
        if (first != second || first->number() != number) ++disagreements;
      }
    });
  }
  for (std::thread& thread : threads) thread.join();
  EXPECT_EQ(disagreements, 0);
  EXPECT_EQ(alive, 0);
}

TEST(Interner, a_long_chain_of_interned_values_dies_without_recursion) {
  {
    Ref<const Pair> head;
    for (int i = 0; i < 200'000; ++i) head = pair(i, std::move(head));
    EXPECT_EQ(alive, 200'000);
  }
  EXPECT_EQ(alive, 0);
}

TEST(Hash, the_order_of_values_matters) {
  EXPECT_NE(hash_values(1, 2), hash_values(2, 1));
  EXPECT_EQ(hash_values(1, 2), hash_values(1, 2));
  EXPECT_NE(hash_range(0, std::vector<int>{1, 2}), hash_range(0, std::vector<int>{2, 1}));
  EXPECT_NE(hash_range(0, std::vector<int>{0}), hash_range(0, std::vector<int>{0, 0}));
}

}  // namespace
}  // namespace tilefoundry
