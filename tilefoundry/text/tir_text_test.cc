#include <gtest/gtest.h>

#include "tilefoundry/ir/tir/block.h"
#include "tilefoundry/support/diagnostic.h"
#include "tilefoundry/text/print_test_support.h"

namespace tilefoundry {
namespace {

using namespace print_test;  // NOLINT

class TirText : public testing::Test {
 protected:
  static void SetUpTestSuite() {
    // A narrow build has no op registration of its own.
    if (find_op_class(Dialect::T, "Load") == nullptr) register_framework_ops();
  }

  std::string body(const Block& block) {
    return body_of(prim_function_to_python(PrimFunction::make("k", {x, y}, make_block(block), 1)));
  }
  static BlockItem let(const VarRef& var, ExprRef value) { return BlockItem::let(var, value); }
  static BlockItem does(StmtRef stmt) { return BlockItem::of(std::move(stmt)); }
  static VarRef scalar(const std::string& name, DType dtype = DType::f32) {
    return Var::make(name, scalar_type(dtype));
  }
  static StmtRef loop(const VarRef& i, Dim stop, const Block& body,
                      ForMode mode = ForMode::serial) {
    return For::make(i, 0, std::move(stop), 1, make_block(body), mode);
  }

  VarRef x = var("x", f32({8, 8}));
  VarRef y = var("y", f32({8, 8}));
  VarRef i = loop_var("i");
  VarRef j = loop_var("j");
};

TEST_F(TirText, a_whole_function) {
  const VarRef acc = var("acc", scalar_type(DType::f32));
  const ExprRef product = scalar_binary(BinaryKind::mul, load(x, {i->dim(), j->dim() * 2 + 1}),
                                        Constant::scalar(DType::f32, 2.0));
  const Block inner = {does(store(acc, scalar_binary(BinaryKind::add, load(acc, {}), product), {})),
                       does(store(y, load(acc, {}), {i->dim(), j->dim()}))};
  const Block block = {
      let(acc, alloc_tensor(scalar_type(DType::f32))),
      does(store(acc, Constant::scalar(DType::f32, 0.0), {})),
      does(loop(i, 8, {does(loop(j, 4, inner, ForMode::vectorized))}, ForMode::parallel))};
  const auto fn = PrimFunction::make("up.forward$1", {x, y}, make_block(block), 1);
  EXPECT_EQ(prim_function_to_python(fn),
            "from tilefoundry import prim_func\n"
            "from tilefoundry.dsl import T, Tensor\n"
            "\n\n"
            "@prim_func(name=\"up.forward$1\", outputs=1)\n"
            "def up_forward_1(x: Tensor[(8, 8), \"f32\"], y: Tensor[(8, 8), \"f32\"]):\n"
            "    acc = T.alloc_tensor(tensor_type=Tensor[(), \"f32\", \"rmem\"])\n"
            "    acc[()] = 0.0\n"
            "    for i in T.parallel(8):\n"
            "        for j in T.vectorized(4):\n"
            "            acc[()] = acc[()] + x[i, j * 2 + 1] * 2.0\n"
            "            y[i, j] = acc[()]\n");
}

TEST_F(TirText, operators_keep_their_grouping) {
  const VarRef a = scalar("a");
  const VarRef b = scalar("b");
  const ExprRef sum = scalar_binary(BinaryKind::add, a, b);
  const ExprRef less = scalar_binary(BinaryKind::cmp_lt, a, b);
  const std::vector<std::pair<ExprRef, std::string>> cases = {
      {scalar_binary(BinaryKind::mul, sum, b), "(a + b) * b"},
      {scalar_binary(BinaryKind::sub, b, sum), "b - (a + b)"},
      {scalar_binary(BinaryKind::add, sum, b), "a + b + b"},
      {scalar_binary(BinaryKind::pow, a, scalar_binary(BinaryKind::pow, a, b)), "a ** (a ** b)"},
      {scalar_binary(BinaryKind::pow, scalar_unary(UnaryKind::neg, a), b), "(-a) ** b"},
      {scalar_unary(UnaryKind::neg, scalar_binary(BinaryKind::pow, a, b)), "-a ** b"},
      {scalar_unary(UnaryKind::neg, scalar_binary(BinaryKind::mul, a, b)), "-(a * b)"},
      {scalar_binary(BinaryKind::cmp_eq, less, scalar_binary(BinaryKind::cmp_gt, a, b)),
       "(a < b) == (a > b)"},
      {scalar_binary(BinaryKind::logical_or,
                     scalar_binary(BinaryKind::logical_and, less,
                                   scalar_unary(UnaryKind::logical_not,
                                                scalar_binary(BinaryKind::cmp_ge, a, b))),
                     scalar_binary(BinaryKind::cmp_le, a, b)),
       "a < b and not a >= b or a <= b"},
      {scalar_binary(BinaryKind::max, a, scalar_unary(UnaryKind::exp, b)),
       "T.scalar_max(a, T.scalar_exp(b))"},
      {scalar_binary(BinaryKind::pow, a, Constant::scalar(DType::f32, -2.0)), "a ** (-2.0)"},
      {scalar_unary(UnaryKind::neg, Constant::scalar(DType::f32, 2.0)),
       "T.scalar_neg(Constant(2.0, \"f32\"))"},
      {scalar_cast(DType::f32, dim_value(Dim(3))), "T.scalar_cast(DimValue(3), dtype=\"f32\")"},
      {select(less, a, Constant::scalar(DType::f32, 0.0)), "T.select(a < b, a, 0.0)"},
      {scalar_binary(BinaryKind::floor_div, scalar("n", DType::i64), scalar("m", DType::i64)), ""},
  };
  for (const auto& [value, text] : cases) {
    if (text.empty()) {
      EXPECT_THROW(body({let(scalar("v"), value)}), ValueError);  // bound nowhere
      continue;
    }
    const Block block = {let(a, load(x, {0, 0})), let(b, load(x, {0, 1})), let(scalar("v"), value)};
    EXPECT_EQ(body(block), "a = x[0, 0]\nb = x[0, 1]\nv = " + text + "\n");
  }
}

TEST_F(TirText, statements) {
  const VarRef flag = scalar("flag", DType::boolean);
  const ExprRef one = Constant::scalar(DType::f32, 1.0);
  const Block block = {
      let(flag, scalar_binary(BinaryKind::cmp_lt, load(x, {0, 0}), one)),
      does(If::make(flag, store(x, one, {0, 0}), Sequential::make({}))),
      does(While::make(flag, Return::make())),
      does(For::make(i, 2, dim_var("S", 1, 8), 3, Abort::make("no \"way\""), ForMode::unrolled)),
      does(For::make(i, 1, 4, 1, Return::make())),
      does(copy(x, tensor_view(y, {i->dim() + 1, 0}, {8, 8}))),
      does(Evaluate::call(SymbolRef::make("up.f$1", CallableType::make(UnitType::make(), {})),
                          {x, y})),
      does(Evaluate::make(make_op(Fill{}), {x, one}))};
  const auto text = body({does(loop(i, 1, block))});
  EXPECT_EQ(text,
            "for i in range(1):\n"
            "    flag = x[0, 0] < 1.0\n"
            "    if flag:\n"
            "        x[0, 0] = 1.0\n"
            "    else:\n"
            "        pass\n"
            "    while flag:\n"
            "        return\n"
            "    for i_1 in T.unrolled(2, S, 3):\n"
            "        T.abort(\"no \\\"way\\\"\")\n"
            "    for i_2 in range(1, 4):\n"
            "        return\n"
            "    T.copy(x, T.tensor_view(y, i_2 + 1, 0, layout=None, shape=(8, 8)))\n"
            "    T.call(\"up.f$1\", x, y)\n"
            "    T.fill(x, 1.0)\n");
}

TEST_F(TirText, shared_and_deep_expressions_get_lines_of_their_own) {
  ExprRef square = load(x, {0, 0});
  for (int n = 0; n < 64; ++n) square = scalar_binary(BinaryKind::mul, square, square);
  const std::string shared = body({does(store(y, square, {0, 0}))});
  EXPECT_EQ(shared.substr(0, 37), "v0 = x[0, 0]\nv1 = v0 * v0\nv2 = v1 * v");
  EXPECT_EQ(std::count(shared.begin(), shared.end(), '\n'), 65);

  ExprRef deep = load(x, {0, 0});
  constexpr int kDepth = 100000;
  const ExprRef one = Constant::scalar(DType::f32, 1.0);
  for (int n = 0; n < kDepth; ++n) deep = scalar_binary(BinaryKind::add, deep, one);
  EXPECT_LT(body({does(store(y, deep, {0, 0}))}).size(), kDepth * 16u);
}

TEST_F(TirText, names_are_free_again_after_their_block) {
  const Block twice = {does(loop(i, 2, {let(scalar("v"), load(x, {i->dim(), 0}))})),
                       does(loop(j, 2, {let(scalar("v"), load(x, {j->dim(), 0}))}))};
  EXPECT_EQ(body(twice),
            "for i in range(2):\n    v = x[i, 0]\nfor j in range(2):\n    v = x[j, 0]\n");
}

TEST_F(TirText, long_blocks_and_deep_nests_print_without_recursion) {
  Block block;
  for (int n = 0; n < 100000; ++n) block.push_back(let(scalar("v"), load(x, {0, 0})));
  EXPECT_EQ(body(block).substr(0, 26), "v = x[0, 0]\nv_1 = x[0, 0]\n");
  StmtRef nest = Return::make();
  for (int n = 0; n < 1000; ++n) nest = For::make(loop_var("i"), 0, 2, 1, nest);
  EXPECT_NE(body({does(nest)}).find("for i_999 in range(2):\n"), std::string::npos);
}

TEST_F(TirText, a_parameter_with_a_path_for_a_name) {
  const VarRef w = var("up.weight", f32({8}), true);
  const auto fn = PrimFunction::make("k", {x, w}, copy(x, x), 0);
  EXPECT_NE(prim_function_to_python(fn).find(
                "@prim_func(param_names={\"up_weight\": \"up.weight\"})\n"
                "def k(x: Tensor[(8, 8), \"f32\"], up_weight: ConstTensor[(8,), \"f32\"]):\n"
                "    T.copy(x, x)\n"),
            std::string::npos);
}

}  // namespace
}  // namespace tilefoundry
