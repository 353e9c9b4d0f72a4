#include <cmath>
#include <limits>

#include <gtest/gtest.h>

#include "tilefoundry/support/diagnostic.h"
#include "tilefoundry/text/print_test_support.h"

namespace tilefoundry {
namespace {

using namespace print_test;  // NOLINT

TEST(HirText, I7_imports_bare_decorator_annotations_and_ssa_lines) {
  const VarRef x = var("x", f32({4, 8}));
  const VarRef w = var("w", f32({8}), true);
  const ExprRef y = plus(x, w, "y");
  const FunctionRef fn = Function::make("scale", {x, w}, times(y, x));
  EXPECT_EQ(hir_function_to_python(fn),
            "from tilefoundry import func\n"
            "from tilefoundry.dsl import ConstTensor, Tensor\n"
            "from tilefoundry.dsl.tf import plus, times\n"
            "\n\n"
            "@func\n"
            "def scale(x: Tensor[(4, 8), \"f32\"], w: ConstTensor[(8,), \"f32\"]) -> "
            "Tensor[(4, 8), \"f32\"]:\n"
            "    y = plus(x, w)\n"
            "    v0 = times(y, x)\n"
            "    return v0\n");
}

TEST(HirText, attributes_by_keyword_and_I31_dtypes_quoted) {
  const VarRef x = var("x", f32({4}));
  const ExprRef y = call(*ops().fold, {AttrInts{0}, false, 1e-6, DType(DType::bf16)}, {x});
  EXPECT_EQ(body_of(hir_function_to_python(Function::make("f", {x}, y))),
            "v0 = fold(x, axes=(0,), keepdim=False, scale=1e-06, to=\"bf16\")\nreturn v0\n");
}

TEST(HirText, I48_dim_vars_are_declared_once_and_I47_print_bare) {
  const Dim s = dim_var("S", 1, 8);
  const VarRef x = var("x", f32({s, 4}));
  const ExprRef y = call(*ops().window, {Shape{s, 2}},
                         {x, Tuple::make({DimValue::make(0), DimValue::make(s - 1)})});
  const std::string text = hir_function_to_python(Function::make("f", {x}, y));
  EXPECT_NE(text.find("\nS = DimVar(\"S\", 1, 8)\n\n\n@func"), std::string::npos) << text;
  EXPECT_EQ(text.find("DimVar(\"S\"", text.find("DimVar(\"S\"") + 1), std::string::npos);
  EXPECT_EQ(body_of(text), "v0 = window(x, (0, S - 1), sizes=(S, 2))\nreturn v0\n");
}

TEST(HirText, dimensions_over_scalars_say_so) {
  const VarRef x = var("x", f32({8}));
  const VarRef n = var("n", TensorType::make({}, DType::i64));
  const ExprRef y =
      call(*ops().window, {Shape{4}}, {x, Tuple::make({DimValue::make(n->dim() * 2)})});
  EXPECT_EQ(body_of(hir_function_to_python(Function::make("f", {x, n}, y))),
            "v0 = window(x, (DimValue(n * 2),), sizes=(4,))\nreturn v0\n");
}

TEST(HirText, numbers_stand_beside_a_partner_of_their_dtype) {
  const VarRef x = var("x", TensorType::make({4}, DType::bf16));
  const VarRef c = var("c", TensorType::make({4}, DType::boolean));
  const ExprRef tenth = Constant::scalar(DType::bf16, 0.1);
  const ExprRef a = plus(x, tenth, "a");
  const ExprRef b = plus(a, Constant::scalar(DType::f32, 1.0), "b");
  const ExprRef d =
      call(*ops().choose, {}, {c, b, Constant::scalar(DType::bf16, -0.0)}, "d", x->type());
  EXPECT_EQ(body_of(hir_function_to_python(Function::make("f", {x, c}, d))),
            "a = plus(x, 0.1)\n"
            "b = plus(a, Constant(1.0, \"f32\"))\n"
            "d = choose(c, b, -0.0)\n"
            "return d\n");
}

TEST(HirText, constants_without_a_partner_state_their_dtype) {
  const ExprRef two = Constant::scalar_int(DType::i32, 2);
  const std::string text = hir_function_to_python(Function::make("f", {}, plus(two, two)));
  EXPECT_EQ(body_of(text), "v0 = plus(Constant(2, \"i32\"), Constant(2, \"i32\"))\nreturn v0\n");
  EXPECT_NE(text.find("from tilefoundry.ir.core import Constant\n"), std::string::npos);
}

TEST(HirText, special_floats_are_expressions) {
  const VarRef x = var("x", f32({4}));
  const double inf = std::numeric_limits<double>::infinity();
  ExprRef y = x;
  for (const double value : {inf, -inf, std::nan(""), -0.0, 1e-45}) {
    y = plus(y, Constant::scalar(DType::f32, value));
  }
  EXPECT_EQ(body_of(hir_function_to_python(Function::make("f", {x}, y))),
            "v0 = plus(x, float(\"inf\"))\n"
            "v1 = plus(v0, float(\"-inf\"))\n"
            "v2 = plus(v1, float(\"nan\"))\n"
            "v3 = plus(v2, -0.0)\n"
            "v4 = plus(v3, 1e-45)\n"
            "return v4\n");
}

TEST(HirText, tensor_constants_are_refused_by_name) {
  const auto type = f32({2});
  const ExprRef constant = Constant::make(type, std::vector<std::byte>(8));
  try {
    hir_function_to_python(Function::make("f", {}, spark(constant)));
    FAIL();
  } catch (const ValueError& error) {
    EXPECT_EQ(error.diagnostic().code, "TF3070");
    EXPECT_NE(error.diagnostic().message.find("Tensor[(2,), \"f32\"]"), std::string::npos);
  }
}

TEST(HirText, local_names_are_renamed_stably_and_parameters_keep_theirs) {
  const VarRef x = var("x", f32({4}));
  const VarRef plus_param = var("plus", f32({4}));
  ExprRef y = plus(x, plus_param, "class");
  y = spark(y, "spark");
  y = spark(y, "x");
  y = spark(y, "č");
  y = spark(y, "a b");
  y = spark(y, "tf");
  y = spark(y, "v0");
  y = spark(y, "");
  const std::string text = hir_function_to_python(Function::make("f", {x, plus_param}, y));
  EXPECT_EQ(body_of(text),
            "class_1 = tf.plus(x, plus)\n"
            "spark_1 = spark(class_1)\n"
            "x_1 = spark(spark_1)\n"
            "č = spark(x_1)\n"
            "a_b = spark(č)\n"
            "tf_1 = spark(a_b)\n"
            "v0 = spark(tf_1)\n"
            "v1 = spark(v0)\n"
            "return v1\n");
  EXPECT_NE(text.find("from tilefoundry.dsl import Tensor, tf\n"), std::string::npos);
  EXPECT_NE(text.find("from tilefoundry.dsl.tf import spark\n"), std::string::npos);
}

TEST(HirText, names_that_cannot_be_written_are_restored_by_the_decorator) {
  const VarRef x = var("up.x", f32({4}));
  const std::string text = hir_function_to_python(Function::make("f$1", {x}, spark(x)));
  EXPECT_NE(text.find("@func(name=\"f$1\", param_names={\"up_x\": \"up.x\"})\n"
                      "def f_1(up_x: Tensor"),
            std::string::npos)
      << text;
}

TEST(HirText, a_parameter_that_hides_a_needed_builtin_is_refused) {
  const VarRef x = var("float", f32({4}));
  const ExprRef y = plus(x, Constant::scalar(DType::f32, std::nan("")));
  EXPECT_THROW(hir_function_to_python(Function::make("f", {x}, y)), ValueError);
  EXPECT_NO_THROW(hir_function_to_python(Function::make("f", {x}, spark(x))));
}

TEST(HirText, a_parameter_named_like_a_dimension_renames_the_variable_of_the_dimension) {
  const VarRef s = var("S", f32({dim_var("S", 1, 8)}));
  const std::string text = hir_function_to_python(Function::make("f", {s}, spark(s)));
  EXPECT_NE(text.find("S_1 = DimVar(\"S\", 1, 8)\n"), std::string::npos) << text;
  EXPECT_NE(text.find("def f(S: Tensor[(S_1,), \"f32\"])"), std::string::npos) << text;
}

TEST(HirText, tuples_stand_where_they_are_used) {
  const VarRef x = var("x", f32({4}));
  const ExprRef a = spark(x, "a");
  const ExprRef pair = Tuple::make({a, Tuple::make({x})});
  EXPECT_EQ(body_of(hir_function_to_python(Function::make("f", {x}, pair))),
            "a = spark(x)\nreturn a, (x,)\n");
  EXPECT_EQ(body_of(hir_function_to_python(Function::make("f", {x}, Tuple::make({a})))),
            "a = spark(x)\nreturn (a,)\n");
}

TEST(HirText, show_types_adds_comments_only) {
  const VarRef x = var("x", f32({4}));
  const FunctionRef fn = Function::make("f", {x}, spark(spark(x)));
  const std::string typed = hir_function_to_python(fn, {.show_types = true});
  EXPECT_NE(typed.find("    v0 = spark(x)  # Tensor[(4,), \"f32\"]\n"), std::string::npos);
  std::string plain;
  for (std::size_t at = 0; at < typed.size();) {
    const std::size_t end = typed.find('\n', at);
    const std::string line = typed.substr(at, end - at);
    plain += line.substr(0, line.find("  #")) + "\n";
    at = end + 1;
  }
  EXPECT_EQ(plain, hir_function_to_python(fn));
}

TEST(HirText, callees_print_before_their_callers) {
  const VarRef a = var("a", f32({4}));
  const FunctionRef inner = Function::make("inner", {a}, spark(a));
  const VarRef b = var("b", f32({4}));
  const FunctionRef middle = Function::make("middle", {b}, Call::make(inner, {b}, b->type()));
  // The instance of a call points at what was written.
  const FunctionRef instance = Function::make("middle", {b}, middle->body(), nullptr, {}, middle);
  const VarRef x = var("x", f32({4}));
  const ExprRef once = Call::make(instance, {x}, x->type());
  const FunctionRef outer = Function::make("outer", {x}, Call::make(instance, {once}, x->type()));
  EXPECT_EQ(definitions(as_script(outer)),
            "@func\n"
            "def inner(a: Tensor[(4,), \"f32\"]) -> Tensor[(4,), \"f32\"]:\n"
            "    v0 = spark(a)\n"
            "    return v0\n"
            "\n\n"
            "@func\n"
            "def middle(b: Tensor[(4,), \"f32\"]) -> Tensor[(4,), \"f32\"]:\n"
            "    v0 = inner(b)\n"
            "    return v0\n"
            "\n\n"
            "@func\n"
            "def outer(x: Tensor[(4,), \"f32\"]) -> Tensor[(4,), \"f32\"]:\n"
            "    v0 = middle(x)\n"
            "    v1 = middle(v0)\n"
            "    return v1\n");
}

TEST(HirText, I8_I9_the_wrapped_form) {
  const VarRef x = var("x", f32({4}));
  const FunctionRef fn = Function::make("f", {x}, spark(x));
  EXPECT_EQ(as_script(fn, "W"),
            "from tilefoundry import func, module\n"
            "from tilefoundry.dsl import Tensor\n"
            "from tilefoundry.dsl.tf import spark\n"
            "\n\n"
            "@module()\n"
            "class W:\n"
            "    @func\n"
            "    def f(x: Tensor[(4,), \"f32\"]) -> Tensor[(4,), \"f32\"]:\n"
            "        v0 = spark(x)\n"
            "        return v0\n");
  EXPECT_EQ(module_to_python(fn), as_script(fn, "M"));
}

TEST(HirText, a_long_chain_prints_in_linear_time_and_space) {
  const VarRef x = var("x", f32({4}));
  ExprRef y = x;
  constexpr int kOps = 100000;
  for (int i = 0; i < kOps; ++i) y = plus(y, y, "x");
  const std::string text = hir_function_to_python(Function::make("f", {x}, y));
  EXPECT_EQ(std::count(text.begin(), text.end(), '\n'), kOps + 8);
}

}  // namespace
}  // namespace tilefoundry
