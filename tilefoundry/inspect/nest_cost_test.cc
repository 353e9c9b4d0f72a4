#include "tilefoundry/inspect/nest_cost.h"

#include <gtest/gtest.h>

#include "tilefoundry/frontend/loader.h"
#include "tilefoundry/ir/tir/block.h"

namespace tilefoundry {
namespace {

// The statements of a prim function's body, written in the language.
std::vector<StmtRef> statements(const std::string& body) {
  const std::string text =
      "from tilefoundry import prim_func\n"
      "from tilefoundry.dsl import DimVar, T, Tensor\n"
      "S = DimVar(\"S\", 1, 1025)\n"
      "@prim_func(outputs=1)\n"
      "def f(x: Tensor[(64, 32), \"f32\"], h: Tensor[(64, 32), \"bf16\"], w: Tensor[(32, 16), "
      "\"f32\"],\n"
      "      n: Tensor[(64, 32), \"i32\"], s: Tensor[(S, 8), \"f32\"], y: Tensor[(64, 32), "
      "\"f32\"]):\n" +
      body;
  const auto buffer = make_ref<SourceBuffer>("nest.py", text);
  const ModuleRef module = select(load_source(buffer), "").module;
  const CallableRef entry = module->entry_function();
  std::vector<StmtRef> out;
  for (const BlockItem& item : block_items(as_prim_function(*entry)->body())) {
    if (!item.is_let()) out.push_back(item.stmt);
  }
  return out;
}

NestCost cost(const std::string& body, std::int64_t s = 100) {
  const std::vector<StmtRef> list = statements(body);
  EXPECT_EQ(list.size(), 1U);
  return nest_cost(list.at(0), [s](const Ref<const DimNode>& node) {
    return node->as_var() != nullptr ? Dim(s) : Dim(node);
  });
}

TEST(NestCost, counts_float_operations_and_each_byte_once) {
  const NestCost c = cost(
      "    for i in range(64):\n"
      "        for j in range(32):\n"
      "            y[i, j] = T.scalar_exp(x[i, j] * x[i, j]) + x[i, j]\n");
  EXPECT_EQ(c.flops, (std::map<DType, double>{{DType::f32, 3.0 * 64 * 32}}));
  EXPECT_EQ(c.bytes_read, 64 * 32 * 4);
  EXPECT_EQ(c.bytes_written, 64 * 32 * 4);
  EXPECT_EQ(c.written, std::vector<std::string>{"y"});
}

TEST(NestCost, integers_and_comparisons_are_no_flops) {
  const NestCost c = cost(
      "    for i in range(64):\n"
      "        for j in range(32):\n"
      "            y[i, j] = T.select(n[i, j] * n[i, j] < n[i, j], x[i, j], x[i, j])\n");
  EXPECT_EQ(c.all_flops(), 0);
  EXPECT_EQ(c.bytes_read, 2 * 64 * 32 * 4);
}

TEST(NestCost, a_triangle_is_counted_trip_by_trip) {
  const NestCost c = cost(
      "    for i in range(32):\n"
      "        for j in range(0, i + 1):\n"
      "            y[i, j] = x[i, j] + x[i, j]\n");
  EXPECT_EQ(c.all_flops(), 32 * 33 / 2);
  EXPECT_EQ(c.bytes_read, 32 * 32 * 4);
}

TEST(NestCost, a_condition_on_loops_decides) {
  const NestCost c = cost(
      "    for i in range(64):\n"
      "        if i < 16:\n"
      "            for j in range(32):\n"
      "                y[i, j] = x[i, j] + x[i, j]\n");
  EXPECT_EQ(c.all_flops(), 16 * 32);
}

TEST(NestCost, a_window_counts_what_it_covers_over_all_trips) {
  const NestCost c = cost(
      "    for i in range(0, 32, 8):\n"
      "        a = T.tensor_view(x, i, 4, shape=(8, 8))\n"
      "        b = T.tensor_view(y, i, 0, shape=(8, 8))\n"
      "        T.copy(a, b)\n");
  EXPECT_EQ(c.bytes_read, 32 * 8 * 4);
  EXPECT_EQ(c.bytes_written, 32 * 8 * 4);
  EXPECT_EQ(c.written, std::vector<std::string>{"y"});
}

TEST(NestCost, products_and_buffers_of_the_nest_itself) {
  const NestCost c = cost(
      "    for i in range(0, 64, 16):\n"
      "        t = T.alloc_tensor(tensor_type=Tensor[(16, 16), \"f32\"])\n"
      "        a = T.tensor_view(x, i, 0, shape=(16, 32))\n"
      "        b = T.tensor_view(y, i, 0, shape=(16, 16))\n"
      "        T.matmul(a, w, t)\n"
      "        T.copy(t, b)\n");
  EXPECT_EQ(c.flops, (std::map<DType, double>{{DType::f32, 2.0 * 64 * 32 * 16}}));
  EXPECT_EQ(c.bytes_read, (64 * 32 + 32 * 16) * 4);
  EXPECT_EQ(c.bytes_written, 64 * 16 * 4);
}

TEST(NestCost, dimensions_take_their_extents) {
  const char* body =
      "    for i in range(S):\n"
      "        for j in range(8):\n"
      "            y[0, j] = s[i, j] + s[i, j]\n";
  EXPECT_EQ(cost(body, 100).bytes_read, 100 * 8 * 4);
  EXPECT_EQ(cost(body, 7).all_flops(), 7 * 8);
  EXPECT_EQ(cost(body, 7).bytes_written, 8 * 4);
}

}  // namespace
}  // namespace tilefoundry
