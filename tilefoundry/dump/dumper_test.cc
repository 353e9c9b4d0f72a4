#include "tilefoundry/dump/dumper.h"

#include <gtest/gtest.h>

#include <filesystem>
#include <thread>
#include <vector>

#include "tilefoundry/support/diagnostic.h"
#include "tilefoundry/support/files.h"

namespace tilefoundry {
namespace {

namespace fs = std::filesystem;

std::vector<std::string> files_below(const fs::path& root) {
  std::vector<std::string> found;
  for (const auto& entry : fs::recursive_directory_iterator(root)) {
    if (entry.is_regular_file()) found.push_back(fs::relative(entry.path(), root).string());
  }
  std::sort(found.begin(), found.end());
  return found;
}

TEST(SafeDumpPath, keeps_plain_names) {
  EXPECT_EQ(safe_dump_path("00_pass/before.txt"), "00_pass/before.txt");
  EXPECT_EQ(safe_dump_path("č f$1/x y"), "č f$1/x y");
}

TEST(SafeDumpPath, cannot_climb_out) {
  EXPECT_EQ(safe_dump_path("../x"), "%2E%2E/x");
  EXPECT_EQ(safe_dump_path("/etc//passwd"), "etc/passwd");
  EXPECT_EQ(safe_dump_path("a/./b"), "a/%2E/b");
  EXPECT_EQ(safe_dump_path("a\nb%\\"), "a%0Ab%25%5C");
  EXPECT_EQ(safe_dump_path(std::string_view("a\0b", 3)), "a%00b");
  EXPECT_EQ(safe_dump_path(""), "unnamed");
  EXPECT_EQ(safe_dump_path("//"), "unnamed");
}

TEST(SafeDumpPath, cuts_long_parts_and_keeps_them_distinct) {
  const std::string a = safe_dump_path(std::string(300, 'a') + "1");
  const std::string b = safe_dump_path(std::string(300, 'a') + "2");
  EXPECT_LE(a.size(), 200U);
  EXPECT_NE(a, b);
}

TEST(FileDumper, writes_only_below_its_root_whatever_the_names) {
  const TemporaryFolder folder;
  const fs::path root = folder.path() / "root";
  for (const char* name : {"../escape", "/tmp/escape", "..", ".", "", "a/../../b", "~", "-x",
                           "%2E%2E/x", "..\\x", "CON", "a/b/c"}) {
    FileDumper(root).write(name, "text");
    const std::vector<std::string> files = files_below(folder.path());
    ASSERT_EQ(files.size(), 1U) << name;
    EXPECT_EQ(files[0].rfind("root/", 0), 0U) << files[0];
    fs::remove_all(root);
  }
}

TEST(FileDumper, does_not_follow_links_out_of_its_root) {
  const TemporaryFolder folder;
  const fs::path root = folder.path() / "root";
  fs::create_directories(root);
  fs::create_directories(folder.path() / "outside");
  fs::create_directory_symlink(folder.path() / "outside", root / "link");
  fs::create_symlink(folder.path() / "outside" / "target", root / "file");
  FileDumper dumper(root);
  EXPECT_THROW(dumper.write("link/x", "text"), FileError);
  dumper.write("file", "text");  // replaces the link itself
  EXPECT_TRUE(files_below(folder.path() / "outside").empty());
  EXPECT_EQ(read_file(root / "file"), "text");
}

TEST(FileDumper, a_later_text_replaces_the_earlier_and_leaves_no_other_files) {
  const TemporaryFolder folder;
  FileDumper dumper(folder.path());
  dumper.write("a", std::string(100000, 'x'));
  dumper.write("a", "short");
  EXPECT_EQ(read_file(folder.path() / "a"), "short");
  EXPECT_EQ(files_below(folder.path()), std::vector<std::string>{"a"});
}

TEST(FileDumper, threads_write_whole_texts) {
  const TemporaryFolder folder;
  FileDumper dumper(folder.path());
  std::vector<std::thread> threads;
  for (char c = 'a'; c < 'e'; ++c) {
    threads.emplace_back([&dumper, c] {
      for (int i = 0; i < 50; ++i) dumper.write("same", std::string(5000, c));
    });
  }
  for (std::thread& thread : threads) thread.join();
  const std::string text = read_file(folder.path() / "same");
  EXPECT_EQ(text, std::string(5000, text[0]));
  EXPECT_EQ(files_below(folder.path()).size(), 1U);
}

TEST(FileDumper, a_root_that_cannot_be_made_is_a_file_error) {
  const TemporaryFolder folder;
  write_file_atomic(folder.path() / "file", "x");
  FileDumper dumper(folder.path() / "file" / "root");
  EXPECT_THROW(dumper.write("a", "text"), FileError);
}

}  // namespace
}  // namespace tilefoundry
