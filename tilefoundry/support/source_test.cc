#include "tilefoundry/support/source.h"

#include <gtest/gtest.h>

namespace tilefoundry {
namespace {

struct Place {
  std::uint32_t line;
  std::uint32_t column;
  bool operator==(const Place&) const = default;
};

Place place(const SourceBuffer& buffer, std::size_t offset) {
  const auto position = buffer.position(static_cast<std::uint32_t>(offset));
  return {position.line, position.column};
}

TEST(SourceBuffer, positions_count_lines_and_code_points_from_one) {
  const SourceBuffer buffer("a.py", "x = 1\n\nč = 2\n");
  EXPECT_EQ(place(buffer, 0), (Place{1, 1}));
  EXPECT_EQ(place(buffer, 4), (Place{1, 5}));
  EXPECT_EQ(place(buffer, 5), (Place{1, 6})) << "the line end belongs to its line";
  EXPECT_EQ(place(buffer, 6), (Place{2, 1}));
  EXPECT_EQ(place(buffer, 7), (Place{3, 1}));
  EXPECT_EQ(place(buffer, 9), (Place{3, 2})) << "two bytes of one letter are one column";
  EXPECT_EQ(place(buffer, 14), (Place{4, 1}));
  EXPECT_EQ(buffer.line_count(), 4U);
}

TEST(SourceBuffer, every_line_ending_ends_a_line) {
  const SourceBuffer buffer("a.py", "one\r\ntwo\rthree\nfour");
  ASSERT_EQ(buffer.line_count(), 4U);
  EXPECT_EQ(buffer.line(1), "one");
  EXPECT_EQ(buffer.line(2), "two");
  EXPECT_EQ(buffer.line(3), "three");
  EXPECT_EQ(buffer.line(4), "four");
  EXPECT_EQ(place(buffer, 5), (Place{2, 1}));
  EXPECT_EQ(place(buffer, 9), (Place{3, 1}));
}

TEST(SourceBuffer, an_empty_text_has_one_empty_line) {
  const SourceBuffer buffer("a.py", "");
  EXPECT_EQ(buffer.line_count(), 1U);
  EXPECT_EQ(buffer.line(1), "");
  EXPECT_EQ(place(buffer, 0), (Place{1, 1}));
}

TEST(SourceBuffer, an_offset_past_the_end_is_the_end) {
  const SourceBuffer buffer("a.py", "ab");
  EXPECT_EQ(place(buffer, 2), (Place{1, 3}));
  EXPECT_EQ(place(buffer, 99), (Place{1, 3}));
}

TEST(Span, shows_its_text_and_place) {
  const auto buffer = make_ref<SourceBuffer>("dir/a.py", "x = rms(y)\n");
  const Span span{buffer, 4, 7};
  EXPECT_EQ(span.text(), "rms");
  EXPECT_EQ(span.location(), "dir/a.py:1:5");
  EXPECT_TRUE(span);

  const Span nowhere;
  EXPECT_FALSE(nowhere);
  EXPECT_EQ(nowhere.text(), "");
  EXPECT_EQ(nowhere.location(), "<unknown>");
}

}  // namespace
}  // namespace tilefoundry
