// The evaluator on whole functions.
#include <gtest/gtest.h>

#include "tilefoundry/ops/binary.h"
#include "tilefoundry/ops/ops_test_support.h"
#include "tilefoundry/ops/unary.h"
#include "tilefoundry/ops/zeros.h"
#include "tilefoundry/support/diagnostic.h"

namespace tilefoundry {
namespace {

TypeRef f32(Shape shape) { return tensor_type(std::move(shape), DType::f32); }
OpRef binary(BinaryKind kind) { return make_op(Binary{.kind = kind}); }

TEST(EvaluateFunction, a_chain_needs_neither_stack_nor_all_values) {
  TypeInferContext ctx;
  const VarRef x = Var::make("x", f32({2}));
  const VarRef one = Var::make("one", f32({2}));
  ExprRef value = x;
  for (int i = 0; i < 100000; ++i) value = make_call(ctx, binary(BinaryKind::add), {value, one});
  const auto function = Function::make("chain", {x, one}, value);
  const HostValue result =
      evaluate(nullptr, *function,
               {float_tensor(DType::f32, {2}, {0, 1}), float_tensor(DType::f32, {2}, {1, 1})});
  EXPECT_EQ(floats_of(result.tensor()), (std::vector<double>{100000, 100001}));
}

TEST(EvaluateFunction, shared_values_are_computed_once) {
  TypeInferContext ctx;
  const VarRef x = Var::make("x", f32({}));
  ExprRef value = x;
  for (int i = 0; i < 64; ++i) value = make_call(ctx, binary(BinaryKind::mul), {value, value});
  const HostTensor one = float_tensor(DType::f32, {}, {1});
  EXPECT_EQ(evaluate(nullptr, *Function::make("f", {x}, value), {one}).tensor().float_at(0), 1);
}

TEST(EvaluateFunction, several_results_and_constants) {
  TypeInferContext ctx;
  const Dim s = dim_var("S", 1, 64);
  const VarRef x = Var::make("x", f32({s, 2}));
  const ExprRef sum =
      make_call(ctx, binary(BinaryKind::add), {x, Constant::scalar(DType::f32, 0.5)});
  const ExprRef zeros = make_call(ctx, make_op(Zeros{.type = f32({s + 1})}), {});
  const ExprRef both = Tuple::make({sum, x, zeros, DimValue::make(s * 3)});
  const HostValue result =
      evaluate(nullptr, *Function::make("f", {x}, both), {HostTensor(DType::f32, {3, 2})});
  ASSERT_EQ(result.fields().size(), 4U);
  EXPECT_EQ(floats_of(result.fields()[0].tensor()), std::vector<double>(6, 0.5));
  EXPECT_EQ(result.fields()[2].tensor().shape(), (std::vector<std::int64_t>{4}));
  EXPECT_EQ(result.fields()[3].tensor().int_at(0), 9);
}

TEST(EvaluateFunction, an_op_without_a_value_rule_is_named) {
  DynamicOpClassBuilder builder("Mystery", Dialect::tf, "test");
  const OpClass& cls = builder.input({.name = "x"}).build();
  const VarRef x = Var::make("x", f32({2}));
  const ExprRef call = Call::make(cls.make({}), {x}, x->type());
  try {
    evaluate(nullptr, *Function::make("f", {x}, call), {HostTensor(DType::f32, {2})});
    FAIL();
  } catch (const CallError& error) {
    EXPECT_NE(error.diagnostic().message.find("Mystery"), std::string::npos);
  }
}

// A tree: Model.up is a child whose entry scales by a weight of its own.
class TreeEvaluation : public testing::Test {
 protected:
  FunctionRef scaled() {
    TypeInferContext ctx;
    const VarRef x = Var::make("x", f32({2}));
    const VarRef weight = Var::make("weight", f32({2}), true);
    return Function::make("scale", {x, weight},
                          make_call(ctx, binary(BinaryKind::mul), {x, weight}));
  }
  ModuleRef leaf(const std::string& name) {
    ModuleParts parts;
    parts.name = name;
    parts.functions = {scaled()};
    return Module::make(std::move(parts));
  }
  // A function that calls the entries of `children` one after the other.
  ModuleRef owner(const std::string& name, std::vector<ModuleRef> children) {
    TypeInferContext ctx;
    const VarRef x = Var::make("x", f32({2}));
    ExprRef value = x;
    for (const ModuleRef& child : children) {
      value = Call::make(child->entry_function(), {value}, x->type());
    }
    ModuleParts parts;
    parts.name = name;
    parts.functions = {Function::make("main", {x}, value)};
    parts.children = std::move(children);
    return Module::make(std::move(parts));
  }
  std::vector<double> run(const ModuleRef& module, const std::vector<double>& weights) {
    std::vector<HostTensor> inputs{float_tensor(DType::f32, {2}, {1, 10})};
    for (const double weight : weights) {
      inputs.push_back(float_tensor(DType::f32, {2}, {weight, weight}));
    }
    return floats_of(evaluate(module, *as_function(*module->entry_function()), inputs).tensor());
  }
};

TEST_F(TreeEvaluation, weights_of_children_come_after_the_inputs) {
  const ModuleRef module = owner("Model", {leaf("up"), leaf("down")});
  EXPECT_EQ(run(module, {2, 3}), (std::vector<double>{6, 60}));
  EXPECT_THROW(run(module, {2}), CallError);
}

TEST_F(TreeEvaluation, weights_of_grandchildren_follow_their_path) {
  const ModuleRef inner = owner("block", {leaf("up")});
  EXPECT_EQ(run(owner("Model", {inner, leaf("head")}), {2, 5}), (std::vector<double>{10, 100}));
}

}  // namespace
}  // namespace tilefoundry
