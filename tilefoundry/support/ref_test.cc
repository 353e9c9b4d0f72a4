#include "tilefoundry/support/ref.h"

#include <gtest/gtest.h>
#include <pthread.h>

#include <atomic>
#include <thread>
#include <vector>

namespace tilefoundry {
namespace {

class Link : public RefCounted {
 public:
  Link(Ref<const Link> next, std::atomic<int>& alive) : next_(std::move(next)), alive_(&alive) {
    ++*alive_;
  }
  ~Link() override { --*alive_; }
  const Ref<const Link>& next() const { return next_; }

 private:
  Ref<const Link> next_;
  std::atomic<int>* alive_;
};

class Base : public RefCounted {};
class Derived : public Base {
 public:
  int value = 7;
};

// Runs `body` on a thread whose stack has 256 KiB.
template <class Body>
void run_on_small_stack(Body body) {
  pthread_attr_t attributes;
  ASSERT_EQ(pthread_attr_init(&attributes), 0);
  ASSERT_EQ(pthread_attr_setstacksize(&attributes, 256 * 1024), 0);
  pthread_t thread{};
  const auto entry = [](void* argument) -> void* {
    (*static_cast<Body*>(argument))();
    return nullptr;
  };
  ASSERT_EQ(pthread_create(&thread, &attributes, entry, &body), 0);
  ASSERT_EQ(pthread_join(thread, nullptr), 0);
  pthread_attr_destroy(&attributes);
}

TEST(Ref, a_chain_of_a_million_nodes_dies_on_a_small_stack) {
  static constexpr int kLength = 1'000'000;
  std::atomic<int> alive = 0;
  run_on_small_stack([&alive] {
    Ref<const Link> head;
    for (int i = 0; i < kLength; ++i) head = make_ref<Link>(std::move(head), alive);
    EXPECT_EQ(alive, kLength);
    head = nullptr;
  });
  EXPECT_EQ(alive, 0);
}

TEST(Ref, a_shared_tail_outlives_one_of_its_owners) {
  std::atomic<int> alive = 0;
  const auto tail = make_ref<Link>(nullptr, alive);
  {
    const auto left = make_ref<Link>(tail, alive);
    const auto right = make_ref<Link>(tail, alive);
    EXPECT_EQ(left->next(), right->next());
    EXPECT_EQ(alive, 3);
  }
  EXPECT_EQ(alive, 1);
  EXPECT_FALSE(tail->next());
}

TEST(Ref, copies_moves_and_conversions_keep_the_count) {
  std::atomic<int> alive = 0;
  Ref<const Link> first = make_ref<Link>(nullptr, alive);
  Ref<const Link> second = first;
  first = second;
  Ref<const Link>& alias = first;
  first = alias;
  const Ref<const Link> third = std::move(second);
  EXPECT_EQ(first, third);
  first = nullptr;
  EXPECT_EQ(alive, 1);

  const Ref<const Derived> derived = make_ref<Derived>();
  const Ref<const Base> base = derived;
  EXPECT_EQ(static_ref_cast<Derived>(base)->value, 7);
  EXPECT_EQ(std::hash<Ref<const Derived>>()(derived),
            std::hash<Ref<const Derived>>()(Ref<const Derived>(derived.get())));
}

TEST(Ref, detach_hands_the_count_over_and_adopt_takes_it) {
  std::atomic<int> alive = 0;
  Ref<const Link> ref = make_ref<Link>(nullptr, alive);
  const Link* raw = ref.detach();
  EXPECT_FALSE(ref);
  EXPECT_EQ(alive, 1);
  Ref<const Link>::adopt(raw);
  EXPECT_EQ(alive, 0);
}

TEST(Ref, threads_may_share_one_object) {
  std::atomic<int> alive = 0;
  {
    const auto shared = make_ref<Link>(nullptr, alive);
    std::vector<std::thread> threads;
    for (int t = 0; t < 4; ++t) {
      threads.emplace_back([shared] {
        for (int i = 0; i < 20'000; ++i) {
          Ref<const Link> copy = shared;
          if (copy->next()) return;
          copy = nullptr;
        }
      });
    }
    for (std::thread& thread : threads) thread.join();
    EXPECT_EQ(alive, 1);
  }
  EXPECT_EQ(alive, 0);
}

std::atomic<int> python_count = 0;

TEST(Ref, python_takes_over_every_count_once) {
  RefCounted::set_python_hooks([](void*) noexcept { ++python_count; },
                               [](void*) noexcept { --python_count; });
  int object = 0;
  std::atomic<int> alive = 0;
  const auto* node = new Link(nullptr, alive);
  {
    const Ref<const Link> first(node);
    const Ref<const Link> second(node);
    EXPECT_EQ(node->python_owner(), nullptr);
    node->set_python_owner(&object);
    EXPECT_EQ(node->python_owner(), &object);
    EXPECT_EQ(python_count, 2);
    Ref<const Link> third = second;
    EXPECT_EQ(python_count, 3);
    third = nullptr;
    EXPECT_EQ(python_count, 2);
  }
  EXPECT_EQ(python_count, 0);
  EXPECT_EQ(alive, 1) << "Python, not C++, frees an object that it owns";
  delete node;
}

}  // namespace
}  // namespace tilefoundry
