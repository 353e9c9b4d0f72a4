#include "tilefoundry/dump/dump.h"

#include <gtest/gtest.h>

#include <filesystem>
#include <stdexcept>
#include <thread>

#include "tilefoundry/support/diagnostic.h"
#include "tilefoundry/support/files.h"
#include "tilefoundry/support/warning.h"

namespace tilefoundry {
namespace {

using Files = std::map<std::string, std::string>;

int warnings = 0;

class FailingDumper : public IDumpper {
 public:
  void write(std::string_view, std::string_view) override { throw std::runtime_error("broken"); }
};

TEST(DumpFlags, I106_values_combine_and_intersect) {
  EXPECT_EQ(static_cast<int>(DumpFlags::NONE), 0);
  EXPECT_EQ(static_cast<int>(DumpFlags::PASS_IR), 1);
  EXPECT_EQ(static_cast<int>(DumpFlags::CODEGEN_SOURCE), 2);
  EXPECT_EQ(static_cast<int>(DumpFlags::BUILD_LOG), 4);
  EXPECT_EQ(static_cast<int>(DumpFlags::ANALYSIS), 8);
  EXPECT_EQ(
      DumpFlags::PASS_IR | DumpFlags::CODEGEN_SOURCE | DumpFlags::BUILD_LOG | DumpFlags::ANALYSIS,
      DumpFlags::ALL);
  EXPECT_EQ(DumpFlags::ALL & DumpFlags::BUILD_LOG, DumpFlags::BUILD_LOG);
  EXPECT_FALSE(any(DumpFlags::PASS_IR & DumpFlags::ANALYSIS));
}

TEST(Dump, I105_writes_through_each_dumper) {
  const TemporaryFolder folder;
  auto memory = std::make_shared<MemoryDumper>();
  {
    const DumpScope scope({}, DumpFlags::ALL, memory);
    EXPECT_TRUE(dump("ir.py", "text", DumpFlags::PASS_IR));
  }
  EXPECT_EQ(memory->files(), (Files{{"ir.py", "text"}}));
  {
    const DumpScope scope("sub", DumpFlags::ALL, std::make_shared<FileDumper>(folder.path()));
    EXPECT_TRUE(dump("00_pass/ir.py", "text", DumpFlags::PASS_IR));
  }
  EXPECT_EQ(read_file(folder.path() / "sub/00_pass/ir.py"), "text");
  const DumpScope scope({}, DumpFlags::ALL, std::make_shared<NullDumper>());
  EXPECT_TRUE(dump("ir.py", "text", DumpFlags::PASS_IR));
}

TEST(Dump, P17_without_a_scope_nothing_happens) {
  EXPECT_EQ(current_scope(), nullptr);
  EXPECT_FALSE(dump_enabled(DumpFlags::ALL));
  EXPECT_FALSE(dump("ir.py", "text", DumpFlags::ALL));
}

TEST(DumpScope, I107_restores_the_former_scope) {
  auto memory = std::make_shared<MemoryDumper>();
  const DumpScope outer({}, DumpFlags::PASS_IR, memory);
  const auto before = current_scope();
  try {
    const DumpScope inner("a");
    EXPECT_NE(current_scope(), before);
    throw std::runtime_error("body");
  } catch (const std::runtime_error&) {
  }
  EXPECT_EQ(current_scope(), before);
}

TEST(DumpScope, I107_without_flags_inherits) {
  auto memory = std::make_shared<MemoryDumper>();
  const DumpScope root({}, std::nullopt, memory);
  EXPECT_EQ(current_scope()->flags(), DumpFlags::ALL);
  const DumpScope narrow({}, DumpFlags::PASS_IR | DumpFlags::ANALYSIS);
  const DumpScope nested("a");
  EXPECT_EQ(current_scope()->flags(), DumpFlags::PASS_IR | DumpFlags::ANALYSIS);
  EXPECT_EQ(current_scope()->folder(), "a");
}

TEST(DumpScope, I108_nests_and_intersects) {
  auto memory = std::make_shared<MemoryDumper>();
  {
    const DumpScope parent({}, DumpFlags::PASS_IR, memory);
    const DumpScope child("a", DumpFlags::ALL);
    EXPECT_TRUE(dump("ir.py", "1", DumpFlags::PASS_IR));
    EXPECT_FALSE(dump("log", "2", DumpFlags::BUILD_LOG));
    const DumpScope grandchild("b");
    EXPECT_TRUE(dump("ir.py", "3", DumpFlags::PASS_IR | DumpFlags::BUILD_LOG));
  }
  EXPECT_EQ(memory->files(), (Files{{"a/ir.py", "1"}, {"a/b/ir.py", "3"}}));
  const DumpScope orphan("a", DumpFlags::ALL);
  EXPECT_EQ(current_scope(), nullptr);
  EXPECT_FALSE(dump("ir.py", "4", DumpFlags::PASS_IR));
}

TEST(DumpScope, I109_a_dumper_replaces_the_scope) {
  auto outer = std::make_shared<MemoryDumper>();
  auto inner = std::make_shared<MemoryDumper>();
  const DumpScope first("outer", DumpFlags::NONE, outer);
  {
    const DumpScope second({}, DumpFlags::ALL, inner);
    EXPECT_TRUE(dump("ir.py", "text", DumpFlags::PASS_IR));
  }
  EXPECT_TRUE(outer->files().empty());
  EXPECT_EQ(inner->files(), (Files{{"ir.py", "text"}}));
}

TEST(DumpScope, a_new_thread_starts_without_and_may_be_given_one) {
  auto memory = std::make_shared<MemoryDumper>();
  const DumpScope scope("a", DumpFlags::ALL, memory);
  const auto context = current_scope();
  std::thread([&] {
    EXPECT_EQ(current_scope(), nullptr);
    const DumpScope taken(context);
    dump("x", "1", DumpFlags::ANALYSIS);
  }).join();
  EXPECT_EQ(memory->files(), (Files{{"a/x", "1"}}));
}

TEST(DumpScope, P16_numbers_continue_within_a_scope) {
  const DumpScope scope({}, DumpFlags::ALL, std::make_shared<NullDumper>());
  EXPECT_EQ(current_scope()->next_number(), 0);
  EXPECT_EQ(current_scope()->next_number(), 1);
  const DumpScope nested("a");
  EXPECT_EQ(current_scope()->next_number(), 0);
}

TEST(Dump, a_failure_warns_and_does_not_throw) {
  warnings = 0;
  const WarningSink former = set_warning_sink([](const Diagnostic& diagnostic) {
    ++warnings;
    EXPECT_NE(diagnostic.message.find("broken"), std::string::npos);
  });
  const DumpScope scope({}, DumpFlags::ALL, std::make_shared<FailingDumper>());
  EXPECT_FALSE(dump("x", "1", DumpFlags::ANALYSIS));
  set_warning_sink(former);
  EXPECT_EQ(warnings, 1);
}

}  // namespace
}  // namespace tilefoundry
