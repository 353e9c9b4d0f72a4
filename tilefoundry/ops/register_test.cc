// What holds for every registered op.
#include "tilefoundry/ops/register.h"

#include <algorithm>
#include <filesystem>
#include <fstream>
#include <regex>
#include <set>
#include <sstream>

#include <gtest/gtest.h>

#include "tilefoundry/ops/arange.h"
#include "tilefoundry/ops/arg_max.h"
#include "tilefoundry/ops/binary.h"
#include "tilefoundry/ops/cast.h"
#include "tilefoundry/ops/clamp.h"
#include "tilefoundry/ops/full_like.h"
#include "tilefoundry/ops/gelu.h"
#include "tilefoundry/ops/layer_norm.h"
#include "tilefoundry/ops/matmul.h"
#include "tilefoundry/ops/ops_test_support.h"
#include "tilefoundry/ops/reduce.h"
#include "tilefoundry/ops/relu.h"
#include "tilefoundry/ops/repeat_interleave.h"
#include "tilefoundry/ops/rms_norm.h"
#include "tilefoundry/ops/sigmoid.h"
#include "tilefoundry/ops/silu.h"
#include "tilefoundry/ops/soft_max.h"
#include "tilefoundry/ops/softplus.h"
#include "tilefoundry/ops/stack.h"
#include "tilefoundry/ops/tanh.h"
#include "tilefoundry/ops/unary.h"
#include "tilefoundry/ops/where.h"
#include "tilefoundry/ops/zeros.h"
#include "tilefoundry/passes/loop_nest.h"
#include "tilefoundry/registry/verify.h"

namespace tilefoundry {
namespace {

bool lacks(const OpClass& cls, const std::string& column) {
  const auto& exemptions = cls.exemptions();
  return std::any_of(exemptions.begin(), exemptions.end(),
                     [&](const auto& exemption) { return exemption.first == column; });
}

TEST(Registries, V77_every_value_op_has_every_column) {
  std::size_t count = 0;
  for (const OpClass* cls : registered_op_classes()) {
    if (cls->dialect() != Dialect::tf || !cls->provider().empty()) continue;
    ++count;
    const std::vector<std::pair<const char*, const AnalysisRegistry*>> columns{
        {"typeinfer", &typeinfer_registry()},
        {"type_relation", &type_relation_registry()},
        {"access_relation", &access_relation_registry()},
        {"cost", &cost_evaluator_registry()},
        {"evaluate", &evaluator_registry()},
        {"lowering", &hir_lowering_registry()},
    };
    for (const auto& [column, registry] : columns) {
      EXPECT_TRUE(registry->has(*cls) || lacks(*cls, column)) << cls->name() << ": " << column;
    }
  }
  EXPECT_GE(count, 16U);
}

TEST(Registries, V60_every_effect_op_has_a_verify_rule) {
  std::size_t count = 0;
  for (const OpClass* cls : registered_op_classes()) {
    if (cls->dialect() != Dialect::T || !cls->is_effect() || cls->category() == "memory" ||
        cls->category() == "scalar" || !cls->provider().empty()) {
      continue;
    }
    ++count;
    EXPECT_TRUE(verify_stmt_registry().has(*cls)) << cls->name();
  }
  EXPECT_GE(count, 9U);
}

TEST(Registries, V79_every_file_that_registers_is_named_in_the_list) {
  const std::filesystem::path folder = "tilefoundry/ops";
  if (!std::filesystem::exists(folder)) GTEST_SKIP() << "not in the source tree";
  const auto text_of = [](const std::filesystem::path& path) {
    std::stringstream text;
    text << std::ifstream(path).rdbuf();
    return text.str();
  };
  const std::string list = text_of(folder / "register.cc");
  const std::regex declared("void (register_[a-z_0-9]+)\\(\\);");
  std::size_t count = 0;
  for (const auto& entry : std::filesystem::directory_iterator(folder)) {
    if (entry.path().extension() != ".h" || entry.path().filename() == "register.h") continue;
    const std::string text = text_of(entry.path());
    std::smatch match;
    if (!std::regex_search(text, match, declared)) continue;
    ++count;
    EXPECT_NE(list.find("  " + match[1].str() + "();"), std::string::npos) << match[1];
  }
  EXPECT_GE(count, 13U);
}

struct Example {
  OpRef op;
  std::vector<TypeRef> types;
};

// Calls of one shape, with `n` for the extent 8.
std::vector<Example> examples(const Dim& n) {
  const TypeRef x = tensor_type({4, n}, DType::f32);
  const TypeRef row = tensor_type({n}, DType::f32);
  const TypeRef flags = tensor_type({4, 1}, DType::boolean);
  return {
      {make_op(Binary{.kind = BinaryKind::add}), {x, row}},
      {make_op(Unary{.kind = UnaryKind::exp}), {x}},
      {make_op(Cast{.dtype = DType::bf16}), {x}},
      {make_op(Clamp{.min_val = 0, .max_val = 1}), {x}},
      {make_op(Silu{}), {x}},
      {make_op(Sigmoid{}), {x}},
      {make_op(Tanh{}), {x}},
      {make_op(Softplus{}), {x}},
      {make_op(Gelu{}), {x}},
      {make_op(ReLU{}), {x}},
      {make_op(Where{}), {flags, x, row}},
      {make_op(Zeros{.type = x}), {}},
      {make_op(Arange{.type = tensor_type({n}, DType::i32)}), {}},
      {make_op(FullLike{.value = 1}), {x}},
      {make_op(MatMul{}), {x, tensor_type({n, 4}, DType::f32)}},
      {make_op(Reduce{.axes = {1}, .kind = ReduceKind::sum}), {x}},
      {make_op(RMSNorm{}), {x, row}},
      {make_op(ArgMax{}), {x}},
      {make_op(RepeatInterleave{.repeats = 2}), {x}},
      {make_op(Stack{.axis = 0}), {x}},
      {make_op(LayerNorm{.axis = 1, .eps = 1e-5}), {x, row, row}},
      {make_op(SoftMax{.axis = 1}), {x}},
  };
}

TEST(Relations, V45_are_built_on_calls_without_a_type) {
  for (const Example& example : examples(8)) {
    TypeInferContext ctx;
    const CallRef call = untyped_call(example.op, example.types);
    EXPECT_TRUE(build_relation(*call, example.types, ctx).has_value());
    EXPECT_TRUE(ctx.cache.empty()) << example.op->op_class().name();
  }
}

TEST(Relations, V39_V40_rank_and_parameters_of_the_domain) {
  const Dim s = dim_var("S", 1, 64);
  const auto fixed = examples(8);
  const auto symbolic = examples(s);
  for (std::size_t i = 0; i < fixed.size(); ++i) {
    const auto a = relation_of(fixed[i].op, fixed[i].types);
    const auto b = relation_of(symbolic[i].op, symbolic[i].types);
    EXPECT_EQ(a.domain().rank(), b.domain().rank());
    EXPECT_TRUE(a.param_map().empty());
    EXPECT_EQ(b.param_map(), (std::map<std::string, Dim>{{"S", s}}));
    EXPECT_EQ(b.domain().parameters(), std::vector<std::string>{"S"});
  }
}

TEST(Relations, V49_V53_one_entry_per_boundary_and_no_needless_map) {
  for (const Example& example : examples(8)) {
    TypeInferContext ctx;
    const CallRef call = untyped_call(example.op, example.types);
    const auto* handler = access_relation_registry().find<AccessRelationFn>(example.op->op_class());
    ASSERT_NE(handler, nullptr);
    const AccessRelations relations = (*handler)(*call, ctx);
    EXPECT_EQ(relations.inputs.size(), example.types.size());
    ASSERT_EQ(relations.outputs.size(), 1U);
    for (const AccessRelation& relation : relations.inputs) {
      EXPECT_TRUE(std::holds_alternative<IslMultiAff>(relation)) << example.op->op_class().name();
    }
  }
}

TEST(Cost, V81_one_traffic_entry_per_argument_and_the_result) {
  for (const Example& example : examples(8)) {
    const Cost cost = cost_of(example.op, example.types);
    EXPECT_EQ(cost.traffic.size(), example.types.size() + 1);
    EXPECT_EQ(cost.traffic.back().read, 0);
    EXPECT_GT(cost.traffic.back().write, 0);
  }
}

TEST(Aliases, resolve_to_a_kind) {
  const auto candidates = find_ops(Dialect::tf, "maximum");
  ASSERT_EQ(candidates.size(), 1U);
  EXPECT_EQ(candidates[0].cls, &Binary::op_class());
  EXPECT_EQ(std::get<std::string>(candidates[0].alias->fixed[0].second), "max");
  for (const char* name : {"add", "mod", "cmp_ge", "pow", "erf", "round", "matmul", "rms_norm",
                           "full_like", "where", "zeros", "silu", "cast", "clamp", "reduce"}) {
    EXPECT_FALSE(find_ops(Dialect::tf, name).empty()) << name;
  }
  for (const char* name :
       {"binary", "unary", "clamp", "cast", "relu", "reduce", "rms_norm", "matmul", "mma"}) {
    EXPECT_FALSE(find_ops(Dialect::T, name).empty()) << name;
  }
}

}  // namespace
}  // namespace tilefoundry
