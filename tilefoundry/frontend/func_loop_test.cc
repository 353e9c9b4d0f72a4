#include <fmt/format.h>
#include <gtest/gtest.h>

#include "tilefoundry/frontend/loader.h"
#include "tilefoundry/ir/hir/grid_region.h"
#include "tilefoundry/ir/structural.h"
#include "tilefoundry/ops/slice.h"
#include "tilefoundry/registry/loop_typing.h"
#include "tilefoundry/support/diagnostic.h"
#include "tilefoundry/text/printer.h"

namespace tilefoundry {
namespace {

constexpr const char* kHead = R"(from tilefoundry import func, module
from tilefoundry.dsl import DimVar, Tensor, tile
from tilefoundry.dsl.tf import *

S = DimVar("S", 1, 64)

@module(entry="f")
class M:
    @func
    def f(x: Tensor[(6, 40), "f32"], y: Tensor[(6, 40), "f32"], n: Tensor[(), "i64"]):
)";

ModuleRef load(const std::string& body) {
  const LoadedFile file = load_source(make_ref<SourceBuffer>("test.py", kHead + body));
  return file.modules.back();
}

FunctionRef function(const ModuleRef& module) {
  return FunctionRef(as_function(*module->functions().front()));
}

// The loops of a body, inner ones first.
std::vector<GridRegionRef> loops(const ExprRef& body) {
  std::vector<GridRegionRef> out;
  for (const ExprRef& node : post_order({body})) {
    if (const auto* loop = expr_cast<GridRegionExpr>(node)) out.emplace_back(loop);
  }
  return out;
}

// Prints, loads, compares, and prints the same text again.
void expect_round_trip(const std::string& body) {
  const ModuleRef module = load(body);
  const std::string text = print_module_text(module);
  const LoadedFile again = load_source(make_ref<SourceBuffer>("again.py", text));
  const auto difference = structural_difference(module, again.modules.back());
  EXPECT_FALSE(difference) << difference->text() << "\n" << text;
  EXPECT_EQ(structural_hash(module), structural_hash(again.modules.back()));
  EXPECT_EQ(print_module_text(again.modules.back()), text);
}

TEST(Loops, V27_a_range_with_two_carries_infers_their_types) {
  const ModuleRef module = load(
      "        s = x[0]\n"
      "        for i in range(1, 6, 2):\n"
      "            x, s = x + y, s * 2.0\n"
      "        return x, s\n");
  const auto found = loops(function(module)->body());
  ASSERT_EQ(found.size(), 1U);
  const GridRegionExpr& loop = *found[0];
  EXPECT_EQ(loop.form(), LoopForm::range);
  EXPECT_TRUE(loop.start().is(1) && loop.extent().is(6) && loop.step().is(2));
  ASSERT_EQ(loop.carried_args().size(), 2U);
  EXPECT_EQ(loop.carried_args()[0]->name(), "x");
  EXPECT_EQ(loop.carried_args()[1]->name(), "s");
  EXPECT_EQ(as_tuple(loop.type())->fields().size(), 2U);
  TypeInferContext ctx(module);
  EXPECT_EQ(ctx.type_of(loop.carried_args()[1]), loop.carried_args()[1]->type());
  EXPECT_EQ(TypeInferVisitor(ctx).visit(found[0]), loop.type());
}

TEST(Loops, V27_a_yield_of_another_type_is_refused) {
  const ModuleRef module =
      load("        for i in range(2):\n            x = x + y\n        return x\n");
  const GridRegionRef loop = loops(function(module)->body())[0];
  GridRegionParts parts = loop->parts();
  parts.yield_values = {function(module)->params()[2]};
  TypeInferContext ctx(module);
  try {
    make_loop(ctx, parts);
    FAIL() << "accepted";
  } catch (const VerifyError& error) {
    const std::string text = error.diagnostics().front().message;
    EXPECT_NE(text.find("Tensor[(), \"i64\"]"), std::string::npos) << text;
    EXPECT_NE(text.find("Tensor[(6, 40), \"f32\"]"), std::string::npos) << text;
  }
}

TEST(Loops, what_depends_on_no_variable_is_outside) {
  const ModuleRef module = load(
      "        w = exp(y)\n"
      "        for i in range(2):\n"
      "            fixed = w * y\n"
      "            x = x * fixed\n"
      "        return x\n");
  const GridRegionRef loop = loops(function(module)->body())[0];
  ASSERT_EQ(loop->body().size(), 1U);
  EXPECT_EQ(loop->body()[0], loop->yield_values()[0]);
  ASSERT_EQ(loop->captures().size(), 1U);
  EXPECT_EQ(loop->captures()[0]->name(), "fixed");
}

TEST(Loops, what_reads_the_variable_in_a_dimension_is_inside) {
  const ModuleRef module = load(
      "        for i in range(2):\n"
      "            for j in range(i, 6):\n"
      "                x = x + y[:, i + j : i + j + 40]\n"
      "        return x\n");
  const auto found = loops(function(module)->body());
  ASSERT_EQ(found.size(), 2U);
  ASSERT_EQ(found[0]->outer_scalars().size(), 1U);
  EXPECT_EQ(found[0]->outer_scalars()[0], found[1]->induction_var());
  EXPECT_TRUE(found[1]->outer_scalars().empty());
}

TEST(Loops, windows_of_tiles_start_at_the_variable) {
  const ModuleRef module = load(
      "        acc = x[:, 0:8]\n"
      "        for i in tile(24, 8):\n"
      "            j = i + 4\n"
      "            acc = acc + x[:, j + 4]\n"
      "        return acc\n");
  const GridRegionRef loop = loops(function(module)->body())[0];
  EXPECT_EQ(loop->form(), LoopForm::tile);
  bool seen = false;
  for (const ExprRef& node : loop->body()) {
    const auto* call = expr_cast<Call>(node);
    const Slice* slice = call != nullptr ? call->op<Slice>() : nullptr;
    if (slice == nullptr) continue;
    seen = true;
    const auto* starts = expr_cast<Tuple>(call->args()[1]);
    EXPECT_EQ(expr_cast<DimValue>(starts->elements()[1])->dim(), loop->induction_var()->dim() + 8);
    EXPECT_TRUE(slice->sizes[1].is(8));
  }
  EXPECT_TRUE(seen);
}

TEST(Loops, an_undecided_storage_becomes_that_of_the_yield) {
  const ModuleRef module = load(
      "        acc = zeros(type=Tensor[(6, 40), \"f32\", \"umat\"])\n"
      "        for i in range(2):\n"
      "            for j in range(3):\n"
      "                acc = acc + x\n"
      "        return acc\n");
  for (const GridRegionRef& loop : loops(function(module)->body())) {
    EXPECT_EQ(as_tensor(loop->type())->storage(), StorageKind::gmem);
  }
}

TEST(Loops, I45_I46_swaps_and_equal_yields_round_trip) {
  const std::string body =
      "        z = y\n"
      "        for i in range(3):\n"
      "            t = x + y\n"
      "            x, y, z = t, t, z\n"
      "        for i in range(2):\n"
      "            x, y = y, x\n"
      "        return x, y, z\n";
  expect_round_trip(body);
  const std::string text = print_module_text(load(body));
  // One value yielded twice, and a carry that stays, have names of their own.
  EXPECT_NE(text.find("y_1_next = t\n"), std::string::npos) << text;
  EXPECT_NE(text.find("z_next = z\n"), std::string::npos) << text;
  // Both yields first, then both assignments.
  EXPECT_NE(text.find("            x_2_next = y_2\n            y_2_next = x_2\n"
                      "            x_2 = x_2_next\n            y_2 = y_2_next\n"),
            std::string::npos)
      << text;
}

TEST(Loops, I45_nested_loops_windows_and_numbers_round_trip) {
  expect_round_trip(
      "        acc = zeros(type=Tensor[(6, 8), \"f32\"])\n"
      "        at = zeros(type=Tensor[(), \"i64\"])\n"
      "        last = x[0]\n"
      "        for i in tile(32, 8):\n"
      "            acc = acc + x[:, i] * x[:, i + 8]\n"
      "        for i in range(0, 6, n + 1):\n"
      "            row = x[i]\n"
      "            for j in range(i, 6, 2):\n"
      "                acc = acc + y[:, i + j : i + j + 8]\n"
      "                row = row + last\n"
      "            last = maximum(last, row)\n"
      "            at = at + i\n"
      "        return acc, last, at, y\n");
}

TEST(Loops, a_loop_of_many_steps_and_many_loops_stay_linear) {
  std::string body = "        acc = x\n        for i in range(2):\n";
  for (int k = 0; k < 3000; ++k) body += "            acc = acc + y\n";
  for (int k = 0; k < 1000; ++k) {
    body += "        for i in range(2):\n            acc = acc + y\n";
  }
  body += "        return acc\n";
  const ModuleRef module = load(body);
  EXPECT_EQ(loops(function(module)->body()).size(), 1001U);
  expect_round_trip(body);
}

TEST(Loops, structural_equality_pairs_the_variables) {
  const auto text = [](const char* i, const char* acc, const char* step) {
    return fmt::format(
        "        {1} = y\n        for {0} in range(0, 6, {2}):\n            {1} = {1} * 2.0 + "
        "x[{0}]\n"
        "        return {1}\n",
        i, acc, step);
  };
  const ModuleRef a = load(text("i", "acc", "1"));
  const ModuleRef b = load(text("k", "sum_of", "1"));
  const ModuleRef c = load(text("i", "acc", "2"));
  EXPECT_FALSE(structural_difference(a, b));
  EXPECT_EQ(structural_hash(a), structural_hash(b));
  const auto difference = structural_difference(a, c);
  ASSERT_TRUE(difference);
  EXPECT_NE(difference->text().find("step"), std::string::npos);
}

}  // namespace
}  // namespace tilefoundry
