#include "tilefoundry/frontend/loader.h"

#include <algorithm>
#include <set>

#include <fmt/format.h>
#include <gtest/gtest.h>

#include "tilefoundry/ir/tir/block.h"
#include "tilefoundry/support/diagnostic.h"
#include "tilefoundry/target/cpu_target.h"
#include "tilefoundry/text/printer.h"

namespace tilefoundry {
namespace {

constexpr const char* kHead = R"(from tilefoundry import func, module, prim_func
from tilefoundry.dsl import ConstTensor, DimVar, Layout, Mesh, T, Tensor, Topology, Tuple, ceildiv, tf
from tilefoundry.dsl.tf import *
from tilefoundry.target import CpuTarget

S = DimVar("S", 1, 64)
)";
constexpr std::uint32_t kHeadLines = 6;

LoadedFile load(const std::string& text) {
  return load_source(make_ref<SourceBuffer>("test.py", kHead + text));
}

// "TF2001@2 TF2045@3": codes with lines counted behind the head.
std::string errors(const std::string& text) {
  try {
    load(text);
  } catch (const Error& error) {
    std::string out;
    for (const Diagnostic& diagnostic : error.diagnostics()) {
      const std::uint32_t line = diagnostic.span.buffer->position(diagnostic.span.begin).line;
      out += fmt::format("{}{}@{}", out.empty() ? "" : " ", diagnostic.code, line - kHeadLines);
    }
    return out;
  }
  return "";
}

FunctionRef function(const LoadedFile& file, const std::string& name) {
  for (const FunctionRef& each : file.functions) {
    if (each->name() == name) return each;
  }
  return nullptr;
}

// Loads one function whose body is `body`.
FunctionRef body(const std::string& body) {
  return function(load("@func\ndef f(x: Tensor[(4, 8), \"f32\"], n: Tensor[(), \"i64\"], "
                       "b: Tensor[(4, 8), \"bool\"], s: Tensor[(S, 8), \"f32\"]):\n" +
                       body),
                  "f");
}

const Call& call_of(const ExprRef& expr) {
  const Call* call = expr_cast<Call>(expr);
  if (call == nullptr) throw std::runtime_error("no call");
  return *call;
}

const TensorType& type_of(const ExprRef& expr) { return *as_tensor(expr->type()); }

AttrValue attr(const Call& call, std::string_view name) {
  return static_cast<const Op&>(*call.target()).attr(name);
}

void expect_fixed_point(const ModuleRef& module) {
  const std::string text = print_module_text(module);
  const LoadedFile again = load_source(make_ref<SourceBuffer>("again.py", text));
  EXPECT_EQ(print_module_text(again.modules.back()), text);
}

TEST(Loader, V33_every_expression_has_a_type) {
  const FunctionRef f = body("  y = x * 2.0 + x\n  return -y @ transpose(y, perm=(1, 0))\n");
  for (const ExprRef& node : post_order({f->body()})) EXPECT_TRUE(node->type());
  EXPECT_EQ(shape_text(type_of(f->body()).shape()), "(4, 4)");
}

TEST(Loader, names_and_places_of_values) {
  const FunctionRef f = body("  y = x + x\n  return y\n");
  EXPECT_EQ(f->body()->name(), "y");
  EXPECT_EQ(f->body()->span().text(), "x + x");
}

TEST(Loader, assigning_a_name_makes_no_node) {
  const FunctionRef f = body("  y = x\n  z = y\n  return z\n");
  EXPECT_EQ(f->body().get(), f->params()[0].get());
}

TEST(Loader, numbers_take_the_dtype_of_their_partner) {
  const FunctionRef f = body("  return x * 3\n");
  const auto* constant = expr_cast<Constant>(call_of(f->body()).args()[1]);
  ASSERT_NE(constant, nullptr);
  EXPECT_EQ(constant->tensor_type().dtype(), DType(DType::f32));
  EXPECT_EQ(constant->float_at(0), 3.0);
  EXPECT_EQ(errors("@func\ndef f(x: Tensor[(4,), \"i32\"]):\n  return x + 0.5\n"), "TF2068@3");
  EXPECT_EQ(errors("@func\ndef f(x: Tensor[(4,), \"i32\"]):\n  return x + 2147483648\n"),
            "TF2068@3");
  EXPECT_EQ(errors("@func\ndef f(x: Tensor[(4,), \"f32\"]):\n  return x + 16777217\n"), "TF2068@3");
  EXPECT_EQ(errors("@func\ndef f(x: Tensor[(4,), \"f32\"]):\n  return x + 16777216\n"), "");
  EXPECT_EQ(errors("@func\ndef f(x: Tensor[(4,), \"f16\"]):\n  return x + 1e6\n"), "TF2068@3");
  EXPECT_EQ(errors("@func\ndef f(x: Tensor[(4,), \"f32\"]):\n  return add(1, 2)\n"), "TF2069@3");
  EXPECT_EQ(errors("@func\ndef f(b: Tensor[(4,), \"bool\"]):\n  return where(b, 1.0, 2.0)\n"),
            "TF2069@3");
}

TEST(Loader, special_numbers_survive) {
  const FunctionRef f = body("  return where(b, where(b, x, float(\"-inf\")), -0.0)\n");
  const Call& outer = call_of(f->body());
  const auto* zero = expr_cast<Constant>(outer.args()[2]);
  EXPECT_TRUE(std::signbit(zero->float_at(0)));
  const auto* infinity = expr_cast<Constant>(call_of(outer.args()[1]).args()[2]);
  EXPECT_EQ(infinity->float_at(0), -std::numeric_limits<double>::infinity());
}

TEST(Loader, compile_time_arithmetic_follows_python) {
  const FunctionRef f =
      body("  return reshape(x, new_shape=(-7 // 3 + 7, -7 % 3 * 2, 2 ** 3 >> 2, -1))\n");
  EXPECT_EQ(shape_text(type_of(f->body()).shape()), "(4, 4, 2, 1)");
  EXPECT_EQ(errors("n = 2 ** 64\n"), "TF2032@1");
  EXPECT_EQ(errors("n = -9223372036854775808 // -1\n"), "TF2032@1");
  EXPECT_EQ(errors("n = 1 % 0\n"), "TF2031@1");
  EXPECT_EQ(errors("n = 0.5 // 0\n"), "TF2031@1");
  EXPECT_EQ(errors("n = S / 2\n"), "TF2030@1");
  EXPECT_EQ(errors("n = S > 4\n"), "TF2033@1");
}

TEST(Loader, comprehensions_and_sequences_stay_compile_time) {
  const FunctionRef f = body(
      "  dims = [i * 2 for i in range(1, 3)]\n  return reshape(x, new_shape=tuple(dims + "
      "[4])[::1])\n");
  EXPECT_EQ(shape_text(type_of(f->body()).shape()), "(2, 4, 4)");
  const FunctionRef g = body("  rows = [x[i] for i in range(4)]\n  return rows[0] + rows[-1]\n");
  EXPECT_EQ(shape_text(type_of(g->body()).shape()), "(8,)");
}

TEST(Loader, subscripts_follow_numpy) {
  const struct {
    const char* index;
    const char* shape;
  } cases[] = {
      {"x[1]", "(8,)"},
      {"x[-1]", "(8,)"},
      {"x[1:3]", "(2, 8)"},
      {"x[:, 2:]", "(4, 6)"},
      {"x[..., 0]", "(4,)"},
      {"x[::2, ::3]", "(2, 3)"},
      {"x[1, 2]", "()"},
      {"x[-3:-1]", "(2, 8)"},
      {"s[1:]", "(S - 1, 8)"},
      {"s[S - 1]", "(8,)"},
      {"x[n:n + 2]", "(2, 8)"},
      {"x[n, 0]", "()"},
      {"x[n + 1:n + 3]", "(2, 8)"},
  };
  for (const auto& each : cases) {
    const FunctionRef f = body(fmt::format("  return {}\n", each.index));
    EXPECT_EQ(shape_text(type_of(f->body()).shape()), each.shape) << each.index;
  }
  EXPECT_EQ(body("  return x[:, ...]\n")->body()->kind(), ExprKind::var);
  const FunctionRef f = body("  k = n * 2\n  return x[k:k + 2]\n");
  EXPECT_EQ(shape_text(type_of(f->body()).shape()), "(2, 8)");
}

TEST(Loader, unpacking_takes_fields) {
  const FunctionRef f = body("  p, q = split(x, axis=0, num_splits=2)\n  return q, p\n");
  const auto* tuple = expr_cast<Tuple>(f->body());
  ASSERT_NE(tuple, nullptr);
  EXPECT_EQ(tuple->elements()[0]->name(), "q");
  EXPECT_EQ(std::get<std::int64_t>(attr(call_of(tuple->elements()[0]), "index")), 1);
}

TEST(Loader, chained_comparisons_are_joined) {
  const FunctionRef f = body("  m = 0 < x <= 1\n  return m\n");
  const Call& all = call_of(f->body());
  EXPECT_EQ(std::get<std::string>(attr(all, "kind")), "logical_and");
  EXPECT_EQ(all.name(), "m");
  EXPECT_EQ(std::get<std::string>(attr(call_of(all.args()[1]), "kind")), "cmp_le");
}

TEST(Loader, shared_squarings_stay_shared) {
  std::string text = "  y = x\n";
  for (int i = 0; i < 64; ++i) text += "  y = y * y\n";
  EXPECT_EQ(post_order({body(text + "  return y\n")->body()}).size(), 65U);
}

TEST(Loader, a_long_chain_loads_on_a_small_stack) {
  std::string text = "  y = x\n";
  for (int i = 0; i < 20000; ++i) text += "  y = y + x\n";
  const FunctionRef f = body(text + "  return y\n");
  EXPECT_EQ(post_order({f->body()}).size(), 20001U);
  std::string sum = "  return x";
  for (int i = 0; i < 20000; ++i) sum += " + x";
  EXPECT_TRUE(body(sum + "\n"));
}

TEST(Loader, calls_of_calls_take_linear_time) {
  std::string text = "@func\ndef g0(x: Tensor[(S,), \"f32\"]):\n  return x + x\n";
  for (int i = 1; i <= 30; ++i) {
    text += fmt::format("@func\ndef g{}(x: Tensor[(S,), \"f32\"]):\n  return g{}(x) + g{}(x)\n", i,
                        i - 1, i - 1);
  }
  const LoadedFile file = load(text);
  const Selection selection = select(file, "g30");
  EXPECT_EQ(selection.module->functions().size(), 31U);
  EXPECT_EQ(callable_name(*selection.module->functions()[0]), "g0");
  EXPECT_EQ(callable_name(*selection.function), "g30");
  expect_fixed_point(selection.module);
}

constexpr const char* kTree = R"(
@module(entry="forward", target=CpuTarget(), topologies=(Topology("cta", ceildiv(S, 4)),))
class Mlp:
    @module(entry="forward", topologies=())
    class Up:
        @func
        def forward(x: Tensor[(4, 8), "f32"], w: ConstTensor[(8, 8), "f32"]):
            return x @ w

    down = Up
    layers = (Up, Up)

    def helper(self):
        # kept
        return 1

    @func
    def forward(x: Tensor[(4, 8), "f32"]):
        y = Up(x)
        y = layers[1](y)
        return down(y)
)";

TEST(Loader, I13_module_trees_keep_their_shape) {
  const LoadedFile file = load(kTree);
  ASSERT_EQ(file.modules.size(), 1U);
  const Module& module = *file.modules[0];
  EXPECT_TRUE(same_target(module.target(), default_target()));
  ASSERT_EQ(module.children().size(), 4U);
  EXPECT_EQ(module.children()[1]->name(), "down");
  EXPECT_EQ(module.children()[3]->name(), "layers_1");
  EXPECT_TRUE(module.children()[0]->topologies()->empty());
  EXPECT_EQ(module.methods()[0].source, "def helper(self):\n    # kept\n    return 1");
  expect_fixed_point(file.modules[0]);
}

TEST(Loader, I21_copies_of_one_module_stay_apart) {
  const LoadedFile file = load(kTree);
  const Module& module = *file.modules[0];
  const auto& forward = static_cast<const Function&>(*module.entry_function());
  const Call& outer = call_of(forward.body());
  const Call& middle = call_of(outer.args()[0]);
  const Call& inner = call_of(middle.args()[0]);
  const auto child = [&](const Call& call) {
    return child_of_entry(module, static_cast<const Function&>(*call.target()))->name();
  };
  EXPECT_EQ(child(outer), "down");
  EXPECT_EQ(child(middle), "layers_1");
  EXPECT_EQ(child(inner), "Up");
  EXPECT_EQ(inner.args().size(), 1U);  // I22: the weight is left out
}

TEST(Loader, one_function_modules) {
  const LoadedFile file = load(
      "@func(target=CpuTarget(threads=2))\ndef f(x: Tensor[(4,), \"f32\"]):\n  return x + x\n");
  ASSERT_EQ(file.modules.size(), 1U);
  EXPECT_EQ(file.modules[0]->name(), "f");
  EXPECT_EQ(file.modules[0]->target()->repr(), "CpuTarget(threads=2)");
}

TEST(Loader, selectors) {
  const LoadedFile file =
      load(std::string(kTree) + "@func\ndef bare(x: Tensor[(4,), \"f32\"]):\n  return x + x\n");
  EXPECT_EQ(select(file, "").module->name(), "Mlp");
  EXPECT_EQ(select(file, "Mlp.down").module->name(), "down");
  EXPECT_TRUE(same_target(select(file, "Mlp.down").target, default_target()));
  EXPECT_EQ(callable_name(*select(file, "Mlp.Up.forward").function), "forward");
  EXPECT_EQ(select(file, "bare").module->name(), "bare");
  for (const char* wrong : {"Mlpp", "Mlp.dwn", "Mlp.forward.x", "bare.x", "."}) {
    try {
      select(file, wrong);
      ADD_FAILURE() << wrong;
    } catch (const ParseError& error) {
      EXPECT_EQ(error.diagnostic().code, "TF2091");
    }
  }
  try {
    select(file, "Mlpp");
  } catch (const ParseError& error) {
    EXPECT_NE(error.diagnostic().hint.find("did you mean 'Mlp'?"), std::string::npos);
    EXPECT_NE(error.diagnostic().hint.find("bare"), std::string::npos);
  }
}

TEST(Loader, empty_files_are_refused) {
  EXPECT_EQ(errors(""), "TF2090@4294967291");
  EXPECT_EQ(errors("if __name__ == \"__main__\":\n  print(1)\n"), "TF2090@4294967291");
}

TEST(Loader, one_wrong_statement_does_not_hide_the_next) {
  EXPECT_EQ(errors("@func\ndef f(x: Tensor[(4,), \"f32\"]):\n  y = ad(x, x)\n  z = y + 1\n"
                   "  w = mull(z, x)\n  return w + bad\n"
                   "@func\ndef g(x: Tensor[(4,), \"f33\"]):\n  return f(x)\n"),
            "TF2001@3 TF2001@5 TF2051@8");
}

TEST(Loader, the_first_error_decides_the_class) {
  const std::string wrong = "@func\ndef f(x: Tensor[(4,), \"f32\"], y: Tensor[(4,), \"i32\"]):\n";
  EXPECT_THROW(load(wrong + "  z = x + y\n  return q\n"), VerifyError);
  EXPECT_THROW(load(wrong + "  z = q\n  return x + y\n"), ParseError);
}

TEST(Loader, errors_stop_at_the_limit) {
  std::string text = "@func\ndef f(x: Tensor[(4,), \"f32\"]):\n";
  for (int i = 0; i < 40; ++i) text += fmt::format("  y{} = nope{}\n", i, i);
  try {
    load(text);
    ADD_FAILURE();
  } catch (const Error& error) {
    EXPECT_EQ(error.diagnostics().size(), 20U);
  }
}

constexpr const char* kKernel = R"(
@module(entry="main")
class M:
    @prim_func(outputs=1)
    def main(x: Tensor[(S, 64), "f32"], y: Tensor[(S, 64), "f32"]):
        acc = T.alloc_tensor(tensor_type=Tensor[(), "f32", "rmem"])
        acc[()] = 0.0
        for i in T.parallel(S):
            for j in range(0, 64, 8):
                for k in T.vectorized(8):
                    v = x[i, j + k]
                    if v > 0.0 and i < 3:
                        y[i, j + k] = -v * 2.0 + T.scalar_exp(v)
                    elif v == 1.0:
                        y[i, j + k] = 0
                    else:
                        y[i, j + k] = T.select(v > 1.0, v, acc[()])
        while acc[()] < 1.0:
            acc[()] = acc[()] + 1.0
        w = T.tensor_view(x, 0, 8, shape=(S, 8))
        later(x, y)
        T.abort("text")
        return

    @prim_func
    def later(a: Tensor[(S, 64), "f32"], b: Tensor[(S, 64), "f32"]):
        T.copy(a, b)
)";

TEST(Loader, tir_loads_and_prints_back) {
  const LoadedFile file = load(kKernel);
  const auto& main = static_cast<const PrimFunction&>(*file.modules[0]->find_function("main"));
  EXPECT_EQ(main.output_count(), 1U);
  const Block block = block_items(main.body());
  ASSERT_EQ(block.size(), 8U);
  EXPECT_EQ(block[0].var->name(), "acc");
  const auto& loop = static_cast<const For&>(*block[2].stmt);
  EXPECT_EQ(loop.mode(), ForMode::parallel);
  EXPECT_EQ(loop.stop().text(), "S");
  const auto& call = static_cast<const Evaluate&>(*block[5].stmt);
  EXPECT_EQ(call.callee()->symbol(), "later");
  expect_fixed_point(file.modules[0]);
}

TEST(Loader, refusals_of_tir) {
  const std::string head =
      "@prim_func(outputs=1)\ndef k(x: Tensor[(4,), \"f32\"], y: Tensor[(4,), \"f32\"]):\n";
  EXPECT_EQ(errors(head + "  a = x[0:2]\n"), "TF2142@3");
  EXPECT_EQ(errors(head + "  a = T.copy(x, y)\n"), "TF2140@3");
  EXPECT_EQ(errors(head + "  T.copy(x)\n  return x\n"), "TF2060@3 TF2144@4");
  EXPECT_EQ(errors(head + "  z = add(x, y)\n"), "TF2004@3");
  EXPECT_EQ(errors(head + "  x[0]\n"), "TF2133@3");
  EXPECT_EQ(errors(head + "  for i in tile(4, 2):\n    pass\n"), "TF2001@3");
  EXPECT_EQ(errors(head + "  for i in (1, 2):\n    y[i] = x[i]\n"), "TF2145@3");
  EXPECT_EQ(errors(head + "  T.copy(x, 1)\n"), "TF3100@3");
}

}  // namespace
}  // namespace tilefoundry
