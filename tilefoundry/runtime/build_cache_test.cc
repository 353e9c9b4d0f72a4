#include "tilefoundry/runtime/build_cache.h"

#include <gtest/gtest.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cstdlib>
#include <stdexcept>

#include "tilefoundry/support/diagnostic.h"
#include "tilefoundry/support/files.h"
#include "tilefoundry/support/warning.h"

namespace tilefoundry {
namespace {

namespace fs = std::filesystem;

const std::string kKey = CacheKey().add("text", "program").hex();

void fill(const fs::path& folder, const std::string& content) {
  write_file_atomic(folder / kLibraryFile, content);
  write_file_atomic(folder / "source.cc", "source of " + content);
  write_file_atomic(folder / kAbiFile, "{}");
}

BuildCache::Builder builder(const std::string& content, int* runs = nullptr) {
  return [content, runs](const fs::path& folder) {
    if (runs != nullptr) ++*runs;
    fill(folder, content);
  };
}

std::size_t count(const fs::path& folder) {
  if (!fs::exists(folder)) return 0;
  return static_cast<std::size_t>(
      std::distance(fs::directory_iterator(folder), fs::directory_iterator()));
}

// FIPS 180-2, appendix B.
TEST(Digest, sha256_known_answers) {
  EXPECT_EQ(sha256_hex("abc"), "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad");
  EXPECT_EQ(sha256_hex(""), "e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855");
}

TEST(CacheKey, parts_cannot_run_into_each_other) {
  EXPECT_NE(CacheKey().add("a", "bc").hex(), CacheKey().add("ab", "c").hex());
  EXPECT_NE(CacheKey().add("a", "1").add("b", "2").hex(), CacheKey().add("a", "1b2").hex());
  EXPECT_EQ(CacheKey().add("a", "1").hex(), CacheKey().add("a", "1").hex());
}

TEST(BuildCache, builds_once_and_then_finds) {
  const TemporaryFolder folder;
  const BuildCache cache(folder.path());
  int runs = 0;
  const CachedBuild first = cache.get_or_build(kKey, "f", builder("1", &runs));
  EXPECT_FALSE(first.hit);
  EXPECT_EQ(read_file(first.library), "1");
  EXPECT_EQ(first.source.filename(), "source.cc");
  const CachedBuild second = cache.get_or_build(kKey, "f", builder("2", &runs));
  EXPECT_TRUE(second.hit);
  EXPECT_EQ(second.folder, first.folder);
  EXPECT_EQ(runs, 1);
  EXPECT_EQ(count(folder.path() / "staging"), 0U);
}

TEST(BuildCache, a_damaged_entry_is_rebuilt) {
  const TemporaryFolder folder;
  const BuildCache cache(folder.path());
  const auto damage = [&](const auto& how) {
    const CachedBuild build = cache.get_or_build(kKey, "f", builder("good"));
    how(build.folder);
    EXPECT_FALSE(cache.find(kKey));
    const CachedBuild again = cache.get_or_build(kKey, "f", builder("good"));
    EXPECT_FALSE(again.hit);
    EXPECT_EQ(read_file(again.library), "good");
    EXPECT_TRUE(cache.find(kKey));
  };
  damage([](const fs::path& at) { write_file_atomic(at / kLibraryFile, "gone"); });
  damage([](const fs::path& at) { write_file_atomic(at / kLibraryFile, ""); });
  damage([](const fs::path& at) { fs::remove(at / kAbiFile); });
  damage([](const fs::path& at) { fs::remove(at / kManifestFile); });
  damage([](const fs::path& at) { write_file_atomic(at / kManifestFile, "{"); });
  damage([](const fs::path& at) { write_file_atomic(at / kManifestFile, "[1]"); });
  damage([](const fs::path& at) {
    fs::remove_all(at);
    fs::create_directories(at);
  });
  damage([](const fs::path& at) { write_manifest(at, std::string(64, '0'), "another key"); });
}

TEST(BuildCache, an_error_of_the_builder_passes_and_leaves_nothing) {
  const TemporaryFolder folder;
  const BuildCache cache(folder.path());
  EXPECT_THROW(cache.get_or_build(kKey, "f",
                                  [](const fs::path& at) {
                                    fill(at, "half");
                                    throw std::runtime_error("stop");
                                  }),
               std::runtime_error);
  EXPECT_EQ(count(folder.path() / "staging"), 0U);
  EXPECT_FALSE(cache.find(kKey));
}

TEST(BuildCache, lists_trims_and_clears) {
  const TemporaryFolder folder;
  const BuildCache cache(folder.path());
  std::vector<std::string> keys;
  for (int i = 0; i < 3; ++i) {
    keys.push_back(CacheKey().add("n", std::to_string(i)).hex());
    const CachedBuild build = cache.get_or_build(keys.back(), "label " + std::to_string(i),
                                                 builder(std::string(1000, 'x')));
    fs::last_write_time(build.folder / kManifestFile,
                        fs::file_time_type::clock::now() - std::chrono::hours(10 - i));
  }
  EXPECT_TRUE(cache.find(keys[0]));  // now the last used
  std::vector<CacheItem> items = cache.list();
  ASSERT_EQ(items.size(), 3U);
  EXPECT_EQ(items[0].key, keys[0]);
  EXPECT_EQ(items[0].label, "label 0");
  EXPECT_EQ(items[2].key, keys[1]);
  EXPECT_GE(items[0].bytes, 2000U);
  EXPECT_EQ(cache.total_bytes(), items[0].bytes + items[1].bytes + items[2].bytes);
  EXPECT_EQ(cache.trim(items[0].bytes + 10), 2U);
  EXPECT_TRUE(cache.find(keys[0]));
  EXPECT_EQ(cache.clear(), 1U);
  EXPECT_TRUE(cache.list().empty());
  EXPECT_EQ(BuildCache(folder.path() / "none").clear(), 0U);
}

int warnings = 0;

TEST(BuildCache, one_that_cannot_be_written_warns_and_builds_elsewhere) {
  const TemporaryFolder folder;
  write_file_atomic(folder.path() / "file", "x");
  const BuildCache cache(folder.path() / "file" / "cache");
  warnings = 0;
  const WarningSink former = set_warning_sink([](const Diagnostic& diagnostic) {
    ++warnings;
    EXPECT_EQ(diagnostic.code, "TF6501");
  });
  const CachedBuild build = cache.get_or_build(kKey, "f", builder("1"));
  EXPECT_EQ(read_file(build.library), "1");
  cache.get_or_build(kKey, "f", builder("1"));
  set_warning_sink(former);
  EXPECT_EQ(warnings, 1);
  EXPECT_EQ(read_file(folder.path() / "file"), "x");
}

TEST(BuildCache, the_folder_comes_from_the_environment) {
  const auto set = [](const char* name, const char* value) { ::setenv(name, value, 1); };
  const std::string former_home = std::getenv("HOME") != nullptr ? std::getenv("HOME") : "";
  const char* former = std::getenv("TILEFOUNDRY_CACHE_DIR");
  const std::string former_cache = former != nullptr ? former : "";
  set("HOME", "/nest/x");
  set("TILEFOUNDRY_CACHE_DIR", "");
  set("XDG_CACHE_HOME", "");
  EXPECT_EQ(BuildCache::user().root(), "/nest/x/.cache/tilefoundry");
  set("XDG_CACHE_HOME", "relative");
  EXPECT_EQ(BuildCache::user().root(), "/nest/x/.cache/tilefoundry");
  set("XDG_CACHE_HOME", "/xdg");
  EXPECT_EQ(BuildCache::user().root(), "/xdg/tilefoundry");
  set("TILEFOUNDRY_CACHE_DIR", "/own");
  EXPECT_EQ(BuildCache::user().root(), "/own");
  set("TILEFOUNDRY_CACHE_DIR", "off");
  EXPECT_EQ(BuildCache::user().root().filename(), "cache");
  EXPECT_NE(BuildCache::user().root().string().find("tilefoundry-"), std::string::npos);
  set("HOME", former_home.c_str());
  set("TILEFOUNDRY_CACHE_DIR", former_cache.c_str());
  ::unsetenv("XDG_CACHE_HOME");
}

#if !defined(__SANITIZE_THREAD__)  // its run-time library does not like many forks

// Two processes build, find and damage the same few keys; each must always get intact bytes.
TEST(BuildCache, two_processes_race) {
  const TemporaryFolder folder;
  const auto work = [&](int self) {
    const BuildCache cache(folder.path());
    for (int i = 0; i < 60; ++i) {
      const std::string content = "content " + std::to_string(i % 3);
      const std::string key = CacheKey().add("n", content).hex();
      const CachedBuild build = cache.get_or_build(key, "f", builder(content));
      try {
        if (read_file(build.library) != content) return 1;
      } catch (const FileError&) {
        // The other one removed the entry that it found damaged; the next round builds it.
      }
      if (i % 20 == 10 + self) {
        std::error_code ignored;
        fs::remove(folder.path() / "builds" / key / kAbiFile, ignored);
      }
    }
    return 0;
  };
  std::vector<pid_t> children;
  for (int self = 0; self < 2; ++self) {
    const pid_t child = ::fork();
    if (child == 0) {
      int result = 2;
      try {
        result = work(self);
      } catch (...) {
      }
      ::_exit(result);
    }
    children.push_back(child);
  }
  for (const pid_t child : children) {
    int status = 0;
    ASSERT_EQ(::waitpid(child, &status, 0), child);
    EXPECT_TRUE(WIFEXITED(status));
    EXPECT_EQ(WEXITSTATUS(status), 0);
  }
  EXPECT_EQ(count(folder.path() / "staging"), 0U);
  EXPECT_EQ(count(folder.path() / "builds"), 3U);
}

#endif

}  // namespace
}  // namespace tilefoundry
