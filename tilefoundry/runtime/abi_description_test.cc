#include "tilefoundry/runtime/abi_description.h"

#include <gtest/gtest.h>

#include "tilefoundry/support/diagnostic.h"

namespace tilefoundry {
namespace {

std::string with_shape(const std::string& shape) {
  return R"({"schema": "tilefoundry.abi", "schema_version": 1, "entry": "f", "symbol": "tf_f",
             "inputs": [{"name": "x", "dtype": "f32", "shape": )" +
         shape + R"(}], "outputs": [], "dims": {"S": {"lo": 1, "hi": 8}, "T": {"lo": 0, "hi": 9}},
             "unknown": 1})";
}

AbiExtent extent(const std::string& json) {
  return AbiDescription::parse(with_shape("[" + json + "]"), "lib").inputs[0].shape[0];
}

std::string expression(const std::string& tree) {
  return R"({"text": "the text", "expr": )" + tree + "}";
}

TEST(AbiDescription, reads_all_fields) {
  const AbiDescription abi = AbiDescription::parse(with_shape(R"([4, "S"])"), "lib");
  EXPECT_EQ(abi.entry, "f");
  EXPECT_EQ(abi.symbol, "tf_f");
  EXPECT_EQ(abi.dims.at("S").hi, 8);
  EXPECT_EQ(abi.inputs[0].type_text(), "Tensor[(4, S), \"f32\"]");
  EXPECT_EQ(abi.inputs[0].storage, "gmem");
  EXPECT_FALSE(abi.inputs[0].constant);
  EXPECT_EQ(abi.inputs[0].shape[0].constant(), 4);
  EXPECT_EQ(*abi.inputs[0].shape[1].bare_name(), "S");
}

TEST(AbiExtent, evaluates_with_pythons_signs) {
  const DimensionValues values{{"S", 7}, {"T", 2}};
  EXPECT_EQ(extent(expression(R"(["add", ["mul", "S", 2], 1])")).evaluate(values), 15);
  EXPECT_EQ(extent(expression(R"(["sub", "S", "T"])")).evaluate(values), 5);
  EXPECT_EQ(extent(expression(R"(["min", "S", "T"])")).evaluate(values), 2);
  EXPECT_EQ(extent(expression(R"(["max", "S", "T"])")).evaluate(values), 7);
  // Python: -7 // 2 == -4, -7 % 2 == 1, 7 // -2 == -4, 7 % -2 == -1.
  EXPECT_EQ(extent(expression(R"(["floordiv", -7, 2])")).evaluate(values), -4);
  EXPECT_EQ(extent(expression(R"(["mod", -7, 2])")).evaluate(values), 1);
  EXPECT_EQ(extent(expression(R"(["floordiv", 7, -2])")).evaluate(values), -4);
  EXPECT_EQ(extent(expression(R"(["mod", 7, -2])")).evaluate(values), -1);
  EXPECT_EQ(extent(expression(R"(["mod", -9223372036854775808, -1])")).evaluate(values), 0);
  EXPECT_EQ(extent("\"S\"").evaluate({}), std::nullopt);
}

TEST(AbiExtent, has_no_value_after_overflow_or_division_by_zero) {
  const DimensionValues values{{"S", INT64_MAX}, {"T", 0}};
  EXPECT_THROW(extent(expression(R"(["mul", "S", 2])")).evaluate(values), CallError);
  EXPECT_THROW(extent(expression(R"(["floordiv", "S", "T"])")).evaluate(values), CallError);
  EXPECT_THROW(extent(expression(R"(["mod", "S", "T"])")).evaluate(values), CallError);
  EXPECT_THROW(extent(expression(R"(["floordiv", -9223372036854775808, -1])")).evaluate(values),
               CallError);
}

TEST(AbiExtent, a_deep_expression_needs_no_stack) {
  std::string tree = "\"S\"";
  for (int i = 0; i < 200; ++i) tree = "[\"add\", " + tree + ", 1]";
  EXPECT_EQ(extent(expression(tree)).evaluate({{"S", 1}}), 201);
}

TEST(AbiDescription, refuses_what_it_cannot_use) {
  for (const std::string& text :
       {std::string("not json"), std::string("[]"), std::string(R"({"schema": "other"})"),
        std::string(R"({"schema": "tilefoundry.abi", "schema_version": 2})"),
        std::string(R"({"schema": "tilefoundry.abi", "schema_version": 1})"),
        with_shape(R"(["U"])"), with_shape("4"), with_shape("[1.5]"), with_shape("[null]"),
        with_shape("[" + expression(R"(["pow", 1, 2])") + "]"),
        with_shape("[" + expression(R"(["add", 1])") + "]")}) {
    try {
      AbiDescription::parse(text, "lib");
      FAIL() << text;
    } catch (const CallError& error) {
      EXPECT_EQ(error.diagnostic().code, "TF6103");
      EXPECT_NE(error.diagnostic().message.find("lib"), std::string::npos);
    }
  }
}

}  // namespace
}  // namespace tilefoundry
