#include "tilefoundry/runtime/thread_pool.h"

#include <gtest/gtest.h>
#include <sched.h>
#include <sys/wait.h>
#include <unistd.h>

#include <chrono>
#include <cstdlib>
#include <stdexcept>
#include <thread>
#include <vector>

#include "tilefoundry/support/diagnostic.h"

namespace tilefoundry {
namespace {

// Counts visits per index and checks the form of every piece.
void check_coverage(ThreadPool& pool, int threads, std::int64_t extent, std::int64_t grain) {
  std::vector<std::atomic<int>> visits(static_cast<std::size_t>(extent));
  std::vector<std::atomic<int>> busy(static_cast<std::size_t>(threads));
  std::atomic<int> faults{0};
  pool.parallel_for(
      extent, grain,
      [&](std::int64_t begin, std::int64_t end, std::int32_t worker) {
        if (worker < 0 || worker >= threads) {
          ++faults;
          return;
        }
        auto& mine = busy[static_cast<std::size_t>(worker)];
        if (mine.exchange(1) != 0) ++faults;
        if (begin % grain != 0 || (end % grain != 0 && end != extent) || begin >= end) ++faults;
        for (std::int64_t i = begin; i < end; ++i) ++visits[static_cast<std::size_t>(i)];
        mine.store(0);
      },
      threads);
  EXPECT_EQ(faults.load(), 0) << threads << " threads, " << extent << " by " << grain;
  for (const auto& count : visits) ASSERT_EQ(count.load(), 1);
}

TEST(ThreadPool, every_index_once_in_pieces_of_the_grain) {
  ThreadPool pool;
  for (const int threads : {1, 2, 3, 8}) {
    for (const std::int64_t extent : {0, 1, 2, 7, 64, 1000, 4097}) {
      for (const std::int64_t grain : {1, 3, 64, 5000})
        check_coverage(pool, threads, extent, grain);
    }
  }
}

TEST(ThreadPool, unpinned_and_crowded_pools_work) {
  ThreadPool pool(false);
  for (int i = 0; i < 50; ++i) check_coverage(pool, 16, 200, 1);
}

TEST(ThreadPool, huge_extents_do_not_overflow) {
  ThreadPool pool;
  ThreadPool::Session session(pool, 4);
  std::atomic<std::int64_t> total{0};
  const auto add = [](void* context, std::int64_t begin, std::int64_t end, std::int32_t) {
    static_cast<std::atomic<std::int64_t>*>(context)->fetch_add(end - begin);
  };
  for (const std::int64_t grain : {std::int64_t{1}, std::int64_t{1} << 61, INT64_MAX - 1}) {
    total = 0;
    session.parallel_for(add, &total, INT64_MAX, grain);
    EXPECT_EQ(total.load(), INT64_MAX);
  }
}

TEST(ThreadPool, stress_of_small_regions) {
  ThreadPool pool;
  std::atomic<std::int64_t> sum{0};
  ThreadPool::Session session(pool, 4);
  for (int i = 0; i < 20000; ++i) {
    session.parallel_for(
        [](void* context, std::int64_t begin, std::int64_t end, std::int32_t) {
          for (std::int64_t k = begin; k < end; ++k) {
            static_cast<std::atomic<std::int64_t>*>(context)->fetch_add(k);
          }
        },
        &sum, 16, 1);
  }
  EXPECT_EQ(sum.load(), 20000 * 120);
}

TEST(ThreadPool, plain_data_written_in_a_region_is_seen_after_it) {
  ThreadPool pool;
  std::vector<std::int64_t> values(1 << 12);
  for (int round = 0; round < 200; ++round) {
    pool.parallel_for(
        static_cast<std::int64_t>(values.size()), 16,
        [&](std::int64_t begin, std::int64_t end, std::int32_t) {
          for (std::int64_t i = begin; i < end; ++i) values[static_cast<std::size_t>(i)] += i;
        },
        4);
  }
  for (std::size_t i = 0; i < values.size(); ++i) {
    ASSERT_EQ(values[i], 200 * static_cast<std::int64_t>(i));
  }
}

TEST(ThreadPool, works_after_its_workers_went_to_sleep) {
  ThreadPool pool;
  for (int i = 0; i < 5; ++i) {
    std::this_thread::sleep_for(std::chrono::milliseconds(10));
    check_coverage(pool, 2, 100, 1);
  }
}

TEST(ThreadPool, nested_regions_run_serially_with_their_worker) {
  ThreadPool pool;
  std::atomic<int> wrong{0};
  std::atomic<std::int64_t> inner{0};
  pool.parallel_for(
      8, 1,
      [&](std::int64_t begin, std::int64_t end, std::int32_t worker) {
        for (std::int64_t i = begin; i < end; ++i) {
          const auto thread = std::this_thread::get_id();
          pool.parallel_for(100, 1, [&](std::int64_t from, std::int64_t to, std::int32_t nested) {
            if (nested != worker || std::this_thread::get_id() != thread) ++wrong;
            if (from != 0 || to != 100) ++wrong;
            inner += to - from;
          });
        }
      },
      4);
  EXPECT_EQ(wrong.load(), 0);
  EXPECT_EQ(inner.load(), 800);
}

TEST(ThreadPool, callers_on_several_threads) {
  ThreadPool pool;
  std::vector<std::thread> callers;
  for (int i = 0; i < 4; ++i) {
    callers.emplace_back([&pool] {
      for (int k = 0; k < 100; ++k) check_coverage(pool, 3, 50, 1);
    });
  }
  for (std::thread& caller : callers) caller.join();
}

TEST(ThreadPool, an_exception_reaches_the_caller_and_the_pool_goes_on) {
  ThreadPool pool;
  for (int i = 0; i < 20; ++i) {
    EXPECT_THROW(pool.parallel_for(
                     64, 1,
                     [](std::int64_t begin, std::int64_t, std::int32_t) {
                       if (begin >= 10) throw std::runtime_error("piece");
                     },
                     4),
                 std::runtime_error);
  }
  check_coverage(pool, 4, 64, 1);
}

TEST(ThreadPool, the_callers_affinity_is_restored) {
  ThreadPool pool;
  cpu_set_t before;
  cpu_set_t after;
  ASSERT_EQ(::sched_getaffinity(0, sizeof(before), &before), 0);
  check_coverage(pool, 2, 100, 1);
  ASSERT_EQ(::sched_getaffinity(0, sizeof(after), &after), 0);
  EXPECT_TRUE(CPU_EQUAL(&before, &after));
}

TEST(ThreadPool, the_thread_count_comes_from_argument_then_environment_then_cores) {
  ThreadPool pool;
  EXPECT_GE(pool.default_threads(), 1);
  ::setenv("TILEFOUNDRY_THREADS", "3", 1);
  EXPECT_EQ(pool.default_threads(), 3);
  EXPECT_EQ(ThreadPool::Session(pool).threads(), 3);
  EXPECT_EQ(ThreadPool::Session(pool, 2).threads(), 2);
  EXPECT_EQ(ThreadPool::Session(pool, 1).function(), nullptr);
  ::setenv("TILEFOUNDRY_THREADS", "many", 1);
  EXPECT_THROW(pool.default_threads(), ValueError);
  ::setenv("TILEFOUNDRY_THREADS", "", 1);
  EXPECT_GE(pool.default_threads(), 1);
  ::unsetenv("TILEFOUNDRY_THREADS");
}

TEST(ThreadPool, one_cpu_in_the_mask_means_one_thread) {
  cpu_set_t former;
  cpu_set_t one;
  ASSERT_EQ(::sched_getaffinity(0, sizeof(former), &former), 0);
  CPU_ZERO(&one);
  for (std::size_t cpu = 0; cpu < CPU_SETSIZE; ++cpu) {
    if (!CPU_ISSET(cpu, &former)) continue;
    CPU_SET(cpu, &one);
    break;
  }
  ASSERT_EQ(::sched_setaffinity(0, sizeof(one), &one), 0);
  EXPECT_EQ(ThreadPool().default_threads(), 1);
  ThreadPool pool;
  check_coverage(pool, 2, 100, 1);
  ::sched_setaffinity(0, sizeof(former), &former);
}

#if !defined(__SANITIZE_THREAD__)  // it does not follow threads across fork

TEST(ThreadPool, a_forked_child_gets_a_pool_of_its_own) {
  check_coverage(ThreadPool::instance(), 2, 100, 1);
  const pid_t child = ::fork();
  if (child == 0) {
    std::atomic<std::int64_t> sum{0};
    for (int i = 0; i < 100; ++i) {
      ThreadPool::instance().parallel_for(
          100, 1, [&](std::int64_t begin, std::int64_t end, std::int32_t) { sum += end - begin; },
          2);
    }
    ::_exit(sum.load() == 10000 ? 0 : 1);
  }
  int status = 0;
  ASSERT_EQ(::waitpid(child, &status, 0), child);
  EXPECT_TRUE(WIFEXITED(status));
  EXPECT_EQ(WEXITSTATUS(status), 0);
  check_coverage(ThreadPool::instance(), 2, 100, 1);
}

#endif

}  // namespace
}  // namespace tilefoundry
