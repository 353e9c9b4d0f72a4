#include "tilefoundry/support/environment.h"

#include <gtest/gtest.h>

#include <cstdlib>

#include "tilefoundry/support/diagnostic.h"

namespace tilefoundry {
namespace {

constexpr const char* kName = "TILEFOUNDRY_ENVIRONMENT_TEST";

class Environment : public ::testing::Test {
 protected:
  void TearDown() override { ::unsetenv(kName); }
  static void set(const char* value) { ::setenv(kName, value, 1); }
};

TEST_F(Environment, an_empty_variable_is_unset) {
  EXPECT_FALSE(environment_text(kName));
  set("");
  EXPECT_FALSE(environment_text(kName));
  EXPECT_TRUE(environment_flag(kName, true));
  EXPECT_FALSE(environment_flag(kName, false));
  EXPECT_EQ(environment_integer(kName, 7, 1, 9), 7);
}

TEST_F(Environment, flags_in_any_case) {
  for (const char* text : {"1", "true", "YES", "On"}) {
    set(text);
    EXPECT_TRUE(environment_flag(kName, false)) << text;
  }
  for (const char* text : {"0", "False", "no", "OFF"}) {
    set(text);
    EXPECT_FALSE(environment_flag(kName, true)) << text;
  }
}

TEST_F(Environment, nonsense_is_a_named_error) {
  for (const char* text : {"2", "maybe", " 1", "tru"}) {
    set(text);
    try {
      environment_flag(kName, true);
      FAIL() << text;
    } catch (const ValueError& error) {
      EXPECT_NE(error.diagnostic().message.find(kName), std::string::npos);
    }
  }
}

TEST_F(Environment, integers_are_checked) {
  set("8");
  EXPECT_EQ(environment_integer(kName, 1, 1, 8), 8);
  for (const char* text : {"0", "9", "8x", "0x1", "99999999999999999999"}) {
    set(text);
    EXPECT_THROW(environment_integer(kName, 1, 1, 8), ValueError) << text;
  }
}

}  // namespace
}  // namespace tilefoundry
