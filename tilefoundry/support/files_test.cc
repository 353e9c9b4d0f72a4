#include "tilefoundry/support/files.h"

#include <gtest/gtest.h>
#include <signal.h>
#include <sys/resource.h>

#include <filesystem>
#include <stdexcept>

#include "tilefoundry/support/diagnostic.h"

namespace tilefoundry {
namespace {

namespace fs = std::filesystem;

template <class Function>
std::string code_of(const Function& function) {
  try {
    function();
  } catch (const FileError& error) {
    EXPECT_FALSE(error.diagnostic().hint.empty());
    return error.diagnostic().code;
  }
  return "";
}

std::size_t count(const fs::path& folder) {
  return static_cast<std::size_t>(
      std::distance(fs::directory_iterator(folder), fs::directory_iterator()));
}

TEST(ReadFile, refusals_are_told_apart) {
  const TemporaryFolder folder;
  EXPECT_EQ(code_of([&] { read_file(folder.path() / "none"); }), "TF7101");
  EXPECT_EQ(code_of([&] { read_file(folder.path()); }), "TF7102");
  write_file_atomic(folder.path() / "file", "x");
  EXPECT_EQ(code_of([&] { read_file(folder.path() / "file" / "x"); }), "TF7101");
}

TEST(WriteFileAtomic, round_trips_bytes) {
  const TemporaryFolder folder;
  const std::string bytes("a\0\r\n\xff", 5);
  write_file_atomic(folder.path() / "file", bytes);
  EXPECT_EQ(read_file(folder.path() / "file"), bytes);
  write_file_atomic(folder.path() / "empty", "");
  EXPECT_EQ(read_file(folder.path() / "empty"), "");
}

TEST(WriteFileAtomic, a_failure_leaves_the_old_content_and_nothing_else) {
  const TemporaryFolder folder;
  const fs::path path = folder.path() / "file";
  write_file_atomic(path, "old");
  EXPECT_THROW(write_file_atomic(path,
                                 [](const FileSink& sink) {
                                   sink("new", 3);
                                   throw std::runtime_error("no more");
                                 }),
               std::runtime_error);
  EXPECT_EQ(read_file(path), "old");
  EXPECT_EQ(count(folder.path()), 1U);
}

TEST(WriteFileAtomic, refusals_are_told_apart) {
  const TemporaryFolder folder;
  EXPECT_EQ(code_of([&] { write_file_atomic(folder.path(), "x"); }), "TF7102");
  EXPECT_EQ(code_of([&] { write_file_atomic(folder.path() / "none" / "x", "x"); }), "TF7104");
}

TEST(WriteFileAtomic, a_write_that_fails_midway_is_a_file_error_and_leaves_nothing) {
  const TemporaryFolder folder;
  rlimit former{};
  ::getrlimit(RLIMIT_FSIZE, &former);
  const rlimit small{4096, former.rlim_max};
  const auto handler = ::signal(SIGXFSZ, SIG_IGN);
  ::setrlimit(RLIMIT_FSIZE, &small);
  const std::string code =
      code_of([&] { write_file_atomic(folder.path() / "file", std::string(100000, 'x')); });
  ::setrlimit(RLIMIT_FSIZE, &former);
  ::signal(SIGXFSZ, handler);
  EXPECT_EQ(code, "TF7104");
  EXPECT_EQ(count(folder.path()), 0U);
}

TEST(TemporaryFolder, goes_with_its_content) {
  fs::path path;
  {
    const TemporaryFolder folder;
    path = folder.path();
    fs::create_directories(path / "a" / "b");
    write_file_atomic(path / "a" / "b" / "c", "x");
  }
  EXPECT_FALSE(fs::exists(path));
}

TEST(PublishFolder, appears_whole_and_replaces_only_its_own_kind) {
  const TemporaryFolder folder;
  const fs::path place = folder.path() / "out";
  const auto publish = [&](const std::string& text) {
    TemporaryFolder staged(folder.path());
    write_file_atomic(staged.path() / "mark", text);
    publish_folder(staged.path(), place, "mark");
  };
  publish("1");
  EXPECT_EQ(read_file(place / "mark"), "1");
  publish("2");
  EXPECT_EQ(read_file(place / "mark"), "2");
  EXPECT_EQ(count(folder.path()), 1U);
  fs::remove(place / "mark");
  publish("3");  // an empty folder is taken
  fs::rename(place / "mark", place / "other");
  EXPECT_EQ(code_of([&] { publish("4"); }), "TF7105");
  EXPECT_EQ(read_file(place / "other"), "3");
  fs::remove_all(place);
  write_file_atomic(place, "a file");
  EXPECT_EQ(code_of([&] { publish("5"); }), "TF7105");
}

}  // namespace
}  // namespace tilefoundry
