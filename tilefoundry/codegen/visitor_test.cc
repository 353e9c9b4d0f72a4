#include "tilefoundry/codegen/visitor.h"

#include <gtest/gtest.h>

#include "tilefoundry/codegen/codegen_test_support.h"
#include "tilefoundry/codegen/cpu/context.h"
#include "tilefoundry/codegen/cpu/module.h"
#include "tilefoundry/support/diagnostic.h"
#include "tilefoundry/target/cuda_target.h"

namespace tilefoundry {
namespace {

ExprRef i32(std::int64_t value) { return Constant::scalar_int(DType::i32, value); }

struct TestEffect : OpFields<TestEffect> {
  static const OpClass& op_class() {
    static const OpClass& cls =
        OpClassBuilder<TestEffect>("TestEffect", Dialect::T, "test").effect().build();
    return cls;
  }
};
struct TestValue : OpFields<TestValue> {
  static const OpClass& op_class() {
    static const OpClass& cls = OpClassBuilder<TestValue>("TestValue", Dialect::T, "test")
                                    .input("x", InputPattern::scalar)
                                    .build();
    return cls;
  }
};
const StmtClass& marker_class() {
  static const auto* cls = new StmtClass("Marker");
  return *cls;
}

std::string code_of(const auto& action) {
  try {
    action();
  } catch (const Error& error) {
    return error.diagnostic().code + " " + error.diagnostic().message;
  }
  return "no error";
}

TEST(CodegenContext, V64_has_the_four_fields_of_the_skeleton) {
  CodegenContext ctx;
  EXPECT_EQ(ctx.module, nullptr);
  EXPECT_TRUE(ctx.output.empty());
  EXPECT_TRUE(ctx.symbol_table.empty());
  EXPECT_EQ(ctx.indent, 0);
  ctx.indent = 2;
  ctx.line("x;");
  EXPECT_EQ(ctx.output, std::vector<std::string>{"    x;"});
}

TEST(CodegenRegistry, V65_each_target_has_a_registry_of_its_own) {
  register_codegen_cuda<TestValue>(
      [](const Call&, const TestValue&, CodegenContext&) -> std::string { return "cuda"; });
  register_codegen_cuda(marker_class(), [](const Stmt&, CodegenContext&) {});
  EXPECT_TRUE(codegen_cuda_registry().has(TestValue::op_class()));
  EXPECT_TRUE(codegen_cuda_registry().has(marker_class()));
  EXPECT_FALSE(codegen_cpu_registry().has(TestValue::op_class()));
  EXPECT_FALSE(codegen_cpu_registry().has(marker_class()));
  register_codegen_cpu<TestEffect>(
      [](const Evaluate&, const TestEffect&, CodegenContext& ctx) { ctx.line("effect();"); });
  register_codegen_cpu(marker_class(), [](const Stmt&, CodegenContext& ctx) { ctx.line("m();"); });
  EXPECT_TRUE(codegen_cpu_registry().has(TestEffect::op_class()));
  EXPECT_FALSE(codegen_cuda_registry().has(TestEffect::op_class()));
}

TEST(CodegenVisitor, V66_an_expression_is_one_fragment) {
  CpuCodegenContext ctx(nullptr, CpuFeatures());
  CodegenVisitor visitor(ctx, "cpu");
  const ExprRef sum = scalar_binary(BinaryKind::add, i32(1), i32(2));
  const ExprRef product = scalar_binary(BinaryKind::mul, sum, i32(-3));
  EXPECT_EQ(visitor.emit_expr(product), "tf_mul_i32(tf_add_i32(1, 2), -3)");
  EXPECT_TRUE(ctx.output.empty());
}

TEST(CodegenVisitor, V67_a_statement_extends_the_output) {
  CpuCodegenContext ctx(nullptr, CpuFeatures());
  CodegenVisitor visitor(ctx, "cpu");
  const VarRef x = param("x", {4});
  const VarRef y = param("y", {4});
  ctx.set_buffer(*x, {"x", DType::f32, {4}, {1}});
  ctx.set_buffer(*y, {"y", DType::f32, {4}, {1}});
  visitor.emit_stmt(copy(x, y));
  EXPECT_EQ(ctx.output, std::vector<std::string>{"__builtin_memcpy(y, x, 16);"});
}

TEST(CodegenVisitor, V68_the_registry_is_chosen_by_name) {
  CpuCodegenContext ctx(nullptr, CpuFeatures());
  const ExprRef value = scalar_unary(UnaryKind::neg, Constant::scalar(DType::f32, 2.0));
  EXPECT_EQ(CodegenVisitor(ctx, "cpu").emit_expr(value), "(-2.0f)");
  EXPECT_EQ(code_of([&] { CodegenVisitor(ctx, "cuda").emit_expr(value); }),
            "TF5101 the op ScalarUnary has no code generation for the target cuda");
  EXPECT_EQ(code_of([&] { CodegenVisitor(ctx, "vulkan"); }),
            "TF9010 no target named \"vulkan\" emits code; there are cpu, cuda");
}

TEST(CodegenVisitor, V69_statements_fall_back_to_the_default_emission) {
  AnalysisRegistry empty("codegen_empty");
  const CodegenTarget target{"empty", &empty, emit_cpu_stmt, {}};
  CpuCodegenContext ctx(nullptr, CpuFeatures());
  CodegenVisitor visitor(ctx, target);
  const VarRef n = loop_var("i");
  const VarRef v = Var::make("v", scalar_type(DType::i32));
  visitor.emit_stmt(For::make(n, 0, 3, 1, LetStmt::make(v, i32(7), Return::make())));
  EXPECT_EQ(ctx.output, (std::vector<std::string>{"for (tf_i64 i = 0; i < 3; i++) {",
                                                  "  const tf_i32 v = 7;", "  return 0;", "}"}));
  const StmtClass nobody("Nobody");
  const StmtRef unknown = StmtRef(new UserStmt(nobody, {}));
  EXPECT_EQ(code_of([&] { visitor.emit_stmt(unknown); }),
            "TF5102 the statement Nobody has no code generation for the target cpu");
}

TEST(CodegenVisitor, V70_an_op_without_a_handler_raises) {
  CpuCodegenContext ctx(nullptr, CpuFeatures());
  CodegenVisitor visitor(ctx, "cpu");
  const ExprRef call = Call::make(make_op(TestValue{}), {i32(1)}, scalar_type(DType::i32));
  EXPECT_EQ(code_of([&] { visitor.emit_expr(call); }),
            "TF5101 the op TestValue has no code generation for the target cpu");
}

TEST(CodegenVisitor, long_chains_need_no_stack) {
  CpuCodegenContext ctx(nullptr, CpuFeatures());
  CodegenVisitor visitor(ctx, "cpu");
  Block block;
  ExprRef value = i32(1);
  for (int i = 0; i < 20000; ++i) {
    const VarRef v = Var::make("v" + std::to_string(i), scalar_type(DType::i32));
    block.push_back(BlockItem::let(v, scalar_binary(BinaryKind::add, value, i32(1))));
    value = v;
  }
  visitor.emit_stmt(make_block(block));
  EXPECT_EQ(ctx.output.size(), 20000u);
  ExprRef deep = i32(1);
  for (int i = 0; i < 2000; ++i) deep = scalar_unary(UnaryKind::neg, deep);
  EXPECT_FALSE(visitor.emit_expr(deep).empty());
}

TEST(CodegenTargets, a_target_can_be_added_once) {
  static AnalysisRegistry registry("codegen_test");
  add_codegen_target({"testing", &registry, emit_cpu_stmt, {}});
  EXPECT_EQ(codegen_target("testing").registry, &registry);
  EXPECT_EQ(code_of([&] { add_codegen_target({"testing", &registry, emit_cpu_stmt, {}}); }),
            "TF9011 the target testing emits code already");
}

TEST(CodeGenerator, functions_group_by_equal_targets) {
  const auto function = [](const char* name, TargetRef target) -> CallableRef {
    return PrimFunction::make(name, {}, Sequential::make({}), 0, std::move(target));
  };
  ModuleParts parts;
  parts.name = "M";
  parts.target = default_target();
  parts.functions = {function("a", nullptr), function("b", CudaTarget::make()),
                     function("c", CpuTarget::make()), function("d", CudaTarget::make("sm_90"))};
  const auto groups = group_by_target(Module::make(parts));
  ASSERT_EQ(groups.size(), 2u);
  EXPECT_EQ(groups[0].functions[1]->name(), "c");
  EXPECT_EQ(groups[1].functions[1]->name(), "d");
  parts.functions.push_back(function("e", CudaTarget::make("sm_80")));
  EXPECT_EQ(
      code_of([&] { group_by_target(Module::make(parts)); }),
      "TF5104 the module M has functions for CudaTarget() and for CudaTarget(arch=\"sm_80\")");
}

TEST(CodeGenerator, a_cuda_module_is_refused_by_what_has_no_handler) {
  const VarRef x = param("x", {4});
  const VarRef y = param("y", {4});
  const ModuleRef module = module_of({x, y}, copy(x, y), 1, "f", CudaTarget::make());
  EXPECT_EQ(code_of([&] { generate(module); }),
            "TF5101 the op Copy has no code generation for the target cuda");
}

}  // namespace
}  // namespace tilefoundry
