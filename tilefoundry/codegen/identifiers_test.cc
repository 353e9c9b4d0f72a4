#include "tilefoundry/codegen/identifiers.h"

#include <gtest/gtest.h>

#include <set>

namespace tilefoundry {
namespace {

TEST(Identifiers, plain_names_stay) {
  for (const char* name : {"x", "out0", "row_sum", "Q", "i4"}) EXPECT_EQ(c_identifier(name), name);
}

TEST(Identifiers, others_are_encoded_one_to_one) {
  const char* names[] = {"new",  "double", "č",   "a$1",        "up.project", "_x",
                         "a__b", "tf_x",   "TfX", "tf_n_new",   "",           "Zc4",
                         "ÄZ",   "linux",  "1x",  "tf_n_Zc4Z8d"};
  std::set<std::string> seen;
  for (const char* name : names) {
    const std::string encoded = c_identifier(name);
    EXPECT_TRUE(encoded == name || encoded.rfind("tf_n_", 0) == 0) << encoded;
    EXPECT_EQ(encoded.find_first_not_of(
                  "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_"),
              std::string::npos);
    EXPECT_TRUE(seen.insert(encoded).second) << name;
  }
  EXPECT_EQ(c_identifier("new"), "tf_n_new");
  EXPECT_EQ(c_identifier("č"), "tf_n_Zc4Z8d");
}

TEST(Identifiers, names_are_distinct_until_their_scope_ends) {
  IdentifierScopes names;
  EXPECT_EQ(names.declare("x"), "x");
  names.push();
  EXPECT_EQ(names.declare("x"), "x_2");
  EXPECT_EQ(names.declare("x_2"), "x_2_2");
  EXPECT_EQ(names.depth_of("x_2"), 1);
  names.pop();
  EXPECT_EQ(names.depth_of("x_2"), -1);
  EXPECT_EQ(names.declare("x"), "x_2");
}

}  // namespace
}  // namespace tilefoundry
