// Loops, buffers, calls and errors of generated code.
#include <gtest/gtest.h>

#include <algorithm>
#include <cstdio>
#include <set>
#include <sstream>

#include "tilefoundry/codegen/codegen_test_support.h"
#include "tilefoundry/support/diagnostic.h"

namespace tilefoundry {
namespace {

const float kNan = std::nanf("");

// out[i] = reduction of x[i, :] by `kind` over `map(element)`.
ModuleRef row_reduction(const Dim& rows, const Dim& columns, BinaryKind kind, double initial,
                        ForMode outer = ForMode::serial, bool squared = false) {
  const VarRef x = param("x", {rows, columns});
  const VarRef out = param("out", {rows});
  const VarRef i = loop_var("i");
  const VarRef j = loop_var("j");
  const VarRef acc = Var::make("acc", scalar_type(DType::f32));
  ScalarBuilder inner;
  ExprRef element = inner.load(x, {i->dim(), j->dim()});
  if (squared) element = inner.binary(BinaryKind::mul, element, element);
  const ExprRef before = inner.load(acc, {});
  inner.store(acc, inner.binary(kind, before, element), {});
  Block body{
      BlockItem::let(acc, alloc_tensor(scalar_type(DType::f32))),
      BlockItem::of(store(acc, Constant::scalar(DType::f32, initial), {})),
      BlockItem::of(For::make(j, 0, columns, 1, make_block(inner.take()), ForMode::vectorized)),
      BlockItem::of(store(out, load(acc, {}), {i->dim()}))};
  return module_of({x, out}, For::make(i, 0, rows, 1, make_block(body), outer));
}

TEST(CpuReduction, sums_of_every_length) {
  const Dim n = dim_var("N", 0, 1000);
  const Compiled compiled = compile_module(row_reduction(2, n, BinaryKind::add, 0.0));
  EXPECT_NE(compiled.linkable.source.find("acc_lane[64]"), std::string::npos);
  for (std::int64_t length = 0; length < 200; ++length) {
    const std::vector<float> x = pattern(static_cast<std::size_t>(2 * length), 7);
    double want = 0;
    for (std::int64_t j = 0; j < length; ++j) want += x[static_cast<std::size_t>(length + j)];
    const auto out = compiled({floats({2, length}, x)});
    EXPECT_NEAR(out[0].values<float>()[1], want, 1e-4) << length;
  }
}

TEST(CpuReduction, max_is_nan_with_a_nan_at_any_lane) {
  const Dim n = dim_var("N", 1, 1000);
  const Compiled compiled = compile_module(
      row_reduction(1, n, BinaryKind::max, -std::numeric_limits<double>::infinity()));
  for (const std::int64_t length : {1, 63, 64, 130, 200}) {
    const std::vector<float> x = pattern(static_cast<std::size_t>(length), 5);
    const float most = *std::max_element(x.begin(), x.end());
    EXPECT_EQ(compiled({floats({1, length}, x)})[0].values<float>()[0], most);
    for (std::int64_t at = 0; at < length; ++at) {
      std::vector<float> bad = x;
      bad[static_cast<std::size_t>(at)] = kNan;
      EXPECT_TRUE(std::isnan(compiled({floats({1, length}, bad)})[0].values<float>()[0]))
          << length << " " << at;
    }
  }
}

TEST(CpuReduction, the_sum_of_negative_zeros_keeps_its_sign) {
  const Compiled compiled = compile_module(row_reduction(1, 100, BinaryKind::add, -0.0));
  const auto out = compiled({floats({1, 100}, std::vector<float>(100, -0.0f))});
  EXPECT_TRUE(std::signbit(out[0].values<float>()[0]));
}

TEST(CpuReduction, a_value_that_is_used_elsewhere_is_no_reduction) {
  // A running sum: every partial sum is stored.
  const VarRef x = param("x", {100});
  const VarRef out = param("out", {100});
  const VarRef j = loop_var("j");
  const VarRef acc = Var::make("acc", scalar_type(DType::f32));
  ScalarBuilder inner;
  const ExprRef before = inner.load(acc, {});
  const ExprRef sum = inner.binary(BinaryKind::add, before, inner.load(x, {j->dim()}));
  inner.store(acc, sum, {});
  inner.store(out, sum, {j->dim()});
  Block block{
      BlockItem::let(acc, alloc_tensor(scalar_type(DType::f32))),
      BlockItem::of(store(acc, Constant::scalar(DType::f32, 0), {})),
      BlockItem::of(For::make(j, 0, 100, 1, make_block(inner.take()), ForMode::vectorized))};
  const Compiled compiled = compile_module(module_of({x, out}, make_block(block)));
  EXPECT_EQ(compiled.linkable.source.find("acc_lane"), std::string::npos);
  const auto result = compiled({floats({100}, std::vector<float>(100, 2.0f))});
  for (int i = 0; i < 100; ++i) EXPECT_EQ(result[0].values<float>()[i], 2.0f * (i + 1));
}

TEST(CpuReduction, several_accumulators_and_dtypes_at_once) {
  const VarRef x = param("x", {1000}, DType::i64);
  const VarRef out = param("out", {3}, DType::i64);
  const VarRef j = loop_var("j");
  const std::vector<BinaryKind> kinds{BinaryKind::add, BinaryKind::min, BinaryKind::max};
  Block block;
  std::vector<VarRef> accs;
  ScalarBuilder inner;
  const ExprRef element = inner.load(x, {j->dim()});
  for (const BinaryKind kind : kinds) {
    accs.push_back(Var::make("acc", scalar_type(DType::i64)));
    block.push_back(BlockItem::let(accs.back(), alloc_tensor(scalar_type(DType::i64))));
    block.push_back(BlockItem::of(store(accs.back(), load(x, {0}), {})));
    const ExprRef before = inner.load(accs.back(), {});
    inner.store(accs.back(), inner.binary(kind, element, before), {});
  }
  block.push_back(
      BlockItem::of(For::make(j, 1, 1000, 1, make_block(inner.take()), ForMode::vectorized)));
  for (int k = 0; k < 3; ++k) {
    block.push_back(BlockItem::of(store(out, load(accs[static_cast<std::size_t>(k)], {}), {k})));
  }
  const Compiled compiled = compile_module(module_of({x, out}, make_block(block)));
  EXPECT_NE(compiled.linkable.source.find("acc_lane"), std::string::npos);
  std::vector<std::int64_t> values(1000);
  for (std::size_t i = 0; i < 1000; ++i) {
    values[i] = static_cast<std::int64_t>((i * 7919) % 1009) * 10000000000 - 3000000000000;
  }
  std::int64_t sum = 0;
  for (const std::int64_t value : values) sum += value;
  const auto result = compiled({array_of<std::int64_t>("i64", {1000}, values)});
  EXPECT_EQ(values_of<std::int64_t>(result[0]),
            (std::vector<std::int64_t>{sum, *std::min_element(values.begin(), values.end()),
                                       *std::max_element(values.begin(), values.end())}));
}

TEST(CpuParallel, a_carried_value_keeps_the_loop_serial) {
  const VarRef x = param("x", {100});
  const VarRef out = param("out", {1});
  const VarRef j = loop_var("j");
  const VarRef acc = Var::make("acc", scalar_type(DType::f32));
  ScalarBuilder inner;
  const ExprRef before = inner.load(acc, {});
  inner.store(acc, inner.binary(BinaryKind::add, before, inner.load(x, {j->dim()})), {});
  Block block{BlockItem::let(acc, alloc_tensor(scalar_type(DType::f32))),
              BlockItem::of(store(acc, Constant::scalar(DType::f32, 0), {})),
              BlockItem::of(For::make(j, 0, 100, 1, make_block(inner.take()), ForMode::parallel)),
              BlockItem::of(store(out, load(acc, {}), {0}))};
  const Compiled compiled = compile_module(module_of({x, out}, make_block(block)));
  EXPECT_EQ(compiled.linkable.source.find("tf_loop_"), std::string::npos);
  EXPECT_EQ(compiled({floats({100}, std::vector<float>(100, 0.5f))})[0].values<float>()[0], 50.0f);
}

TEST(CpuReduction, main_loop_is_vector_code_without_fast_math) {
  const LinkableModule linkable =
      generate(row_reduction(4, 4096, BinaryKind::add, 0.0, ForMode::serial, true));
  const std::string assembly = assembly_of(linkable);
  const bool wide = linkable.source.find("avx") != std::string::npos;
  if (!wide) GTEST_SKIP() << "a CPU without AVX";
  EXPECT_NE(assembly.find("vaddps"), std::string::npos);
  EXPECT_NE(assembly.find("vmulps"), std::string::npos);
}

TEST(CpuParallel, bodies_run_on_threads_with_the_same_result) {
  const Dim m = dim_var("M", 1, 100000);
  const Compiled compiled =
      compile_module(row_reduction(m, 512, BinaryKind::add, 0.0, ForMode::parallel));
  EXPECT_NE(compiled.linkable.source.find("tf_parallel(tf_run->parallel_for"), std::string::npos);
  const std::vector<float> x = pattern(3000 * 512, 9);
  const auto serial = compiled({floats({3000, 512}, x)}, 1);
  const auto parallel = compiled({floats({3000, 512}, x)}, 2);
  EXPECT_EQ(values_of<float>(serial[0]), values_of<float>(parallel[0]));
}

TEST(CpuParallel, each_worker_has_its_own_scratch_memory) {
  // t[:] = x[i, :] * 2 in a temporary too large for the stack; out[i, :] = t[:] + 1.
  const Dim n = dim_var("N", 1, 100000);
  const VarRef x = param("x", {64, n});
  const VarRef out = param("out", {64, n});
  const VarRef i = loop_var("i");
  const VarRef j = loop_var("j");
  const VarRef k = loop_var("k");
  const VarRef t = Var::make("t", tensor({n}));
  ScalarBuilder first;
  first.store(t,
              first.binary(BinaryKind::mul, first.load(x, {i->dim(), j->dim()}),
                           first.constant(DType::f32, 2)),
              {j->dim()});
  ScalarBuilder second;
  second.store(
      out,
      second.binary(BinaryKind::add, second.load(t, {k->dim()}), second.constant(DType::f32, 1)),
      {i->dim(), k->dim()});
  Block body{BlockItem::let(t, alloc_tensor(tensor({n}))),
             BlockItem::of(For::make(j, 0, n, 1, make_block(first.take()), ForMode::vectorized)),
             BlockItem::of(For::make(k, 0, n, 1, make_block(second.take()), ForMode::vectorized))};
  const Compiled compiled = compile_module(
      module_of({x, out}, For::make(i, 0, 64, 1, make_block(body), ForMode::parallel)));
  const std::vector<float> values = pattern(64 * 20000, 2);
  const auto result = compiled({floats({64, 20000}, values)}, 2);
  for (std::size_t at = 0; at < values.size(); ++at) {
    ASSERT_EQ(result[0].values<float>()[at], values[at] * 2 + 1) << at;
  }
}

TEST(CpuBuffers, views_and_layouts_address_memory) {
  // v = x[2:4, 1:4] keeps the strides of x; w = x transposed.
  const VarRef x = param("x", {5, 6});
  const VarRef out = param("out", {2, 3});
  const VarRef turned = param("turned", {6, 5});
  const Dim starts[] = {2, 1};
  const VarRef v =
      Var::make("v", tensor({2, 3}, DType::f32, Layout::make(Shape{2, 3}, Shape{6, 1})));
  const LayoutRef layout = Layout::make(Shape{6, 5}, Shape{1, 6});
  const VarRef w = Var::make("w", tensor({6, 5}, DType::f32, layout));
  Block block{BlockItem::let(v, tensor_view(x, {starts[0], starts[1]}, {2, 3},
                                            Layout::make(Shape{2, 3}, Shape{6, 1}))),
              BlockItem::let(w, tensor_view(x, {}, {6, 5}, layout)), BlockItem::of(copy(v, out)),
              BlockItem::of(copy(w, turned))};
  const auto result = compile_module(module_of({x, out, turned}, make_block(block), 2))(
      {floats({5, 6}, pattern(30))});
  const std::vector<float> values = pattern(30);
  for (std::size_t i = 0; i < 2; ++i) {
    for (std::size_t j = 0; j < 3; ++j) {
      EXPECT_EQ(result[0].values<float>()[i * 3 + j], values[(i + 2) * 6 + j + 1]);
    }
  }
  for (std::size_t i = 0; i < 6; ++i) {
    for (std::size_t j = 0; j < 5; ++j) {
      EXPECT_EQ(result[1].values<float>()[i * 5 + j], values[j * 6 + i]);
    }
  }
}

TEST(CpuBuffers, names_survive_whatever_they_are) {
  const VarRef x = param("new", {4});
  const VarRef y = param("č", {4});
  const VarRef out = param("double", {4});
  const ModuleRef module = module_of({x, y, out},
                                     pointwise({x, y}, out,
                                               [](ScalarBuilder& s, const std::vector<ExprRef>& v) {
                                                 return s.binary(BinaryKind::sub, v[0], v[1]);
                                               }),
                                     1, "abi");
  const auto result =
      compile_module(module)({floats({4}, {1, 2, 3, 4}), floats({4}, {4, 2, 0, 1})});
  EXPECT_EQ(values_of<float>(result[0]), (std::vector<float>{-3, 0, 3, 3}));
}

TEST(CpuCalls, functions_call_functions_with_their_dimensions) {
  const Dim n = dim_var("N", 1, 1000);
  const VarRef a = param("a", {n});
  const VarRef b = param("b", {n});
  const PrimFunctionRef twice =
      PrimFunction::make("twice", {a, b},
                         pointwise({a}, b,
                                   [](ScalarBuilder& s, const std::vector<ExprRef>& v) {
                                     return s.binary(BinaryKind::add, v[0], v[0]);
                                   }),
                         1);
  const Dim s = dim_var("S", 1, 1000);
  const VarRef x = param("x", {s});
  const VarRef out = param("out", {s});
  const VarRef t = Var::make("t", tensor({s}));
  const auto call = [&](const VarRef& from, const VarRef& to) {
    return Evaluate::call(SymbolRef::make("twice", twice->callable_type()), {from, to});
  };
  Block block{BlockItem::let(t, alloc_tensor(tensor({s}))), BlockItem::of(call(x, t)),
              BlockItem::of(call(t, out))};
  ModuleParts parts;
  parts.name = "M";
  parts.functions = {twice, PrimFunction::make("main", {x, out}, make_block(block), 1)};
  parts.entry = "main";
  parts.target = default_target();
  const Compiled compiled = compile_module(Module::make(parts));
  ASSERT_EQ(compiled.linkable.functions.size(), 2u);
  EXPECT_EQ(compiled.linkable.functions[0].name, "twice");
  const auto result = compiled({floats({3}, {1, 2, 3})});
  EXPECT_EQ(values_of<float>(result[0]), (std::vector<float>{4, 8, 12}));
}

TEST(CpuErrors, abort_comes_back_with_its_message) {
  const VarRef x = param("x", {1}, DType::i32);
  const VarRef out = param("out", {1}, DType::i32);
  const ExprRef negative =
      scalar_binary(BinaryKind::cmp_lt, load(x, {0}), Constant::scalar_int(DType::i32, 0));
  Block block{BlockItem::of(If::make(negative, Abort::make("x is \"negative\"?"), nullptr)),
              BlockItem::of(store(out, load(x, {0}), {0}))};
  const Compiled compiled = compile_module(module_of({x, out}, make_block(block)));
  EXPECT_EQ(compiled({array_of<std::int32_t>("i32", {1}, {5})})[0].values<std::int32_t>()[0], 5);
  try {
    compiled({array_of<std::int32_t>("i32", {1}, {-5})});
    FAIL();
  } catch (const CallError& error) {
    EXPECT_NE(error.diagnostic().message.find("x is \"negative\"?"), std::string::npos);
  }
}

TEST(CpuErrors, while_if_and_return) {
  // Counts down: while x[0] > 0: x[0] -= 3; out = x, unless it is -1.
  const VarRef x = param("x", {1}, DType::i64);
  const VarRef out = param("out", {2}, DType::i64);
  const auto value = [&] { return load(out, {0}); };
  const auto number = [](std::int64_t v) { return Constant::scalar_int(DType::i64, v); };
  Block block{BlockItem::of(store(out, load(x, {0}), {0})),
              BlockItem::of(store(out, number(0), {1})),
              BlockItem::of(
                  While::make(scalar_binary(BinaryKind::cmp_gt, value(), number(0)),
                              store(out, scalar_binary(BinaryKind::sub, value(), number(3)), {0}))),
              BlockItem::of(If::make(scalar_binary(BinaryKind::cmp_eq, value(), number(-1)),
                                     Return::make(), nullptr)),
              BlockItem::of(store(out, number(9), {1}))};
  const Compiled compiled = compile_module(module_of({x, out}, make_block(block)));
  const auto run = [&](std::int64_t v) {
    return values_of<std::int64_t>(compiled({array_of<std::int64_t>("i64", {1}, {v})})[0]);
  };
  EXPECT_EQ(run(5), (std::vector<std::int64_t>{-1, 0}));
  EXPECT_EQ(run(6), (std::vector<std::int64_t>{0, 9}));
}

TEST(CpuLibrary, needs_nothing_but_memory_functions) {
  const Compiled compiled = compile_module(row_reduction(dim_var("M", 1, 99), dim_var("N", 1, 99),
                                                         BinaryKind::max, 0.0, ForMode::parallel));
  const std::string command =
      "nm -D --undefined-only '" + compiled.linked.library_path.string() + "'";
  FILE* pipe = ::popen(command.c_str(), "r");
  ASSERT_NE(pipe, nullptr);
  std::string text;
  for (char buffer[256]; std::fgets(buffer, sizeof buffer, pipe) != nullptr;) text += buffer;
  ::pclose(pipe);
  const std::set<std::string> allowed{"memcpy", "memset", "memmove", "aligned_alloc", "free"};
  std::istringstream lines(text);
  std::string kind;
  for (std::string symbol; lines >> kind >> symbol;) {
    if (kind != "U") continue;  // weak ones are the loader's own
    EXPECT_EQ(allowed.count(symbol.substr(0, symbol.find('@'))), 1u) << symbol;
  }
}

TEST(CpuLibrary, dimensions_and_constants_are_described) {
  const Dim s = dim_var("S", 1, 64);
  const VarRef x = Var::make("x", tensor({s, 4}));
  const VarRef w = Var::make("w", tensor({4}), true);
  const VarRef out = Var::make("out", tensor({s * 2 + 1}));
  const LinkableModule module = generate(module_of({x, w, out}, Sequential::make({})));
  EXPECT_NE(module.abi_json.find("\"text\":\"S * 2 + 1\""), std::string::npos) << module.abi_json;
  EXPECT_NE(module.abi_json.find("[\"add\",[\"mul\",\"S\",2],1]"), std::string::npos);
  EXPECT_NE(module.abi_json.find("\"dims\":{\"S\":{\"lo\":1,\"hi\":64}}"), std::string::npos);
  EXPECT_NE(module.abi_json.find("\"constant\":true"), std::string::npos);
}

TEST(CpuLibrary, is_published_as_a_folder) {
  const TemporaryFolder parent;
  const ModuleRef module = row_reduction(1, 8, BinaryKind::add, 0.0);
  const auto folder = parent.path() / "out";
  for (int round = 0; round < 2; ++round) {
    const LinkedModule linked = link(generate(module), folder);
    for (const char* name : {"library.so", "source.cc", "abi.json", "manifest.json"}) {
      EXPECT_TRUE(std::filesystem::exists(folder / name)) << name;
    }
    EXPECT_EQ(linked.entry, "f");
    EXPECT_EQ(linked.library_path, folder / "library.so");
  }
}

}  // namespace
}  // namespace tilefoundry
